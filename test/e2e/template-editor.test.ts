import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import { hold } from './browser.ts';
import { demoClient, enter, logIn } from './demo.ts';
import { jumps } from './page-checks.ts';
import { shareScene } from './scene.ts';
import { templateLink, tickWarnings, untilStill } from './walk-steps.ts';

/** Edits a template in the product's own editor: by its link, with its preview, with errors and with a second tab. */
const kaitaku = shareScene();
/** Returns the path of the demo's n-th template, from 1. */
let templatePath: (n: number) => string;

beforeAll(async () => {
  const client = await demoClient(kaitaku.url);
  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const [first] = (await client.get(`/sender/list?where_info[sender_group_id]=${group?.id}`)).body as { id: number }[];
  templatePath = (n) => `/template/${(first?.id ?? 0) + n - 1}`;
});

/** The server refuses half-typed templates at each pause; the console logs all answers except 2xx. */
const REFUSED = /status of 400/;

const html = (page: Page) => page.getByRole('textbox', { name: '本文（HTML）' });
const text = (page: Page) => page.getByRole('textbox', { name: '本文（テキスト）' });
const subject = (page: Page) => page.getByLabel('件名', { exact: true });
/** Returns a tab of the editor; the preview has tabs of the same names. */
const mode = (page: Page, name: string) =>
  page.getByRole('region', { name: 'テンプレートの編集' }).getByRole('tab', { name, exact: true }).click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const saved = (page: Page) => page.getByText('テンプレートを保存しました').first().waitFor();
const inFrame = (page: Page, words: string) =>
  page.frameLocator('iframe[title="HTMLの本文"]').getByText(words).first().waitFor();
const isUnsaved = (page: Page) => page.getByText('保存していない変更があります').waitFor();

/** Sends the first mail of the attack list as a test. */
async function sendOneTest(page: Page): Promise<void> {
  await page.getByLabel('テスト件数').fill('1');
  await page.getByRole('switch', { name: '予約モード' }).click();
  await press(page, 'テスト送信（1通）');
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: '1通をテスト送信' }).click();
}

/** Chooses the n-th merge field in the menu. */
async function insertByKeys(page: Page, n: number): Promise<void> {
  await page.getByRole('button', { name: '差し込み' }).press('Enter');
  for (let key = 0; key < n; key += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

async function openEditor(template = 1) {
  const opened = await enter(kaitaku.browser, kaitaku.url, templatePath(template));
  await html(opened.page).waitFor();
  return opened;
}

/** The limit of the layout shift when the editor loads (Cumulative Layout Shift is good up to 0.1). */
const MAX_SHIFT = 0.05;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

test.each(SIZES)('at $width px hardly anything moves while the parts of an editor arrive one by one', async (size) => {
  const sample = { add_info: { name: '見本', folder_id: null, sample: 'first_greeting' } };
  const { id } = (await (await demoClient(kaitaku.url)).post('/mail_template', sample)).body as { id: number };
  for (const path of [templatePath(1), `/template/${id}`]) {
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg', size);
    const parts = [/\/mail_template\/\d+$/, /\/mail_template\/\d+\/preview$/];
    const held = await Promise.all(parts.map((part) => hold(page, part)));
    await page.goto(kaitaku.url + path);
    await page.getByText('メールはこのマシンから出ません').waitFor();
    for (const { seen, letGo } of held) {
      await eventually(async () => seen.length, Boolean);
      await untilStill(page);
      letGo();
    }
    await page.locator('iframe').first().waitFor();
    await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
    await untilStill(page);
    expect(await jumps(page, MAX_SHIFT)).toStrictEqual([]);
    await leave();
  }
});

const ROOMS = [
  { size: { width: 1440, height: 900 }, begins: 300, height: 480 },
  { size: { width: 1024, height: 768 }, begins: 380, height: 320 },
];

test.each(ROOMS)('the text has enough width at $size.width px', async ({ size, begins, height }) => {
  const sample = { add_info: { name: `余白${size.width}`, folder_id: null, sample: 'first_greeting' } };
  const { id } = (await (await demoClient(kaitaku.url)).post('/mail_template', sample)).body as { id: number };
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg', size);
  for (const path of [`/template/${id}`, templatePath(1)]) {
    await page.goto(kaitaku.url + path);
    await inFrame(page, '突然のご連絡を失礼いたします。');
    const box = await page.locator('[data-code-editor]').boundingBox();
    expect([box && box.y <= begins, box && box.height >= height]).toStrictEqual([true, true]);
  }
  await leave();
});

test('on a phone the text comes before the preview', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, templatePath(1), { width: 390, height: 844 });
  await html(page).waitFor();
  const [box, name] = await Promise.all([html(page).boundingBox(), page.getByLabel('テンプレート名').boundingBox()]);
  expect(box && name && box.y < name.y && box.y < 844 / 2).toBe(true);
  await leave();
});

