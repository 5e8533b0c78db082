import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { field, press, tab } from './walk-steps.ts';

/** Edits a template on a phone: the subject, and below it the text or the preview. */
const kaitaku = shareScene();

const PHONE = { width: 390, height: 844 };
/** The same phone, turned: wider than a phone's one column. */
const TURNED = { width: 844, height: 390 };

/** The server refuses half-typed templates at each pause, and the save. The console logs all answers except 2xx. */
const REFUSED = /status of 400/;

const rich = (page: Page) => page.getByRole('textbox', { name: '本文（かんたん）' });
const html = (page: Page) => page.getByRole('textbox', { name: '本文（HTML）' });
const inFrame = (page: Page, words: string) =>
  page.frameLocator('iframe[title="HTMLの本文"]').getByText(words).first().waitFor();

/** Opens a new template of a sample, which is written by the simple editor. */
async function openSample(name: string) {
  const sample = { add_info: { name, folder_id: null, sample: 'first_greeting' } };
  const { id } = (await (await demoClient(kaitaku.url)).post('/mail_template', sample)).body as { id: number };
  const opened = await enter(kaitaku.browser, kaitaku.url, `/template/${id}`, PHONE);
  await rich(opened.page).waitFor();
  return opened;
}

/** Returns where a part begins and how high it is. */
async function placeOf(page: Page, selector: string) {
  const box = await page.locator(selector).filter({ visible: true }).first().boundingBox();
  if (!box) throw new Error(`${selector} is not shown`);
  return box;
}

test('the text has most of the window, in each of its editors; the name and the preview are behind a press', async () => {
  const { page, leave } = await openSample('電話の文面');
  for (const mode of ['かんたん', 'HTML']) {
    await tab(page, mode);
    const text = await placeOf(page, '[data-code-editor]');
    const docked = await placeOf(page, '[data-page-action]');
    expect(text.y).toBeLessThanOrEqual(330);
    expect(text.height).toBeGreaterThanOrEqual(320);
    expect(text.y + text.height).toBeLessThan(docked.y);
    for (const above of [field(page, '件名'), page.getByRole('tab', { name: '書く' })])
      expect((await above.boundingBox())?.y).toBeLessThan(text.y);
  }
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  expect([
    await field(page, 'テンプレート名').count(),
    await page.getByRole('combobox', { name: '会社' }).isVisible(),
  ]).toEqual([0, false]);
  await leave();
});

test('the preview shows what was typed; the text goes on where it was, with its undo, also when turned', async () => {
  const { page, leave } = await openSample('見てから直す文面');
  await rich(page).press('Control+End');
  await page.keyboard.type('末尾の一文');
  const scrolled = () => page.evaluate<number>("document.querySelector('[data-code-editor]').scrollTop");
  const before = await scrolled();
  expect(before).toBeGreaterThan(0);
  await tab(page, '見る');
  await inFrame(page, '末尾の一文');
  await expect.poll(() => rich(page).isVisible()).toBe(false);
  await tab(page, '書く');
  expect(await scrolled()).toBe(before);
  await tab(page, '見る');
  await page.setViewportSize(TURNED);
  await rich(page).waitFor();
  await inFrame(page, '末尾の一文');
  await page.setViewportSize(PHONE);
  await rich(page).waitFor({ state: 'hidden' });
  await tab(page, '書く');
  // The editor sets its own selection a moment after the focus: the key does not depend on it.
  await rich(page).press('Control+End');
  await page.keyboard.type('です');
  await eventually(
    () => rich(page).innerText(),
    (text) => text.includes('末尾の一文です'),
  );
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await eventually(
    () => rich(page).innerText(),
    (text) => !text.includes('末尾の一文'),
  );
  await leave(REFUSED);
});

test('a refused save leads to the field of its message: from the preview to the text, or to the dialog of the name', async () => {
  const { page, leave } = await openSample('断られる文面');
  await tab(page, 'HTML');
  await html(page).fill('<p>{{ company_nam }}</p>');
  await tab(page, '見る');
  await press(page, '保存');
  await html(page).and(page.locator(':focus')).waitFor();
  await page
    .getByText(/^1行目：「company_nam」という差し込み項目はありません/)
    .filter({ visible: true })
    .first()
    .waitFor();
  await html(page).fill('<p>{{ company_name }}</p>');
  // A subject of its own stands below the text.
  await field(page, '件名').fill('');
  await tab(page, '見る');
  await press(page, '保存');
  await field(page, '件名').and(page.locator(':focus[aria-invalid=true]')).waitFor();
  await field(page, '件名').fill('直した件名');

  await rename(page, '');
  await tab(page, '見る');
  await press(page, '保存');
  const name = page.getByRole('dialog', { name: 'テンプレート名' }).getByRole('textbox');
  await name.and(page.locator(':focus[aria-invalid=true]')).waitFor();
  // キャンセル keeps what was refused: the next save asks again.
  await press(page, 'キャンセル');
  await press(page, '保存');
  await name.fill('直した名前');
  await name.press('Enter');
  await page.getByRole('heading', { level: 1, name: '直した名前' }).waitFor();
  await press(page, '保存');
  await page.getByText('テンプレートを保存しました').first().waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: '直した名前' }).waitFor();
  await leave(REFUSED);
});

/** Types a name into the dialog behind ⋯. */
async function rename(page: Page, name: string): Promise<void> {
  await press(page, 'その他の操作');
  await press(page, 'テンプレート名を変更');
  const dialog = page.getByRole('dialog', { name: 'テンプレート名' });
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: '変更', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
