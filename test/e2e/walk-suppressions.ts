import type { Page } from 'playwright-core';
import type { SuppressionRow } from '#contract/answers/suppressions.ts';
import { intercept, letThrough } from './intercept.ts';
import { closeToasts, field, openBar, press, refuse, unfold, when, whenLoaded } from './walk-steps.ts';

const VIEW = '/suppression/view';
const FILE = '\ufeffメールアドレス\r\ncontact@mizuhono-foods.example\r\nexample.co.jp\r\n@co.jp\r\n';

/** An address that its server does not know. */
export const DEAD: SuppressionRow = {
  id: 999_999,
  kind: 'address',
  value: 'soumu@hikari-seisakusho.example',
  class: 'undeliverable',
  source: 'smtp',
  reason: '550 5.1.1 <soumu@hikari-seisakusho.example>: Recipient address rejected: User unknown',
  opt_out_reason: null,
  note: '',
  created_at: '2026/11/29 00:50:00',
  created_by: null,
  delivery_id: null,
  send_log_id: null,
  companies: [],
  companies_total: 0,
};

/** Walks through the addresses that get no mail: the list, adding by hand and by file, and lifting. */
export async function* suppressions(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, VIEW, (route) => route.fulfill({ json: { rows: [], total: 0, addresses: 0, domains: 0 } }));
  await page.goto(`${url}/suppressions`);
  yield* when(page, '配信停止のアドレスはありません', 'suppressions-none');
  letThrough(page, VIEW);
  yield* adding(page);
  yield* byFile(page);
  await page.getByRole('rowheader', { name: 'contact@mizuhono-foods.example' }).waitFor();
  await closeToasts(page);
  await intercept(page, VIEW, async (route) => {
    const view = (await (await route.fetch()).json()) as { readonly rows: readonly object[] };
    await route.fulfill({ json: { ...view, rows: [DEAD, ...view.rows] } });
  });
  await page.reload();
  await press(page, 'サーバーの応答');
  yield* whenLoaded(page, 'suppressions');
  // The answer lies above the buttons of the rows below.
  await page.keyboard.press('Escape');
  letThrough(page, VIEW);
  yield* lifting(page);
  await openBar(page);
  await field(page, 'アドレス・会社名で探す').fill('此処には無い');
  yield* when(page, '条件に合う配信停止がありません', 'suppressions-no-match');
  await intercept(page, VIEW, refuse);
  await page.reload();
  yield* when(page, '読み込めませんでした', 'suppressions-failed');
  letThrough(page, VIEW);
}

async function* adding(page: Page): AsyncGenerator<string> {
  await press(page, '追加');
  const values = field(page, 'アドレスかドメイン（必須）');
  await values.fill('info@shinei-advisory.example\n\n@co.jp');
  await press(page, '内容を確認');
  yield* when(page, /^3行目：/, 'suppressions-add-refused');
  await values.fill('info@shinei-advisory.example\n@harima.example.jp');
  await field(page, 'メモ').fill('電話で受付');
  await page.getByRole('dialog').getByLabel('理由').selectOption({ label: '本人の希望' });
  await press(page, '内容を確認');
  yield* when(page, '登録する 2件', 'suppressions-add');
  await press(page, '2件を登録');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function* byFile(page: Page): AsyncGenerator<string> {
  // A toast covers the button.
  await closeToasts(page);
  await press(page, 'CSVを取り込む');
  const file = { name: '配信停止.csv', mimeType: 'text/csv', buffer: Buffer.from(FILE) };
  await page.getByLabel('ファイル（必須）').setInputFiles(file);
  await press(page, '内容を確認');
  await page.getByText('読めない行 2行（飛ばします）').click();
  yield* when(page, '登録する 1件', 'suppressions-import');
  await press(page, '1件を登録');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Lifts all suppressions that the walk has added, so that the next walk finds the same list. */
async function* lifting(page: Page): AsyncGenerator<string> {
  await unfold(page, 'contact@mizuhono-foods.exampleのほかの項目');
  await press(page, 'contact@mizuhono-foods.exampleを解除');
  yield* when(page, 'contact@mizuhono-foods.exampleの配信停止を解除しますか？', 'suppressions-lift');
  await page.getByRole('dialog').getByRole('button', { name: '解除', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await unfold(page, 'info@shinei-advisory.exampleのほかの項目');
  await press(page, 'info@shinei-advisory.exampleを、理由を記録して解除');
  const lift = page.getByRole('dialog').getByRole('button', { name: '理由を記録して解除' });
  await lift.click();
  await page.getByText('解除の理由を選んでください').waitFor();
  await field(page, '解除の理由（必須）').selectOption({ label: '本人から再開の依頼' });
  yield* when(page, '本人が同意した日', 'suppressions-lift-refused');
  await lift.click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await unfold(page, '@harima.example.jpのほかの項目');
  await press(page, '@harima.example.jpを、理由を記録して解除');
  await field(page, '解除の理由（必須）').selectOption({ label: '登録の誤り' });
  await lift.click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await closeToasts(page);
}
