import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { enter } from './demo.ts';
import { intercept } from './intercept.ts';
import { shareScene } from './scene.ts';
import { templateLink, untilStill } from './walk-steps.ts';

/** Tests the effects of native dialogs: all but the top one are inert, and the browser closes dialogs by itself. */
const kaitaku = shareScene();

const TOAST = '[aria-atomic=false] [role=group]';
const DIALOGS = 'body > dialog:modal';
const PHONE = { width: 390, height: 844 };

const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const hasFocus = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor();

/** Opens the list and the dialog that adds a company. */
async function addCompany(name: string) {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  await button(page, '会社を追加').click();
  await hasFocus(page, '会社名（必須）');
  await page.keyboard.insertText(name);
  return { page, leave };
}

/** Returns what a screen reader finds, as roles and names. */
async function toBeRead(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  return nodes.filter(({ ignored }) => !ignored).map(({ role, name }) => `${role?.value} ${name?.value}`);
}

test('a toast above a dialog is seen, announced and pressed, and the dialog stays', async () => {
  const { page, leave } = await addCompany('上の通知株式会社');
  await button(page, '追加して続ける').click();
  const toast = page.locator(TOAST);
  await toast.getByText('上の通知株式会社').waitFor();
  const read = await toBeRead(page);
  expect(read).toEqual(expect.arrayContaining(['status ', 'heading 会社の追加']));
  expect(read.filter((node) => node.startsWith('StaticText 上の通知株式会社を'))).toHaveLength(1);
  expect(read.filter((node) => /^(?:heading|tab) 見込み客/.test(node))).toStrictEqual([]);
  await hasFocus(page, '会社名（必須）');
  // Playwright presses only elements that nothing covers.
  await toast.getByRole('button', { name: '閉じる' }).click();
  await toast.waitFor({ state: 'detached' });
  await hasFocus(page, '会社名（必須）');
  await expect.poll(() => page.locator(DIALOGS).count()).toBe(1);
  await leave();
});

/** Returns the distance in px between dialog and toast, from the upper's end to the lower's start. */
const GAP = `(() => {
  const dialog = document.querySelector('body > dialog:modal').getBoundingClientRect();
  const toast = document.querySelector('${TOAST}').getBoundingClientRect();
  return Math.max(toast.top - dialog.bottom, dialog.top - toast.bottom);
})()`;

test('a toast lies beside a dialog that is as high as the window, not over it', async () => {
  const { page, leave } = await addCompany('低い窓株式会社');
  await page.setViewportSize({ width: 1024, height: 480 });
  await button(page, '追加して続ける').click();
  await page.locator(TOAST).getByText('低い窓株式会社').waitFor();
  expect(await page.evaluate<number>(GAP)).toBeGreaterThanOrEqual(0);
  await leave();
});

/** Records the order in which the toasts' element is added to the body, painted there, and filled with a toast. */
const WATCH_TOASTS = `
  const place = document.querySelector('[aria-atomic=false]').parentElement.parentElement;
  window.order = [];
  const note = (what) => order.includes(what) || order.push(what);
  const afterPaint = (then) => requestAnimationFrame(() => requestAnimationFrame(then));
  new MutationObserver(() => {
    if (place.parentElement !== document.body) return;
    note('placed');
    afterPaint(() => note('painted'));
  }).observe(document.body, { childList: true });
  new MutationObserver(() => { if (place.querySelector('[role=group]')) note('told'); })
    .observe(place, { childList: true, subtree: true });`;

test('a toast that appears as its dialog closes is added to a region that screen readers know', async () => {
  const { page, leave } = await addCompany('閉じる通知株式会社');
  await page.evaluate(WATCH_TOASTS);
  await page.keyboard.press('Control+Enter');
  await page.locator(TOAST).getByText('閉じる通知株式会社').waitFor();
  await expect.poll(() => page.locator(DIALOGS).count()).toBe(0);
  expect(await page.evaluate<string[]>('order')).toStrictEqual(['placed', 'painted', 'told']);
  await leave();
});

