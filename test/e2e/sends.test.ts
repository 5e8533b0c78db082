import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import type { Visit } from './browser.ts';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';

/** What was sent, as its owner sees it: a run that outlives the browser, its mails, and the way back to each of them. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;

const open = async () => {
  opened = await enter(kaitaku.browser, kaitaku.url);
  page = opened.page;
  await page.getByText('該当 1,000件').waitFor();
};

beforeAll(async () => {
  await open();
});

const state = () =>
  page
    .getByRole('status')
    .filter({ hasText: /送信中|終了|一時停止中/ })
    .first()
    .innerText();

async function confirm(button: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
}

/** Asks for 300 real mails, and waits until they are promised. */
async function send300(): Promise<void> {
  await page.getByRole('tab', { name: 'アタックリスト' }).click();
  await page.getByRole('switch', { name: '予約モード' }).click();
  await page.getByRole('switch', { name: 'テストモード' }).click();
  await page.getByLabel('取得件数').selectOption('300');
  await page.getByText('送信対象 300件').waitFor();
  await page.getByRole('button', { name: '送信', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: '送信', exact: true }).click();
  await page.getByRole('link', { name: '送信の詳細' }).waitFor();
}

test('a run of 300 goes on when the browser is closed, and its owner finds it in the history', async () => {
  await send300();
  await opened.leave();
  await eventually(
    () => kaitaku.mails(),
    (mails) => mails.length === 300,
    90_000,
  );

  await open();
  await page.getByRole('link', { name: '送信履歴' }).click();
  const row = page.getByRole('row').nth(1);
  await eventually(
    () => row.innerText(),
    (text) => /終了.*受発注業務の効率化のご提案.*300\s+300\s+0\s+0\s+0\s+0/s.test(text),
  );
});

test('each mail is there with the server’s answer and as it was sent', async () => {
  await page.getByRole('row').nth(1).getByRole('link').click();
  await page.waitForURL('**/sends/*');
  const first = page.getByRole('row').nth(1);
  await first.getByText('送信済み').waitFor();
  expect(await first.innerText()).toMatch(/250/);
  const company = await first.getByRole('rowheader').innerText();
  await first.getByRole('button', { name: `${company}へのメールを表示` }).click();
  const dialog = page.getByRole('dialog', { name: `${company}へのメール` });
  await dialog.getByText('受発注業務の効率化のご提案').waitFor();
  const frame = page.frameLocator('iframe[sandbox=""]');
  await frame.getByText(company).first().waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('a run that is paused stays as it is until it is resumed', async () => {
  await page.getByRole('link', { name: 'Kaitaku' }).click();
  await send300();
  await page.getByRole('link', { name: '送信の詳細' }).click();
  await confirm('一時停止');
  await page.getByText('一時停止しています。').waitFor();
  await eventually(async () => (await page.getByLabel('状態').innerText()).includes('送信中（0件）'), Boolean);
  const before = (await kaitaku.mails()).length;
  expect(before).toBeLessThan(600);
  await confirm('再開');
  await eventually(state, (text) => text === '終了', 90_000);
  expect(await kaitaku.mails()).toHaveLength(600);
  await opened.leave();
});
