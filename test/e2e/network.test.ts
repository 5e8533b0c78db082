import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDemo } from '#server/features/demo/demo.command.ts';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { browserOfWorker, hold, type Visit } from './browser.ts';
import { enter, PAGE_SIZE } from './demo.ts';
import { type RunningKaitaku, startFresh } from './fresh-start.ts';
import { letThrough } from './intercept.ts';
import { companyName, openFilters, openSelects, openSettings } from './walk-steps.ts';

/** Tests a slow network, and a server that is down: the page shows nothing false and does nothing twice. */
let kaitaku: RunningKaitaku;
let database: TestDatabase;
const browser = browserOfWorker();
let opened: Visit;
let page: Page;

// A separate program, because the test stops and restarts it.
beforeAll(async () => {
  database = await createTestDatabase();
  await makeDemo(database);
  kaitaku = await startFresh({ DATABASE_URL: database.url });
  await open();
});

afterAll(async () => {
  await kaitaku?.stop();
  await database?.drop();
});

async function open(): Promise<void> {
  opened = await enter(browser, kaitaku.url);
  page = opened.page;
  await page.getByRole('rowheader').first().waitFor();
  await openWholeFilters(page);
}

/** Opens the filters, whose own fields load later. */
async function openWholeFilters(on: Page): Promise<void> {
  await openFilters(on, true);
  await on.getByRole('group', { name: '項目で絞り込む' }).waitFor();
}

const UNREACHABLE = 'サーバーに接続できませんでした。時間をおいて、やり直してください';

async function clear(): Promise<void> {
  await page.getByRole('button', { name: '条件をクリア' }).first().click();
  await page.getByText('該当 1,000社').waitFor();
}

const switchOf = (company: string, checked: boolean) =>
  page.getByRole('switch', { name: `${company}への配信`, checked });

/** Waits until the server has stored the switch's value: leaving the page would cancel the request. */
async function stored(company: string, checked: boolean): Promise<void> {
  await switchOf(company, checked).waitFor();
  await page.locator('[role=switch][aria-disabled=true]').waitFor({ state: 'detached' });
}

test('an older, slower answer never replaces a newer one', async () => {
  const address = (text: string) => new RegExp(`prospect/view\\?.*address=${encodeURIComponent(text)}(&|$)`);
  const slow = await hold(page, address('東京'));
  const givenUp = page.waitForEvent('requestfailed', (request) => address('東京').test(request.url()));
  const region = page.getByLabel('地域', { exact: true });
  const asked = page.waitForRequest(address('東京'));
  await region.fill('東京');
  await asked;
  await page.locator('[aria-busy=true]').first().waitFor();
  // The previous rows stay until new ones arrive.
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(PAGE_SIZE);
  await region.fill('大阪');
  expect((await givenUp).failure()?.errorText).toBe('net::ERR_ABORTED');
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  slow.letGo();
  const shown = await page.getByRole('grid').getByRole('rowgroup').nth(1).getByRole('row').allTextContents();
  for (const row of shown) expect(row).toContain('大阪');
  await clear();
});

