import type { Page } from 'playwright-core';
import { closeDialog, RUN, when, whenLoaded } from './walk-steps.ts';

const FIND = '会社名・テンプレート・画面を探す';

/** Opens the palette by its key. On a loaded machine the key has once come before the frame listened to it. */
async function openPalette(page: Page): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1) {
    await page.keyboard.press('Control+k');
    const isOpen = page.getByRole('combobox', { name: FIND }).waitFor({ timeout: 6000 });
    if (await isOpen.then(() => true).catch(() => false)) return;
  }
}

/** Walks through the frame: the palette, the list of keys, and the menu of phones. */
export async function* shell(page: Page): AsyncGenerator<string> {
  await openPalette(page);
  yield* when(page, '↑↓で選び、Enterで開きます。', 'palette');
  await page.getByRole('combobox', { name: FIND }).fill('此処には無い');
  yield* when(page, '見つかりません', 'palette-none');
  await page.getByRole('combobox', { name: FIND }).fill('株式会社');
  yield* when(page, /^見込み客リストで\d+件を見る/, 'palette-companies');
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
const REFUSED = { finished: false, queued: 3, paused_by: 'sender_refused' };

/** Shows the strip of a run that the server has stopped. */
export async function* stoppedStrip(page: Page): AsyncGenerator<string> {
  await page.route(RUN, async (route) => {
    if (route.request().url().endsWith('events')) return route.abort();
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), ...REFUSED } });
  });
  await page.route(RUNS, async (route) => {
    const response = await route.fetch();
    const { rows, total } = (await response.json()) as { rows: object[]; total: number };
    await route.fulfill({
      response,
      json: { rows: rows.map((row, n) => (n > 0 ? row : { ...row, ...REFUSED })), total },
    });
  });
  await page.reload();
  yield* when(page, '送信を止めています：差出人の拒否', 'strip-stopped');
  await page.unroute(RUN);
  await page.unroute(RUNS);
  await page.reload();
  await page.getByRole('button', { name: /の進み具合を閉じる$/ }).click();
}
