import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Visit } from './browser.ts';
import { enter } from './demo.ts';
import { intercept, letThrough } from './intercept.ts';
import { shareScene } from './scene.ts';
import { companyName, openFilters, openSettings } from './walk-steps.ts';

/** Tests the attack list with a fast or mistaken user: mails go exactly to the companies shown. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;
let panel: Locator;

beforeAll(async () => {
  opened = await enter(kaitaku.browser, `${kaitaku.url}`, '/?tab=attack-list');
  page = opened.page;
  panel = page.getByRole('tabpanel', { name: 'アタックリスト' });
  await openFilters(page, true);
});

/** Whether the upper and lower edge of the focused element are in the window, and not covered. */
const FOCUS_IN_SIGHT = `(() => {
  const { x, top, bottom } = document.activeElement.getBoundingClientRect();
  return [top + 3, bottom - 3].every((y) => document.elementFromPoint(x + 12, y) === document.activeElement);
})()`;

const field = (label: string) => page.getByLabel(label, { exact: true });
const button = (name: string) => panel.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const warned = (words: string) => page.getByRole('alert').filter({ hasText: words }).waitFor();
const firstCompany = () => companyName(panel);

test('nobody is mailed because a typed filter is not applied yet or is invalid', async () => {
  const before = await firstCompany();
  const clicked = Promise.withResolvers<void>();
  await intercept(page, '/attack_list/preview', (route) => clicked.promise.then(() => route.continue()));
  await field('地域').fill('大阪');
  await button('テスト送信を予約').dispatchEvent('click');
  await expect.poll(() => dialog().count()).toBe(0);
  letThrough(page, '/attack_list/preview');
  clicked.resolve();
  await panel.getByRole('rowheader', { name: before }).waitFor({ state: 'detached' });

  await field('従業員数（下限）').fill('多い');
  for (const name of ['テスト送信を予約', 'メールを確認']) {
    await field('地域').focus();
    await button(name).click();
    await warned('絞り込みの条件に誤りがあります。修正するか、空にしてください');
    await expect.poll(() => dialog().count()).toBe(0);
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('従業員数（下限）');
  }
  await field('従業員数（下限）').fill('');

  const listed = await firstCompany();
  await field('地域').fill(Array.from({ length: 3000 }, (_, index) => `町${index}`).join('、'));
  await page.getByText('語は100個までにしてください').waitFor();
  await button('テスト送信を予約').click();
  await field('地域').and(page.locator(':focus')).waitFor();
  expect([await dialog().count(), await firstCompany()]).toStrictEqual([0, listed]);
  await field('地域').fill('大阪');
  await button('テスト送信を予約').click();
  await dialog().getByRole('button', { name: '10通のテスト送信を予約' }).waitFor();
  await page.keyboard.press('Escape');
  await field('地域').fill('');
  await panel.getByRole('rowheader', { name: before }).waitFor();
});

test.each([1440, 720, 390])('the help of the filters can be read at %i px', async (width) => {
  await page.setViewportSize({ width, height: 844 });
  await openFilters(page, true);
  const help = page.getByText('「、」かコンマで区切って複数入力できます。');
  await help.scrollIntoViewIfNeeded();
  const { x = -1, width: wide = 0 } = (await help.boundingBox()) ?? {};
  expect([x >= 0, wide > 100, x + wide <= width]).toStrictEqual([true, true, true]);
  await page.setViewportSize({ width: 1440, height: 900 });
});

/** Returns the rows that are wholly in the window, and not covered. */
const ROWS_IN_SIGHT = `[...document.querySelectorAll('[role=tabpanel] tbody tr')].filter((row) => {
  const { x, top, bottom } = row.getBoundingClientRect();
  return [top + 3, bottom - 3].every((y) => row.contains(document.elementFromPoint(x + 12, y)));
}).length`;

async function foldSettings(): Promise<void> {
  if ((await button('送信設定').getAttribute('aria-expanded')) === 'true') await button('送信設定').click();
}

test('at 1024×768 the list shows six targets or more, with filters and settings closed', async () => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await openFilters(page, false);
  await page.reload();
  await panel.getByRole('rowheader').nth(5).waitFor();
  await foldSettings();
  await expect
    .poll(() => page.getByRole('button', { name: '絞り込み', exact: true }).getAttribute('aria-expanded'))
    .toBe('false');
  expect(await page.evaluate('scrollY + document.querySelector("main").scrollTop')).toBe(0);
  expect(await page.evaluate<number>(ROWS_IN_SIGHT)).toBeGreaterThanOrEqual(6);
  await page.setViewportSize({ width: 1440, height: 900 });
});

/** Returns the top of an element without the strip's height, because some installations have no strip. */
const topOf = (selector: string) =>
  page.evaluate<number>(
    `document.querySelector('${selector}').getBoundingClientRect().top -
      (document.querySelector('main').getBoundingClientRect().top - document.querySelector('header').offsetHeight)`,
  );