test('from the list to the editor in a new tab, without a log-in; the saved text is what is sent', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  const [editor] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'テンプレートを編集' }).click(),
  ]);
  await inFrame(editor, '突然のご連絡を失礼いたします。');
  await subject(editor).fill('新しい件名：{{ company_name }}様へ');
  await html(editor).fill('<p>新しい本文です。{{ person_in_charge }}</p>');
  await inFrame(editor, '新しい本文です。緑川 花子 様');
  await editor.getByText('新しい件名：株式会社みどり製作所様へ').waitFor();
  await press(editor, '表示の設定');
  await editor.getByRole('switch', { name: '担当者がいない会社で見る' }).click();
  await inFrame(editor, '新しい本文です。ご担当者様');
  await mode(editor, 'テキスト');
  await text(editor).fill('テキストも新しい本文です。');
  await press(editor, '保存');
  await saved(editor);
  await editor.close();

  // A headless browser treats all tabs as visible, and sends no event when one is shown again.
  await page.evaluate("void window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('option', { name: '新しい件名' }).first().waitFor({ state: 'attached' });
  await page.getByRole('tab', { name: 'アタックリスト' }).click();
  await page.getByLabel('テスト送信先').fill('test@example.com');
  await sendOneTest(page);
  await page.getByText('メールが送信されました').first().waitFor();
  const [mail] = await kaitaku.mails();
  expect(mail?.subject).toMatch(/^新しい件名：.+様へ$/);
  await leave(REFUSED);
});

test('two tabs: the second to save is shown the conflict, and decides', async () => {
  const first = await openEditor(2);
  const second = await openEditor(2);
  await html(first.page).fill('<p>一つ目のタブ</p>');
  await html(second.page).fill('<p>二つ目のタブ</p>');
  await press(first.page, '保存');
  await saved(first.page);
  await press(second.page, '保存');
  const notice = second.page.getByRole('main').getByRole('alert').filter({ hasText: '田中 直樹さんが' });
  await notice.waitFor();
  expect(await html(second.page).inputValue()).toContain('二つ目のタブ');
  await press(second.page, '入力した内容で上書き');
  await saved(second.page);
  await notice.waitFor({ state: 'detached' });

  await html(first.page).fill('<p>古い内容から</p>');
  await press(first.page, '保存');
  await press(first.page, '最新の内容を読み込む');
  await eventually(
    () => html(first.page).inputValue(),
    (shown) => shown.includes('二つ目のタブ'),
  );
  await first.leave(/status of 409/);
  await second.leave(/status of 409/);
});

test('an error is shown at its line and cannot be saved; the last valid mail stays visible', async () => {
  const { page, leave } = await openEditor(3);
  await html(page).fill('<p>一行目</p>\n<p>二行目</p>\n<p>{{ company_nam }}</p>');
  await html(page).and(page.locator('[aria-invalid=true]')).waitFor();
  await page
    .getByText(/^3行目：「company_nam」という差し込み項目はありません/)
    .first()
    .waitFor();
  await page.getByText('テンプレートに誤りがあるため、プレビューは直前の内容です').waitFor();
  await mode(page, 'テキスト');
  await press(page, '保存');
  await page.getByText('このままではメールを作れません').waitFor();
  // The body with the error is shown and focused.
  await html(page).waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('!');
  expect(await html(page).inputValue()).toContain('!');
  await press(page, '3行目を表示');
  await page.keyboard.type('<p>直しました</p>');
  await inFrame(page, '直しました');
  await press(page, '保存');
  await saved(page);
  await leave(REFUSED);
});