test('a switch is busy while its request runs, and keeps its place for the keyboard', async () => {
  const company = await companyName(page);
  const slow = await hold(page, /active_prospect/);
  await switchOf(company, true).focus();
  await page.keyboard.press('Space');
  const off = switchOf(company, false);
  await off.waitFor();
  await expect.poll(() => off.getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Space');
  slow.letGo();
  await page.locator('[role=switch][aria-disabled=true]').waitFor({ state: 'detached' });
  expect(slow.seen).toHaveLength(1);
  await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe(`${company}への配信`);
  await page.keyboard.press('Space');
  await stored(company, true);
});

test('a switch used while another filter loads keeps both', async () => {
  const company = await companyName(page);
  const slow = await hold(page, /prospect\/view\?/);
  await page.getByLabel('代表メール', { exact: true }).fill('@');
  await page.locator('[aria-busy=true]').first().waitFor();
  await switchOf(company, true).click();
  await page.locator('[role=switch][aria-disabled=true]').waitFor({ state: 'detached' });
  slow.letGo();
  await page.getByText(/^該当 \d{3}社$/).waitFor();
  await switchOf(company, false).waitFor();
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  await switchOf(company, false).click();
  await stored(company, true);
  await clear();
});

/**
 * Stores the positions of all controls that a user may be about to press.
 * Except the answer's own content, what follows its last row (the pager), and a docked button, which stands above the
 * bar that comes back when typing ends.
 */
const REMEMBER = `(() => {
  const table = document.querySelector('table');
  const isBelow = (element) => table?.compareDocumentPosition(element) === 4;
  const scrolled = (element) => (getComputedStyle(element).position === 'fixed' ? 0 : scrollY);
  window.placeOf = (element) => {
    const { x, y } = element.getBoundingClientRect();
    return { x, y: y + scrolled(element) };
  };
  window.stood = [...document.querySelectorAll('h1, h2, header, label, thead, nav, [role=tab], main button')]
    .filter((element) => !element.closest('tbody, nav *, [data-page-action]') && !isBelow(element) && element.checkVisibility())
    .map((element) => [element, placeOf(element)]);
})()`;
/** A list that turns out to be empty loses its head. */
const MOVED = `stood.filter(([element]) => element.checkVisibility()).flatMap(([element, { x, y }]) => {
  const now = placeOf(element);
  const by = Math.max(Math.abs(now.x - x), Math.abs(now.y - y));
  return by > 1 ? [element.localName + ' ' + element.innerText.slice(0, 20) + ' moved by ' + by + ' px'] : [];
})`;

/** Without the tags of the filter, which are asked for beside the list and later. */
const CALLS = /\/api\/v1\/(?!send_log\/events|tag\/list)/;
const TWO_FRAMES = 'new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))';

test.each([
  ['a desk', { width: 1440, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
])('what an answer brings late moves nothing else on %s', async (_name, size) => {
  const { page, leave } = await enter(browser, kaitaku.url, '/', size);
  await page.getByRole('rowheader').first().waitFor();
  const tab = (name: string) => page.getByRole('tab', { name }).click();
  const select = (label: string, option: string) =>
    page.getByLabel(label, { exact: true }).selectOption({ label: option });
  await openWholeFilters(page);
  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    status: () => select('送信状況', '未送信'),
    filter: () => page.getByLabel('地域', { exact: true }).fill('大阪'),
    size: () => select('表示件数', '50件'),
    page: () => page.getByRole('button', { name: '次のページ' }).click(),
    clear: () => page.getByRole('button', { name: '条件をクリア' }).first().click(),
    reservations: () => tab('予約リスト'),
    attackList: () => tab('アタックリスト'),
    limit: async () => {
      await openSettings(page);
      await select('取得件数', '50社');
    },
    group: async () => {
      await openSelects(page);
      await select('送信者グループ', '西日本営業部');
    },
    prospects: () => tab('見込み客リスト'),
    sends: () => page.getByRole('link', { name: '送信履歴' }).click(),
    account: async () => {
      // On phones it is in a menu.
      const menu = page.getByRole('button', { name: /のメニュー$/ });
      if ((await menu.count()) > 0) await menu.click();
      await page.getByRole('link', { name: 'アカウント' }).click();
    },
  };
  const moved: Record<string, string[]> = {};
  for (const [name, step] of Object.entries(steps)) {
    const late = await hold(page, CALLS);
    const asks = page
      .waitForRequest(CALLS)
      .catch((error: Error) => Promise.reject(new Error(`${name}: ${error.message}`)));
    const [asked] = await Promise.all([asks, step()]);
    // The waiting state has been painted.
    await page.evaluate(TWO_FRAMES);
    await page.evaluate(REMEMBER);
    late.letGo();
    await (await asked.response())?.finished();
    await page.evaluate(TWO_FRAMES);
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    const found = await page.evaluate<string[]>(MOVED);
    if (found.length > 0) moved[name] = found;
    letThrough(page, CALLS);
  }
  expect(moved).toStrictEqual({});
  await leave();
});

test('while the server is down the page says so and undoes nothing; later, work continues without a reload', async () => {
  await opened.leave();
  await open();
  const company = await companyName(page);
  const begin = await page.evaluate('performance.timeOrigin');
  await kaitaku.goDown();

  await switchOf(company, true).click();
  await page.getByText(UNREACHABLE).first().waitFor();
  // The switch shows the server's value.
  await switchOf(company, true).waitFor();
  await page
    .getByRole('button', { name: /の備考を編集$/ })
    .first()
    .click();
  await page.locator('textarea').fill('つながったら保存する');
  await page.locator('textarea').press('Enter');
  // The field shows the reason too, and keeps it.
  await page.locator('textarea[aria-busy=false][aria-invalid=true]').waitFor();
  await expect.poll(() => page.locator('textarea + p').innerText()).toBe(UNREACHABLE);
  await page.getByLabel('業種', { exact: true }).fill('製造');
  await page.getByText('読み込めませんでした').waitFor();
  await expect.poll(() => page.getByLabel('業種', { exact: true }).inputValue()).toBe('製造');

  await kaitaku.comeBack();
  await page.getByRole('tabpanel').getByRole('button', { name: '再読み込み' }).click();
  await page.getByText(/^該当 \d{1,3}社/).waitFor();
  await clear();
  await expect.poll(() => page.locator('textarea').inputValue()).toBe('つながったら保存する');
  await page.locator('textarea').press('Enter');
  await page.getByRole('button', { name: /^つながったら保存する/ }).waitFor();
  await switchOf(company, true).click();
  await switchOf(company, false).waitFor();
  expect(await page.evaluate('performance.timeOrigin')).toBe(begin);
  // A request may have been pending.
  const cut = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING/;
  await opened.leave(cut);
});
