import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import {
  chooseDay,
  closeDialog,
  field,
  offeredDays,
  openSettings,
  PREVIEW,
  press,
  pressOrder,
  tab,
  toggle,
  when,
  whenLoaded,
} from './walk-steps.ts';

const WARNINGS = [
  { kind: 'blank_field', text: 'person_in_charge' },
  { kind: 'doubled_honorific', text: '御中様' },
];
const REFUSED = { message: '差し込み項目を置き換えられませんでした', code: 'invalid_request' };

/** Selects a morning for sending and a later day for meetings, at any hour of the walk. */
async function* chooseDays(page: Page): AsyncGenerator<string> {
  const { 2: day = '', 4: later = '' } = await offeredDays(page, '予約日時');
  await field(page, '予約日時').click();
  yield* whenLoaded(page, 'attack-list-days');
  await page.keyboard.press('Escape');
  await chooseDay(page, '予約日時', day);
  await field(page, '時刻').selectOption('9:00');
  await chooseDay(page, '候補日1', later);
}

/** Walks to the list of chosen companies, and back. */
async function* chosenCompanies(page: Page): AsyncGenerator<string> {
  await tab(page, '見込み客リスト');
  const rows = page.getByRole('tabpanel').getByRole('row');
  for (const row of [1, 2]) await rows.nth(row).getByRole('checkbox').check();
  await press(page, '2社に送る');
  yield* when(page, '選んだ会社だけのリストです。', 'attack-list-chosen');
  await press(page, '選んだ会社のリストを終了');
}

export async function* attackList(page: Page): AsyncGenerator<string> {
  await tab(page, 'アタックリスト');
  await openSettings(page);
  await field(page, 'テスト送信先').fill('test+[n]@kaitaku-demo.example');
  yield* when(page, 'test+1@kaitaku-demo.example', 'attack-list');
  await page.getByRole('tabpanel').getByRole('row').nth(2).getByRole('checkbox').uncheck();
  yield* when(page, '今回は外します', 'attack-list-aside');
  await press(page, 'すべて戻す');
  yield* chosenCompanies(page);
  await toggle(page, '候補日を入れる');
  yield* chooseDays(page);
  await press(page, '候補日を追加');
  yield* whenLoaded(page, 'attack-list-candidate-dates');
  const end = page.getByRole('group', { name: '候補日1の日時' }).getByLabel('終了時刻');
  await end.selectOption('8:00');
  await end.and(page.locator('[aria-invalid]')).waitFor();
  yield* whenLoaded(page, 'attack-list-candidate-fault');
  await end.selectOption('18:00');
  await field(page, 'テスト送信先').fill('');
  await pressOrder(page);
  yield* when(page, 'テスト送信先が入力されていません', 'attack-list-fault');
  await field(page, 'テスト送信先').fill('test+[n]@kaitaku-demo.example');
  await page.getByRole('button', { name: /^メールアドレスなし \d+社$/ }).click();
  await page.getByRole('dialog').getByRole('rowheader').first().waitFor();
  yield* whenLoaded(page, 'left-out');
  await closeDialog(page);
  await press(page, 'メールを確認');
  yield* when(page, '差し込み項目と敬称に問題はありません', 'mail-preview');
  await tab(page, 'テキスト');
  yield* whenLoaded(page, 'mail-preview-text');
  await closeDialog(page);
  await intercept(page, PREVIEW, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { mail: object };
    await route.fulfill({ json: { ...answer, mail: { ...answer.mail, warnings: WARNINGS } } });
  });
  await press(page, 'メールを確認');
  await page.getByRole('list', { name: '送信前に確認が必要な点' }).waitFor();
  yield* whenLoaded(page, 'mail-preview-warnings');
  await closeDialog(page);
  letThrough(page, PREVIEW);
  await intercept(page, PREVIEW, (route) => route.fulfill({ status: 400, json: REFUSED }));
  await press(page, 'メールを確認');
  yield* when(page, REFUSED.message, 'mail-preview-failed');
  await closeDialog(page);
  letThrough(page, PREVIEW);
}
