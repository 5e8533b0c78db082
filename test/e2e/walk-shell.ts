import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, RUN, when, whenLoaded } from './walk-steps.ts';

const FIND = '会社名・人・テンプレート・画面を探す';

/** Walks through the frame: the palette, the list of keyboard shortcuts, and the menu of phones. */
export async function* shell(page: Page): AsyncGenerator<string> {
  await page.getByRole('button', { name: '検索', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: FIND }).waitFor();
  yield* whenLoaded(page, 'palette');
  await page.getByRole('combobox', { name: FIND }).fill('此処には無い');
  yield* when(page, '見つかりません', 'palette-none');
  await page.getByRole('combobox', { name: FIND }).fill('株式会社');
  yield* when(page, /^見込み客リストで\d+社を見る/, 'palette-companies');
  await closeDialog(page);
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'キーボードの操作' }).waitFor();
  yield* whenLoaded(page, 'keys');
  await closeDialog(page);
  const menu = page.getByRole('button', { name: /のメニュー$/ });
  if ((await menu.count()) === 0) return;
  await menu.click();
  yield* whenLoaded(page, 'menu');
  await page.keyboard.press('Escape');
}

const RUNS = /\/api\/v1\/send_log\/view\?/;
const REFUSED = { finished: false, queued: 3, sent: 7, paused_by: 'sender_refused' };

/** Shows the strip about a run that the server has stopped. */
export async function* stoppedStrip(page: Page): AsyncGenerator<string> {
  await intercept(page, RUN, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...((await response.json()) as object), ...REFUSED } });
  });
  await intercept(page, RUNS, async (route) => {
    const response = await route.fetch();
    const { rows, total } = (await response.json()) as { rows: object[]; total: number };
    await route.fulfill({
      json: { rows: rows.map((row, n) => (n > 0 ? row : { ...row, ...REFUSED })), total },
    });
  });
  // The run's own page says it itself.
  await page.goto(new URL('/sends', page.url()).href);
  yield* when(page, '送信を止めています：差出人の拒否', 'strip-stopped');
  letThrough(page, RUN);
  letThrough(page, RUNS);
}
