import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Run } from '#contract/runs.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import type { Client } from '#test/client.ts';
import { eventually } from '#test/sending.ts';
import type { Visit } from './browser.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { press, pressOrder, tab, tickWarnings, toggle } from './walk-steps.ts';

/** A real send that is taken back in another tab, and one that nobody watches. */
const kaitaku = shareScene();
let client: Client;
let opened: Visit;
let page: Page;

beforeAll(async () => {
  client = await demoClient(kaitaku.url);
  opened = await enter(kaitaku.browser, kaitaku.url, '/settings/sending');
  page = opened.page;
});

/** The newest run of the history. */
async function newestRun() {
  const { rows } = (await client.get('/send_log/view')).body as { rows: Run[] };
  return rows[0] ?? expect.unreachable();
}

const line = (of: Page) => of.getByRole('region', { name: /^10社に送信します。 ?あと \d+秒$/ });
const told = (of: Page) => of.getByText('送信を取り消しました。1通も送っていません').first().waitFor();

/** Sends to ten companies from the attack list. */
async function send(): Promise<void> {
  await pressOrder(page);
  await page.getByText(/^送信から\d+秒の間は取り消せます。/).waitFor();
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: '10社に送信' }).click();
  await line(page).waitFor();
}

test('it shows in all tabs, stays after a reload, and one press in another tab takes it back', async () => {
  const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
  await page.getByLabel('送信の取り消し').selectOption('60秒');
  await stored;
  await page.goto(kaitaku.url);
  await tab(page, 'アタックリスト');
  await toggle(page, 'テストモード');
  await toggle(page, '予約モード');
  // A session belongs to its tab.
  const { page: other, leave } = await enter(kaitaku.browser, kaitaku.url, '/sends');
  await other.getByRole('heading', { name: '送信履歴' }).waitFor();
  await send();
  await line(other).waitFor();
  await page.reload();
  await line(page).waitFor();
  expect(await page.getByRole('button', { name: /^メールを送信中/ }).count()).toBe(0);
  await press(other, '送信を取り消す');
  await told(other);
  await told(page);
  await line(page).waitFor({ state: 'detached' });
  expect(await newestRun()).toMatchObject({ queued: 0, cancelled: 10 });
  expect(await kaitaku.mails()).toStrictEqual([]);
  await leave();
});

test('its companies are free at once; the next send leaves after its window, though every tab is closed', async () => {
  await client.put('/account_rule', { update_info: { undo_seconds: 30 } });
  await page.goto(`${kaitaku.url}/?tab=attack-list`);
  await send();
  await opened.leave();
  const { queued, starts_at } = await newestRun();
  expect(queued).toBe(10);
  const mails = (least: number) => eventually(kaitaku.mails, ({ length }) => length >= least, 60_000);
  await mails(1);
  expect(Date.now()).toBeGreaterThanOrEqual(parseDateTime(starts_at ?? '') ?? expect.unreachable());
  expect(await mails(10)).toHaveLength(10);
});