test('a dialog that must not close survives any number of Escapes', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/templates');
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await button(page, 'テンプレートを作成').click();
  await page.getByRole('radio', { name: /^初めてのご挨拶/ }).waitFor();
  await hasFocus(page, '名前（必須）');
  await intercept(page, '/mail_template', async (route) => {
    await answered;
    await route.continue();
  });
  await page.getByLabel('名前（必須）').fill('二度のEscape');
  await page.getByLabel('件名（必須）').fill('件名');
  await dialog(page, 'テンプレートの作成').getByRole('button', { name: '作成', exact: true }).click();
  await page.locator(`${DIALOGS} [type=submit][aria-disabled=true]`).waitFor();
  for (let presses = 0; presses < 3; presses += 1) {
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator(DIALOGS).count()).toBe(1);
  }
  answer();
  await page.waitForURL(/\/template\/\d+$/);
  await page.locator(DIALOGS).waitFor({ state: 'detached' });
  await leave();
});

test('Escape closes only the top dialog, then the one below, and the focus returns each time', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  await page.getByRole('rowheader').first().getByRole('link').click();
  const drawer = dialog(page, '会社の詳細');
  await drawer.getByRole('button', { name: '編集', exact: true }).click();
  await page.getByLabel('代表者', { exact: true }).fill('霞 花子');
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog').filter({ hasText: '変更を破棄' });
  await question.locator(':focus').waitFor();
  await expect.poll(() => page.locator(DIALOGS).count()).toBe(2);
  // The form under the question is inert: this press is outside of the question, and closes it.
  await page.mouse.click(10, 10);
  await question.waitFor({ state: 'detached' });
  await hasFocus(page, '代表者');
  await page.keyboard.press('Escape');
  await question.locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await hasFocus(page, '代表者');
  await page.keyboard.press('Escape');
  await question.getByRole('button').last().click();
  await page.locator(DIALOGS).first().waitFor({ state: 'detached' });
  await drawer.getByRole('button', { name: '編集' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await leave();
});

test('a press beside a dialog closes it; a selection that ends there does not', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/account');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('?');
  const keys = dialog(page, 'キーボードの操作');
  const title = await keys.getByRole('heading', { name: 'キーボードの操作' }).boundingBox();
  await page.mouse.move((title?.x ?? 0) + 4, (title?.y ?? 0) + 4);
  await page.mouse.down();
  await page.mouse.move(4, 4);
  await page.mouse.up();
  await expect.poll(() => page.locator(DIALOGS).count()).toBe(1);
  await page.mouse.click(4, 4);
  await keys.waitFor({ state: 'detached' });
  await leave();
});

/** The buttons that open a dialog, by screen. */
const OPENERS: Readonly<Record<string, readonly RegExp[]>> = {
  '/': [/^会社を追加/, /^書き出す/, /^列の設定/],
  '/?tab=attack-list': [/^テスト送信を予約/, /^メールを確認/],
  '/templates': [/^テンプレートを作成/, /^フォルダーを整理/],
  '/settings/members': [/^メンバーを招待/],
  '/settings/groups': [/^グループを追加/, /^名前を変更/, /^差出人を追加/, /^田中 直樹を編集/],
  '/settings/sending': [/^休業日を追加/, /^CSVを取り込む/],
  '/suppressions': [/^追加/, /^CSVを取り込む/, /^書き出す/],
  '/imports': [/^prospects.csvの取り込みを取り消す/],
};

test.each(Object.entries(OPENERS))('a double click on a button of %s leaves its dialog open', async (path, names) => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, path);
  for (const name of names) {
    const opener = page.getByRole('main').getByRole('button', { name }).first();
    await opener.dblclick();
    await page.locator(DIALOGS).waitFor();
    // The dialog's code may have arrived between the clicks. After a frame any handler that would close it has run.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect([name, await page.locator(DIALOGS).count()]).toStrictEqual([name, 1]);
    await page.keyboard.press('Escape');
    await page.locator(DIALOGS).waitFor({ state: 'detached' });
  }
  await leave();
});

