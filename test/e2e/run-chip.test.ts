import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import type { Size, Visit } from './browser.ts';
import { enter } from './demo.ts';
import { intercept } from './intercept.ts';
import { shareScene } from './scene.ts';
import { EVENTS, press, pressOrder, RUN, tab, tickWarnings, toggle } from './walk-steps.ts';

/** Tests that an open run covers nothing: neither its panel, nor its chip, nor the toasts about its end. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;
/** The navigation's entries at 1024 px before the run. */
let entries: string[] = [];
/** Whether the page gets answers in which half of the mails have an outcome, regardless of the real number. */
let isHalfWay = true;

const SIZES: readonly (readonly [string, Size])[] = [
  ['a desk', { width: 1440, height: 900 }],
  ['a small desk', { width: 1024, height: 768 }],
  ['a phone', { width: 390, height: 844 }],
];
const chip = () => page.getByRole('button', { name: /^メールを送信中/ });
const panel = () => page.getByRole('region', { name: /^メールを送信中/ });

const entriesShown = () => page.locator('header nav li:not([data-folded])').allInnerTexts();

/** Returns the element that covers the middle of the focused one. */
const COVER = `(() => {
  const focused = document.activeElement;
  const { x, y, width, height } = focused.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return top !== null && (focused.contains(top) || top.contains(focused))
    ? [] : [(focused.innerText || focused.ariaLabel || focused.id) + ' lies under ' + top?.className];
})()`;

beforeAll(async () => {
  opened = await enter(kaitaku.browser, kaitaku.url, '/imports');
  page = opened.page;
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.getByRole('heading', { level: 1 }).waitFor();
  entries = await entriesShown();
  await page.setViewportSize({ width: 1440, height: 900 });
  await intercept(page, EVENTS, (route) => route.abort());
  await intercept(page, RUN, async (route) => {
    const run = (await (await route.fetch()).json()) as object;
    await route.fulfill({
      json: isHalfWay ? { ...run, queued: 6, sending: 0, sent: 4, finished: false } : run,
    });
  });
  await page.goto(kaitaku.url);
  await tab(page, 'アタックリスト');
  await toggle(page, '予約モード');
  await pressOrder(page);
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: /送信$/ }).click();
  await panel().waitFor();
});

test('the panel stands above the page, which it pushes down, until the next action', async () => {
  const main = async () => (await page.getByRole('main').boundingBox())?.y ?? 0;
  const { y = 0, height = 0 } = (await panel().boundingBox()) ?? {};
  const before = await main();
  expect(before).toBeGreaterThanOrEqual(y + height);
  // If the answer is slow, what the panel pushes down counts as a layout shift.
  expect(height).toBeLessThanOrEqual(52);
  await tab(page, '見込み客リスト');
  await panel().waitFor({ state: 'detached' });
  expect(await main()).toBeLessThan(before);
});

test('the chip folds no entry of the navigation', async () => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.goto(`${kaitaku.url}/imports`);
  await chip().waitFor();
  expect(entries).toContain('テンプレート');
  // The header measures again as the chip's text arrives.
  await eventually(entriesShown, (shown) => shown.join() === entries.join());
});

test.each(SIZES)('on %s no element in the Tab order is covered by the run', async (_name, size) => {
  await page.setViewportSize(size);
  await page.goto(`${kaitaku.url}/settings/groups`);
  await chip().waitFor();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const covered: string[] = [];
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    covered.push(...(await page.evaluate<string[]>(COVER)));
  }
  expect(covered).toStrictEqual([]);
});

test.each(SIZES)('on %s an import is started while the run is open', async (name, size) => {
  await page.setViewportSize(size);
  await page.goto(`${kaitaku.url}/imports/new`);
  await chip().waitFor();
  const buffer = Buffer.from(`会社名\n株式会社${name}\n`);
  await page.getByLabel('ファイルを選ぶ').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('cell', { name: `株式会社${name}` }).waitFor();
  await press(page, '次へ');
  await press(page, '次へ');
  await press(page, '1社を取り込む');
  await page.getByText('1社を取り込みました').first().waitFor();
});

test('the popover under the chip closes by Escape, and the chip gets the focus', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await chip().click();
  const popover = page.getByRole('dialog', { name: '送信の進み具合' });
  const right = async (box: ReturnType<typeof chip>) => {
    const { x = 0, width = 0 } = (await box.boundingBox()) ?? {};
    return Math.round(x + width);
  };
  expect(await right(popover)).toBe(await right(chip()));
  await page.keyboard.press('Escape');
  await popover.waitFor({ state: 'detached' });
  await chip().and(page.locator(':focus')).waitFor();
});

test('the popover of the bell opens below the bell', async () => {
  const bell = page.getByRole('button', { name: /^通知/ });
  await bell.click();
  const list = page.getByRole('dialog', { name: '通知' });
  await list.getByRole('button', { name: 'すべて既読にする' }).waitFor();
  const [button, box] = [await bell.boundingBox(), await list.boundingBox()];
  expect(Math.round((box?.x ?? 0) + (box?.width ?? 0))).toBe(Math.round((button?.x ?? 0) + (button?.width ?? 0)));
  expect((box?.y ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)).toBeLessThan(12);
  await page.getByRole('heading', { level: 1 }).click();
  await list.waitFor({ state: 'detached' });
});

/** Resolves with the number of toasts and the page's controls under the first one, as soon as one appears. */
const UNDER_TOAST = `new Promise((done) => new MutationObserver((_changes, observer) => {
  const toasts = document.querySelectorAll('[aria-atomic=false] [role=group]');
  if (toasts.length === 0) return;
  observer.disconnect();
  const toast = toasts[0].getBoundingClientRect();
  const under = [...document.querySelectorAll('a[href], button, input, select')]
    .filter((control) => !control.closest('[aria-atomic=false], .visually-hidden, tbody'))
    .filter((control) => {
      const { left, right, top, bottom, width } = control.getBoundingClientRect();
      return width > 0 && left < toast.right && right > toast.left && top < toast.bottom && bottom > toast.top;
    });
  done([toasts.length, under.map((control) => control.outerHTML.slice(0, 80))]);
}).observe(document.body, { childList: true, subtree: true }))`;

test('the end is told once, covering no control of the page, and the header has only the bell then', async () => {
  await page.goto(`${kaitaku.url}/?page_size=20`);
  await page.getByRole('rowheader').first().waitFor();
  await chip().waitFor();
  const told = page.evaluate(UNDER_TOAST);
  isHalfWay = false;
  await page.getByText('メールが送信されました').waitFor();
  expect(await told).toStrictEqual([1, []]);
  const status = page.getByRole('status').filter({ hasText: 'メールを送信中' });
  await expect.poll(() => status.count()).toBe(0);
  const runs = page.getByRole('banner').getByRole('button', { name: /^(メールを送信中|終了)/ });
  await runs.waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('banner').getByRole('button', { name: /^通知/ }).count()).toBe(1);
  await opened.leave(/net::ERR_FAILED/);
});
