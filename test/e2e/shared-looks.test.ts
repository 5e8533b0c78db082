import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';

/** Tests what all screens draw alike: the lines of buttons and fields, cut texts, forms on a phone, the calendar. */
const kaitaku = shareScene();
let page: Page;

const PHONE = { width: 390, height: 844 };
const SMALL_DESK = { width: 1024, height: 768 };

beforeAll(async () => {
  ({ page } = await enter(kaitaku.browser, kaitaku.url));
});

async function open(path: string, size: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.goto(kaitaku.url + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

const styleOf = (part: Locator, name: string): Promise<string | undefined> =>
  part.evaluate(
    (element, property) => element.ownerDocument.defaultView?.getComputedStyle(element).getPropertyValue(property),
    name,
  );

/** Returns the contrast of two colours as WCAG 2.2 defines it. */
function contrastOf(one = '', other = ''): number {
  const [dark = 0, light = 0] = [one, other].map(luminanceOf).toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

test.each(['light', 'dark'] as const)('a secondary button has the line of a field, %s', async (colorScheme) => {
  await page.emulateMedia({ colorScheme });
  await open('/reports', SMALL_DESK);
  const button = page.getByRole('button', { name: '期間を変更' });
  const line = await styleOf(button, 'border-top-color');
  expect(line).toBe(await styleOf(page.getByLabel('期間'), 'border-top-color'));
  expect(contrastOf(line, await styleOf(button, 'background-color'))).toBeGreaterThan(3);
  await page.emulateMedia({ colorScheme: 'light' });
});

test('the public page has the colours of the client', () => {
  const [client = '', page = ''] = ['web/app/app.css', 'server/features/opt-out/page.css'].map((path) =>
    readFileSync(`src/${path}`, 'utf8'),
  );
  const colours = [...page.matchAll(/--([\w-]+): (light-dark\(.*\)|#\w+);/g)];
  expect(colours).toHaveLength(9);
  for (const [, name, value] of colours) {
    expect(client).toContain(`--k-${name === 'accent' ? 'link' : name}: ${value};`);
  }
});

test('a select ends a text that it cuts in an ellipsis', async () => {
  await open('/', SMALL_DESK);
  expect(await styleOf(page.getByLabel('テンプレート'), 'text-overflow')).toBe('ellipsis');
});

test.each([
  ['/settings/sending', '送信者グループ', '保存'],
  ['/settings/personal-data', '宛先を消す時期', '保存'],
])('on a phone the select of %s is as wide as what stands below it', async (path, label, below) => {
  await open(path, PHONE);
  const select = await boxOf(page.getByLabel(label).first());
  const button = await boxOf(page.getByRole('button', { name: below, exact: true }).first());
  expect(select.width).toBe(button.width);
});

test('on a phone the two buttons of a dialog have one width', async () => {
  await open('/settings/groups', PHONE);
  await page.getByRole('button', { name: 'グループを追加' }).click();
  const buttons = page.locator('[data-dialog-foot] button');
  await expect.poll(() => buttons.count()).toBe(2);
  expect((await boxOf(buttons.first())).width).toBeCloseTo((await boxOf(buttons.last())).width, 1);
  await page.keyboard.press('Escape');
});

test('on a phone the palette has rows for a finger and no hint of keys, and answers at its field', async () => {
  await open('/sends', PHONE);
  await page.getByRole('button', { name: '検索', exact: true }).click();
  const palette = page.getByRole('dialog', { name: '検索' });
  expect((await boxOf(palette.getByRole('option').first())).height).toBeGreaterThanOrEqual(44);
  expect(await palette.getByRole('status').last().innerText()).toBe('');
  const field = palette.getByRole('combobox');
  await field.fill('此処には無い');
  const [above, below] = [await boxOf(field), await boxOf(palette.getByText('見つかりません'))];
  expect(below.y - above.y - above.height).toBeLessThan(16);
  await page.keyboard.press('Escape');
});

test('on a phone a weekday takes one line', async () => {
  await open('/settings/sending', PHONE);
  await page.getByRole('button', { name: '曜日ごとに変える' }).click();
  const days = page.getByRole('list', { name: '曜日ごとの時間' }).getByRole('listitem');
  expect((await boxOf(days.first())).height).toBeLessThan(50);
});

test('on a small desk the calendar shows the six weeks of a month', async () => {
  // November 2026 begins on a Sunday.
  await open('/reservations?view=calendar&date=2026-11-10', SMALL_DESK);
  const grid = page.getByRole('grid');
  await grid.getByText('12/1').waitFor();
  await expect.poll(() => grid.getByRole('row').count()).toBeGreaterThanOrEqual(6);
  const fits = await grid.evaluate(({ parentElement }) => [parentElement?.scrollHeight, parentElement?.clientHeight]);
  expect(fits[0]).toBe(fits[1]);
});
