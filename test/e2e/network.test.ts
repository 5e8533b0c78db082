import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDemo } from '#server/features/demo/demo.command.ts';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { launchBrowser } from './browser.ts';
import { enter } from './demo.ts';
import { type RunningKaitaku, startFresh } from './fresh-start.ts';

/** A network that is slow, and a server that is gone for a while: nothing is shown that is not so, nothing happens twice. */
let kaitaku: RunningKaitaku;
let database: TestDatabase;
let browser: Browser;

// Not the shared one: it goes down, and comes back.
beforeAll(async () => {
  database = await createTestDatabase();
  await makeDemo(database);
  [kaitaku, browser] = await Promise.all([startFresh({ DATABASE_URL: database.url }), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await kaitaku?.stop();
  await database?.drop();
});

const UNREACHABLE = 'サーバーに接続できませんでした。時間をおいて、やり直してください';

async function open() {
  const opened = await enter(browser, kaitaku.url);
  await opened.page.getByRole('rowheader').first().waitFor();
  return opened;
}

const firstCompany = (page: Page) => page.getByRole('rowheader').first().innerText();
const switchOf = (page: Page, company: string, checked: boolean) =>
  page.getByRole('switch', { name: `${company}への配信`, checked });

/** Holds the requests that match until they are let go. */
async function hold(page: Page, url: RegExp) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: string[] = [];
  await page.route(url, async (route: Route) => {
    seen.push(route.request().url());
    await promise;
    // It may have been given up in the meantime.
    await route.continue().catch(() => undefined);
  });
  return { seen, letGo: resolve };
}

test('an older, slower answer never takes the place of a newer one', async () => {
  const { page, leave } = await open();
  const address = (text: string) => new RegExp(`prospect/view\\?.*address=${encodeURIComponent(text)}(&|$)`);
  const slow = await hold(page, address('東京'));
  const givenUp = page.waitForEvent('requestfailed', (request) => address('東京').test(request.url()));
  const region = page.getByLabel('地域', { exact: true });
  const asked = page.waitForRequest(address('東京'));
  await region.fill('東京');
  await asked;
  await page.locator('[aria-busy=true]').first().waitFor();
  // What was there stays until there is something else.
  expect(await page.getByRole('rowheader').count()).toBe(50);
  await region.fill('大阪');
  expect((await givenUp).failure()?.errorText).toBe('net::ERR_ABORTED');
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  slow.letGo();
  const shown = await page.getByRole('table').getByRole('rowgroup').nth(1).getByRole('row').allInnerTexts();
  for (const row of shown) expect(row).toContain('大阪');
  await leave();
});

test('a switch is busy while its request runs, and keeps its place for the keyboard', async () => {
  const { page, leave } = await open();
  const company = await firstCompany(page);
  const slow = await hold(page, /active_prospect/);
  await switchOf(page, company, true).focus();
  await page.keyboard.press('Space');
  const off = switchOf(page, company, false);
  await off.waitFor();
  expect(await off.getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Space');
  slow.letGo();
  await page.locator('[role=switch][aria-disabled=true]').waitFor({ state: 'detached' });
  expect(slow.seen).toHaveLength(1);
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe(`${company}への配信`);
  await page.keyboard.press('Space');
  await switchOf(page, company, true).waitFor();
  await leave();
});

test('a slow reservation is made once, however often it is pressed', async () => {
  const { page, leave } = await open();
  await page.getByRole('tab', { name: 'アタックリスト' }).click();
  await page.getByRole('rowheader').first().waitFor();
  await page.getByRole('button', { name: '予約', exact: true }).click();
  const slow = await hold(page, /api\/v1\/reservation$/);
  const confirm = page.getByRole('dialog').getByRole('button', { name: '予約', exact: true });
  await confirm.click();
  await page.getByRole('dialog').getByText('メールを予約中').waitFor();
  await confirm.click({ force: true });
  await page.keyboard.press('Escape');
  slow.letGo();
  await page.getByText('メールが予約されました').waitFor();
  expect(slow.seen).toHaveLength(1);
  await leave();
});

test('while the server is gone it says so and takes nothing back; when it is back, work goes on without a reload', async () => {
  const { page, leave } = await open();
  const company = await firstCompany(page);
  const begin = await page.evaluate('performance.timeOrigin');
  await kaitaku.goDown();

  await switchOf(page, company, true).click();
  await page.getByText(UNREACHABLE).first().waitFor();
  // It shows what the server has.
  await switchOf(page, company, true).waitFor();
  await page
    .getByRole('button', { name: /の備考を編集$/ })
    .first()
    .click();
  await page.locator('textarea').fill('つながったら保存する');
  await page.locator('textarea').press('Enter');
  await page.locator('textarea[aria-busy=false]').waitFor();
  await page.getByLabel('業種', { exact: true }).fill('製造');
  await page.getByText('読み込めませんでした').waitFor();
  expect(await page.getByLabel('業種', { exact: true }).inputValue()).toBe('製造');

  await kaitaku.comeBack();
  await page.getByRole('button', { name: '再読み込み' }).click();
  await page.getByText(/^該当 \d{1,3}件/).waitFor();
  await page.getByRole('button', { name: '条件をクリア' }).click();
  await page.getByText('該当 1,000件').waitFor();
  expect(await page.locator('textarea').inputValue()).toBe('つながったら保存する');
  await page.locator('textarea').press('Enter');
  await page.getByRole('button', { name: /^つながったら保存する/ }).waitFor();
  await switchOf(page, company, true).click();
  await switchOf(page, company, false).waitFor();
  expect(await page.evaluate('performance.timeOrigin')).toBe(begin);
  await leave(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
});