test('merge fields are inserted at the cursor, by keyboard only; Tab leaves the editor', async () => {
  const { page, leave } = await openEditor(4);
  await subject(page).fill('前後');
  await page.keyboard.press('ArrowLeft');
  await insertByKeys(page, 1);
  expect(await subject(page).inputValue()).toBe('前{{ company_name }}後');
  await page.keyboard.type('様');
  expect(await subject(page).inputValue()).toBe('前{{ company_name }}様後');
  await html(page).fill('<p></p>');
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
  await insertByKeys(page, 2);
  expect(await html(page).inputValue()).toBe('<p>{{ person_in_charge }}</p>');
  await page.keyboard.press('Control+z');
  expect(await html(page).inputValue()).toBe('<p></p>');
  await page.keyboard.press('Control+Shift+z');
  await page.keyboard.press('Tab');
  expect(await html(page).and(page.locator(':focus')).count()).toBe(0);
  await page.keyboard.press('Control+s');
  await saved(page);
  await leave(REFUSED);
});

test('unsaved text is asked about before it is left, and survives a reload', async () => {
  const { page, leave } = await openEditor(4);
  await subject(page).fill('まだ保存していない件名');
  await isUnsaved(page);
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  expect(asked).toStrictEqual(['beforeunload']);
  await isUnsaved(page);
  expect(await subject(page).inputValue()).toBe('まだ保存していない件名');
  await page.getByRole('link', { name: 'テンプレートの一覧へ戻る' }).click();
  await press(page, '編集を続ける');
  expect(await subject(page).inputValue()).toBe('まだ保存していない件名');
  await page.getByRole('link', { name: 'テンプレートの一覧へ戻る' }).click();
  await press(page, '破棄して移動');
  await templateLink(page).waitFor();
  await page.goBack();
  await html(page).waitFor();
  expect(await subject(page).inputValue()).not.toBe('まだ保存していない件名');
  await leave();
});

test('the end of a session keeps the typed text', async () => {
  const { page, leave } = await openEditor(4);
  await html(page).fill('<p>長い手紙</p>');
  await inFrame(page, '長い手紙');
  const url = `${kaitaku.url}/api/v1/auth/logout`;
  await page.evaluate(`fetch('${url}', { method: 'POST', headers: {
    Authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem('kaitaku-session')).state.token } })`);
  await press(page, '保存');
  await page.getByText('ログインの有効期限が切れました').waitFor();
  await logIn(page);
  expect(await html(page).inputValue()).toBe('<p>長い手紙</p>');
  await press(page, '保存');
  await saved(page);
  await leave(/status of 40[01]/);
});

test('a log-out in the list while the editor is open ends the editor too, and loses no text', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  const [editor] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'テンプレートを編集' }).click(),
  ]);
  await html(editor).fill('<p>閉じる前の手紙</p>');
  await inFrame(editor, '閉じる前の手紙');
  await press(page, 'ログアウト');
  await page.waitForURL('**/login');
  await html(editor).press('Control+End');
  await editor.keyboard.type('<p>続き</p>');
  await editor.getByText('ログインの有効期限が切れました').waitFor();
  expect(await editor.evaluate<string>("sessionStorage.getItem('kaitaku-session') ?? ''")).not.toMatch(/手紙|demo@/);
  await logIn(editor);
  await eventually(
    () => html(editor).inputValue(),
    (shown) => /閉じる前の手紙.*続き/s.test(shown),
  );
  await press(editor, '保存');
  await saved(editor);
  await leave(/status of 40[01]/);
});

test('a template is written, ticked, saved and sent; its mail arrives', async () => {
  const client = await demoClient(kaitaku.url);
  const { id } = (await client.post('/mail_template', { add_info: { name: '新しい手紙', subject: '新しい手紙です' } }))
    .body as { id: number };
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, `/template/${id}`);
  const rich = page.getByRole('textbox', { name: '本文（かんたん）' });
  await rich.press('Control+End');
  await rich.pressSequentially('はじめまして。');
  await page.getByRole('button', { name: '人から選ぶ' }).click();
  const people = page.getByRole('group', { name: '使う差出人' }).getByRole('checkbox');
  await people.nth(2).check();
  await press(page, '保存');
  await saved(page);
  await page.getByRole('link', { name: 'このテンプレートで送る' }).click();
  await page.waitForURL('**/?tab=attack-list');
  const chosen = page.getByLabel('テンプレート', { exact: true }).locator('option:checked');
  await chosen.filter({ hasText: '新しい手紙' }).waitFor({ state: 'attached' });
  await sendOneTest(page);
  await eventually(
    async () => (await kaitaku.mails()).map((mail) => mail.subject),
    (subjects) => subjects.includes('新しい手紙です'),
  );
  await leave();
});
