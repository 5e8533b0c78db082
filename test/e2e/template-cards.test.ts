import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { press, templateLink, untilStill } from './walk-steps.ts';

/** The look of the list of templates, and of the dialog of a new one. */
const kaitaku = shareScene();

const PHONE = { width: 390, height: 844 };

/** Returns the boxes of elements by a selector or a role. */
async function boxOf(locator: ReturnType<Page['locator']>) {
  const box = await locator.first().boundingBox();
  if (!box) throw new Error('not shown');
  return box;
}

test('on a phone search and order share a row, and the first card is high in the window', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/templates', PHONE);
  await templateLink(page).waitFor();
  const card = await boxOf(page.getByRole('list', { name: 'テンプレート' }).getByRole('listitem'));
  expect(card.y).toBeLessThanOrEqual(344);
  const search = await boxOf(page.getByRole('searchbox', { name: '名前・件名で探す' }));
  const order = await boxOf(page.getByRole('combobox', { name: '並べ替え' }));
  expect(Math.abs(search.y + search.height / 2 - order.y - order.height / 2)).toBeLessThan(2);
  expect(card.y - search.y - search.height).toBeLessThan(32);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  await leave();
});

test('the small mails begin after their salutation, and are no white sheets on a dark screen', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/templates');
  const mails = page.locator('main li iframe');
  await mails.first().waitFor();
  await untilStill(page);
  for (const mail of await mails.all()) {
    const text = await mail.contentFrame().locator('body').innerText();
    expect(text.trim()).not.toMatch(/^(株式会社みどり製作所|緑川)/);
    expect(text.trim()).not.toBe('');
  }
  const sheet = `getComputedStyle(document.querySelector('main li iframe').parentElement).filter`;
  expect(await page.evaluate(sheet)).toBe('none');
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await page.evaluate(sheet)).toContain('invert');
  await leave();
});

test.each([
  ['beside the samples', { width: 1440, height: 900 }],
  ['below the chosen sample', PHONE],
])('the text of a sample stands %s, with the names of its merge fields', async (place, size) => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/templates', size);
  await templateLink(page).waitFor();
  await press(page, 'テンプレートを作成');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /^展示会のお礼/ }).check();
  const text = dialog.locator('pre').filter({ hasText: '先日は、展示会の弊社ブースに' });
  await text.waitFor();
  await expect.poll(() => text.innerText()).toMatch(/^【会社名】/);
  await expect.poll(() => text.innerText()).not.toMatch(/[{}%]/);
  const [box, chosen, next] = await Promise.all([
    boxOf(text),
    boxOf(dialog.locator('label', { hasText: '展示会のお礼' })),
    boxOf(dialog.locator('label', { hasText: '再度のご案内' })),
  ]);
  if (place === 'beside the samples') expect(box.x).toBeGreaterThan(chosen.x + chosen.width);
  else expect([box.y >= chosen.y + chosen.height, box.y + box.height <= next.y]).toEqual([true, true]);
  await leave();
});
