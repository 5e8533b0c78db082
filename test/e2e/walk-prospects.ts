import type { Page } from 'playwright-core';
import type { Login } from './demo.ts';
import { intercept, letThrough } from './intercept.ts';
import { chosenCompanies, firstSteps, savedConditions } from './walk-companies.ts';
import {
  closeDialog,
  closeToasts,
  field,
  openCard,
  openFilters,
  passLogin,
  press,
  when,
  whenLoaded,
} from './walk-steps.ts';

const VIEW = '/prospect/view';
const REMARKS = '/active_prospect/';
const REFUSED = { message: '備考を保存できませんでした。備考に使えない文字があります', code: 'invalid_request' };

export async function* prospects(page: Page): AsyncGenerator<string> {
  await page.getByText('該当 1,000社').waitFor();
  await page.getByRole('rowheader').first().waitFor();
  await field(page, '表示件数').selectOption('20');
  yield* whenLoaded(page, 'logged-in');
  await closeToasts(page);
  await openFilters(page, false);
  yield* when(page, '該当 1,000社', 'prospects');
  await openFilters(page, true);
  await field(page, '業種').fill('製造、建設');
  await field(page, '売上高（下限）').fill('1億');
  await field(page, '従業員数（上限）').fill('多い');
  yield* when(page, /^該当 \d{3}社/, 'prospects-filters');
  await press(page, '業種を一覧から選ぶ');
  yield* when(page, /^製造業/, 'prospects-industries');
  await press(page, '地域を一覧から選ぶ');
  yield* when(page, '九州・沖縄', 'prospects-regions');
  await page.keyboard.press('Escape');
  await field(page, '地域').fill('此処には無い');
  yield* when(page, '条件に合う見込み客がありません', 'prospects-no-match');
  await press(page, '条件をクリア');
  await page.getByText('該当 1,000社').waitFor();
  await openFilters(page, false);
  await openCard(page);
  await page
    .getByRole('button', { name: /の備考を編集$/ })
    .first()
    .click();
  await page.locator('textarea').fill('11月25日の午後に電話する約束');
  yield* whenLoaded(page, 'prospects-remarks');
  await intercept(page, REMARKS, (route) => route.fulfill({ status: 400, json: REFUSED }));
  await page.locator('textarea').press('Enter');
  await page.locator('textarea[aria-invalid]').waitFor();
  yield* when(page, REFUSED.message, 'prospects-remarks-refused');
  letThrough(page, REMARKS);
  await page.locator('textarea').fill('11月25日に電話する約束');
  await page.locator('textarea').press('Enter');
  await page.getByRole('button', { name: /^11月25日に電話する約束/ }).waitFor();
  await press(page, '列の設定');
  yield* when(page, '表示する列を選べます', 'columns');
  await closeDialog(page);
  yield* chosenCompanies(page);
  yield* savedConditions(page);
  yield* firstSteps(page);
}

/** Walks through a slow server, one that is down, and one that has ended the session. */
export async function* troubles(page: Page, login: Login | undefined): AsyncGenerator<string> {
  const held = Promise.withResolvers<void>();
  await intercept(page, VIEW, async (route) => {
    await held.promise;
    await route.abort().catch(() => undefined);
  });
  await page.reload();
  await page.locator('[aria-busy=true]').first().waitFor();
  yield 'prospects-loading';
  held.resolve();
  yield* when(page, '読み込めませんでした', 'prospects-failed');
  letThrough(page, VIEW);
  const unknown = { message: 'ログインしてください', code: 'unauthorized' };
  await intercept(page, VIEW, (route) => route.fulfill({ status: 401, json: unknown }));
  await press(page, '再読み込み');
  yield* when(page, 'ログインの有効期限が切れました', 'login-expired');
  letThrough(page, VIEW);
  await passLogin(page, login);
  await page.getByRole('rowheader').first().waitFor();
  await closeToasts(page);
}