test('the first target stands in the upper 45 % of 1440×900, also below the settings', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openFilters(page, false);
  await openSettings(page);
  expect(await topOf('[role=tabpanel] tbody tr')).toBeLessThanOrEqual(405);
  await foldSettings();
  // The settings stay folded, and a part of the sentence unfolds them at its control.
  await page.reload();
  await panel.getByRole('rowheader').first().waitFor();
  await expect.poll(() => button('送信設定').getAttribute('aria-expanded')).toBe('false');
  await button('7日').click();
  await field('再送信間隔（日）').and(page.locator(':focus')).waitFor();
});

test('on a phone a target is a card of two lines, above the bar with their number and the button', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await panel.getByRole('rowheader').first().waitFor();
  const height = (selector: string) =>
    page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().height`);
  expect(await height('[role=tabpanel] tbody tr')).toBeLessThanOrEqual(96);
  // 56 px and the line above.
  expect(await height('[data-page-action]')).toBe(57);
  await page.locator('[data-page-action]').getByText('10通').waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('exclusions and chosen companies belong to their tab, and survive its reload', async () => {
  const other = await enter(kaitaku.browser, `${kaitaku.url}`, '/');
  const list = other.page;
  const rows = list.getByRole('tabpanel').getByRole('row');
  for (const row of [1, 2, 3]) await rows.nth(row).getByRole('checkbox').check();
  await list.getByRole('button', { name: '3社に送る' }).click();
  await list.getByText('選んだ3社', { exact: true }).waitFor();
  await list.getByRole('checkbox').first().uncheck();
  await list.getByRole('button', { name: 'すべて戻す' }).waitFor();
  await list.reload();
  await list.getByRole('button', { name: '選んだ2社分' }).waitFor();
  await expect.poll(() => list.getByText('今回は外します').count()).toBe(1);
  await page.reload();
  await panel.getByRole('button', { name: '10社分' }).waitFor();
  await other.leave();
});

test('on a phone all reasons for left-out companies are visible', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const left_out = {
    inactive: 1200,
    no_email: 310,
    suppressed: 42,
    replied: 6,
    refused_by_notice: 5,
    reserved: 10,
    open_delivery: 7,
    rejected: 8,
    recently_sent: 31,
  };
  await intercept(page, '/attack_list/preview', (route) =>
    route.fulfill({ json: { rows: [], matched: 1600, eligible: 0, left_out } }),
  );
  await page.reload();
  await panel.getByRole('button', { name: '再送信間隔内に送信済み 31社' }).waitFor();
  const ends = await page.evaluate<number[]>(
    `[...document.querySelectorAll('[role=tabpanel] button[aria-haspopup=dialog]')]
      .filter((button) => /社$/.test(button.innerText)).map((reason) => reason.getBoundingClientRect().right)`,
  );
  // A message must be visible too, to its end.
  await button('テスト送信を予約').click();
  await warned('アタックリストが0件です');
  const toast = await page.evaluate<number>(
    `document.querySelector('[aria-atomic] [role=group]').getBoundingClientRect().right`,
  );
  expect(toast).toBeLessThanOrEqual(390);
  expect(ends).toHaveLength(Object.keys(left_out).length);
  for (const right of ends) expect(right).toBeLessThanOrEqual(390);
  letThrough(page, '/attack_list/preview');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
});

test('on a phone a focused field is not under the docked button', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  const fold = button('送信設定');
  await fold.waitFor();
  if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
  const days = field('再送信間隔（日）');
  await days.focus();
  // Shortens the window to end below the field: it has the focus, so the browser alone would not scroll.
  const bottom = await page.evaluate<number>('document.activeElement.getBoundingClientRect().bottom');
  await page.setViewportSize({ width: 390, height: Math.ceil(bottom) + 2 });
  expect(await page.evaluate<boolean>(FOCUS_IN_SIGHT)).toBe(false);
  await days.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await page.locator(':focus').and(days).waitFor();
  expect(await page.evaluate<boolean>(FOCUS_IN_SIGHT)).toBe(true);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
});

test('in forced colours the selected tab and page differ from the others', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  await page.getByRole('tab', { name: '見込み客リスト' }).click();
  await page.getByRole('button', { name: '2ページ目' }).waitFor();
  const backgrounds = (selector: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('${selector}')].map((element) => getComputedStyle(element).backgroundColor)`,
    );
  for (const [selected, other] of [
    ['[role=tab][aria-selected=true]', '[role=tab][aria-selected=false]'],
    ['main nav [aria-current=page]', 'main nav button[aria-label$="ページ目"]:not([aria-current])'],
  ] as const) {
    const [others, mine] = [await backgrounds(other), await backgrounds(selected)];
    expect([selected, mine.length, others.length > 1]).toStrictEqual([selected, 1, true]);
    expect(others).not.toContain(mine[0]);
  }
  await page.emulateMedia({ forcedColors: null });
});

test('the console has no messages', () => opened.leave());
