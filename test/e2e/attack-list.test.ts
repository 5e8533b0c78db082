import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Visit } from './browser.ts';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { closeToasts } from './walk-steps.ts';

/** The attack list as somebody uses it who is quick, or mistaken: what is mailed is what is meant, and shown. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;
let panel: Locator;

beforeAll(async () => {
  opened = await enter(kaitaku.browser, `${kaitaku.url}`, '/?tab=attack-list');
  page = opened.page;
  panel = page.getByRole('tabpanel', { name: 'アタックリスト' });
});

/** Nothing lies over its upper or lower edge, and both are in the window. */
const FOCUS_IN_SIGHT = `(() => {
  const { x, top, bottom } = document.activeElement.getBoundingClientRect();
  return [top + 3, bottom - 3].every((y) => document.elementFromPoint(x + 12, y) === document.activeElement);
})()`;

const field = (label: string) => page.getByLabel(label, { exact: true });
const button = (name: string) => panel.getByRole('button', { name, exact: true });
const dialog = () => page.getByRole('dialog');
const warned = (words: string) => page.getByRole('alert').filter({ hasText: words }).waitFor();
const firstCompany = () => panel.getByRole('rowheader').first().innerText();

test('nobody is mailed past a filter that is typed and does not filter yet, or cannot be read', async () => {
  const before = await firstCompany();
  // In one go, quicker than a person's hands are.
  await field('地域').fill('大阪');
  await button('予約').dispatchEvent('click');
  expect(await dialog().count()).toBe(0);
  await panel.getByRole('rowheader', { name: before }).waitFor({ state: 'detached' });

  await field('従業員数（下限）').fill('多い');
  for (const name of ['予約', 'メールを確認']) {
    await field('地域').focus();
    await button(name).click();
    await warned('絞り込みの条件に誤りがあります。直すか、空にしてください');
    expect(await dialog().count()).toBe(0);
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('従業員数（下限）');
  }
  await field('従業員数（下限）').fill('');

  const listed = await firstCompany();
  await field('地域').fill(Array.from({ length: 3000 }, (_, index) => `町${index}`).join('、'));
  await page.getByText('語は100個までにしてください').waitFor();
  await button('予約').click();
  await field('地域').and(page.locator(':focus')).waitFor();
  expect([await dialog().count(), await firstCompany()]).toStrictEqual([0, listed]);
  await field('地域').fill('大阪');
  await button('予約').click();
  await dialog().getByText('10件').waitFor();
  await page.keyboard.press('Escape');
  await field('地域').fill('');
  await panel.getByRole('rowheader', { name: before }).waitFor();
});

test.each([1440, 720, 390])('how a filter is written can be read at %i px', async (width) => {
  await page.setViewportSize({ width, height: 844 });
  const toggle = page.getByRole('button', { name: '絞り込み', exact: true });
  if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click();
  const help = page.getByText('「、」かコンマで区切って複数入力できます。');
  await help.scrollIntoViewIfNeeded();
  const { x = -1, width: wide = 0 } = (await help.boundingBox()) ?? {};
  expect([x >= 0, wide > 100, x + wide <= width]).toStrictEqual([true, true, true]);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('on a phone a field that is led to does not lie under the number of matches', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await closeToasts(page);
  const days = field('再送信間隔（日）');
  await days.fill('');
  // It is where the number stands, and so in the window: the browser alone would leave it there.
  const scrollUnder = () => page.evaluate('scrollBy(0, document.activeElement.getBoundingClientRect().top - 2)');
  await scrollUnder();
  expect(await page.evaluate<boolean>(FOCUS_IN_SIGHT)).toBe(false);
  await days.press('Tab');
  await page.keyboard.press('Shift+Tab');
  await page.locator(':focus').and(days).waitFor();
  expect(await page.evaluate<boolean>(FOCUS_IN_SIGHT)).toBe(true);
  await scrollUnder();
  await button('予約').dispatchEvent('click');
  await page.locator(':focus').and(days).waitFor();
  expect(await page.evaluate<boolean>(FOCUS_IN_SIGHT)).toBe(true);
  await days.fill('7');
  await page.setViewportSize({ width: 1440, height: 900 });
});

test('nothing was complained of', () => opened.leave());