test('on a phone a sheet fills the window from its bottom, so that no press is outside of it', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/templates', PHONE);
  await templateLink(page).click();
  await button(page, 'その他の操作').click();
  await button(page, '履歴').click();
  const history = dialog(page, 'テンプレートの履歴');
  await history.getByRole('radio').first().waitFor();
  await page.mouse.click(PHONE.width / 2, PHONE.height - 10);
  const box = await history.boundingBox();
  expect([box?.x, box?.width, (box?.y ?? 0) + (box?.height ?? 0)]).toStrictEqual([0, PHONE.width, PHONE.height]);
  expect(box?.height).toBeCloseTo(0.92 * PHONE.height, 0);
  await leave();
});

test('on a phone the buttons of a short sheet stand at its bottom edge', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/templates', { width: 390, height: 1600 });
  await button(page, 'テンプレートを作成').click();
  const created = dialog(page, 'テンプレートの作成');
  await button(created, '作成').waitFor();
  await untilStill(page);
  const box = await button(created, '作成').boundingBox();
  // Below it the foot has 12 px, and the sheet its edge.
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(1600 - 13);
  await leave();
});

test('the page of a phone stays where it was scrolled to, while a dialog is open and after it', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/', PHONE);
  await page.getByRole('rowheader').first().waitFor();
  const scrolled = () => page.evaluate<number>('scrollY');
  await page.evaluate('scrollTo(0, 600)');
  const before = await scrolled();
  await page.keyboard.press('Control+k');
  await page.locator(`${DIALOGS} :focus`).waitFor();
  await page.mouse.move(4, 4);
  await page.mouse.wheel(0, 300);
  // The browser scrolls in the next frame.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect([before, await scrolled()]).toStrictEqual([600, 600]);
  await page.keyboard.press('Escape');
  await page.locator(DIALOGS).waitFor({ state: 'detached' });
  expect(await scrolled()).toBe(before);
  await leave();
});

/** Returns how many px a menu's entry ends above its button; NaN: it is not in the top layer. */
const ABOVE = `(() => {
  const entry = document.activeElement;
  const menu = entry.closest('[popover]:popover-open')?.parentElement;
  return menu ? menu.getBoundingClientRect().top - entry.getBoundingClientRect().bottom : NaN;
})()`;

test('on a phone the further acts of a foot open upward in the top layer, and by keyboard', async () => {
  const { page, leave } = await addCompany('足元の株式会社');
  await page.setViewportSize(PHONE);
  const more = dialog(page, '会社の追加').getByRole('button', { name: 'その他の操作' });
  await more.focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate(ABOVE)).toBeGreaterThanOrEqual(0);
  await page.keyboard.press('Escape');
  await more.and(page.locator(':focus')).waitFor();
  await expect.poll(() => page.locator(DIALOGS).count()).toBe(1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator(TOAST).getByText('足元の株式会社').waitFor();
  await leave();
});

/** Returns the distance in px from a dialog's body to its edge, and from the foot's last button. */
const INSETS = `(() => {
  const dialog = document.querySelector('body > dialog:modal');
  const edge = dialog.getBoundingClientRect().right;
  return ['input', '[data-dialog-foot] button:last-of-type']
    .map((part) => Math.round(edge - Math.max(...[...dialog.querySelectorAll(part)].map((one) => one.getBoundingClientRect().right))));
})()`;

test.each([{ width: 1440, height: 900 }, PHONE])(
  'the buttons of a dialog end where its fields do at $width px',
  async (size) => {
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/suppressions', size);
    await button(page, 'CSVを取り込む').click();
    await page.getByLabel('ファイル（必須）').waitFor();
    await untilStill(page);
    const [field, foot] = await page.evaluate<number[]>(INSETS);
    expect(foot).toBe(field);
    await leave();
  },
);

/** Disables all buttons of the page, and returns how many looks they have. */
const DISABLED_LOOKS = `new Set([...document.querySelectorAll('main button')].map((one) => {
  one.disabled = true;
  const { backgroundColor, borderColor, color, opacity } = getComputedStyle(one);
  return [backgroundColor, borderColor, color, opacity].join();
})).size`;

test('buttons have one look while they are disabled', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/suppressions');
  await button(page, '追加').waitFor();
  await expect.poll(() => page.locator('main button').count()).toBeGreaterThan(2);
  expect(await page.evaluate(DISABLED_LOOKS)).toBe(1);
  await leave();
});
