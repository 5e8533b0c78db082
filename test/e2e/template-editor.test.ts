import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import type { Client } from '#test/client.ts';
import { eventually } from '#test/sending.ts';
import { LETTER } from '../../bench/letter.ts';
import { hold } from './browser.ts';
import { demoClient, enter, logIn } from './demo.ts';
import { jumps } from './page-checks.ts';
import { shareScene } from './scene.ts';
import { templateLink, tickWarnings, untilStill } from './walk-steps.ts';

/** Edits a template in the product's own editor: by its link, with its preview, with errors and with a second tab. */
const kaitaku = shareScene();
/** Returns the path of the demo's n-th template, from 1. */
let templatePath: (n: number) => string;
let client: Client;

beforeAll(async () => {
  client = await demoClient(kaitaku.url);
  const [group] = (await client.get('/sender_group/list')).body as { id: number }[];
  const [first] = (await client.get(`/sender/list?where_info[sender_group_id]=${group?.id}`)).body as { id: number }[];
  templatePath = (n) => `/template/${(first?.id ?? 0) + n - 1}`;
});

/** The server refuses half-typed templates at each pause; the console logs all answers except 2xx. */
const REFUSED = /status of 400/;

/** Creates a template with HTML written by hand. @returns its path */
async function addHtmlTemplate(name: string): Promise<string> {
  const added = (await client.post('/mail_template', { add_info: { name, subject: LETTER.subject } })).body;
  const { id } = added as { id: number };
  const { version } = (await client.get(`/mail_template/${id}`)).body as { version: string };
  const { text_body, html_body } = LETTER.template;
  const update_info = { name, text_body, html_body, editor: 'html', text_follows: 0, senders: [] };
  expect((await client.put(`/mail_template/${id}`, { version, update_info })).status).toBe(200);
  return `/template/${id}`;
}

const rich = (page: Page) => page.getByRole('textbox', { name: '本文（かんたん）' });
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

/** Opens the demo's n-th template, a letter of the simple editor. */
async function openLetter(n: number) {
  const opened = await enter(kaitaku.browser, kaitaku.url, templatePath(n));
  await rich(opened.page).waitFor();
  return opened;
}

async function openHtml(name: string) {
  const opened = await enter(kaitaku.browser, kaitaku.url, await addHtmlTemplate(name));
  await html(opened.page).waitFor();
  return opened;
}

/** Replaces the body in the simple editor by typed text. */
async function typeBody(page: Page, words: string): Promise<void> {
  await rich(page).press('Control+a');
  await page.keyboard.type(words);
}

/** The limit of the layout shift when the editor loads (Cumulative Layout Shift is good up to 0.1). */
const MAX_SHIFT = 0.05;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

test.each(SIZES)('at $width px hardly anything moves while the parts of an editor arrive one by one', async (size) => {
  for (const path of [await addHtmlTemplate(`HTML${size.width}`), templatePath(1)]) {
    const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg', size);
    const parts = [/\/mail_template\/\d+$/, /\/mail_template\/\d+\/preview$/];
    const held = await Promise.all(parts.map((part) => hold(page, part)));
    await page.goto(kaitaku.url + path);
    await page.getByText('メールは外部に送られません').waitFor();
    for (const { seen, letGo } of held) {
      await eventually(async () => seen.length, Boolean);
      await untilStill(page);
      letGo();
    }
    await page.locator('iframe').first().waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
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
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg', size);
  for (const path of [templatePath(1), await addHtmlTemplate(`余白${size.width}`)]) {
    await page.goto(kaitaku.url + path);
    await inFrame(page, '突然のご連絡を失礼いたします。');
    const box = await page.locator('[data-code-editor]').boundingBox();
    expect([box && box.y <= begins, box && box.height >= height]).toStrictEqual([true, true]);
  }
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
  await typeBody(editor, '新しい本文です。{{ person_in_charge }}');
  await inFrame(editor, '新しい本文です。緑川 花子 様');
  await editor.getByText('新しい件名：株式会社みどり製作所様へ').waitFor();
  await press(editor, '表示の設定');
  await editor.getByRole('switch', { name: '担当者がいない会社で見る' }).click();
  await inFrame(editor, '新しい本文です。ご担当者様');
  await mode(editor, 'テキスト');
  // The text follows かんたん, until a member writes it.
  await editor.locator('pre').getByText('新しい本文です。{{ person_in_charge }}').waitFor();
  await press(editor, 'テキスト版を自分で編集');
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
  const parsed = await PostalMime.parse(await kaitaku.source(mail?.id ?? ''));
  expect(parsed.text).toMatch(/^テキストも新しい本文です。\n/);
  expect(parsed.html).toMatch(/>新しい本文です。.+ 様<\/p>/);
  await leave(REFUSED);
});

test('two tabs: the second to save is shown the conflict, and decides', async () => {
  const first = await openLetter(2);
  const second = await openLetter(2);
  await typeBody(first.page, '一つ目のタブ');
  await typeBody(second.page, '二つ目のタブ');
  await press(first.page, '保存');
  await saved(first.page);
  await press(second.page, '保存');
  const notice = second.page.getByRole('main').getByRole('alert').filter({ hasText: '田中 直樹さんが' });
  await notice.waitFor();
  await expect.poll(() => rich(second.page).innerText()).toContain('二つ目のタブ');
  await press(second.page, '入力した内容で上書き');
  await saved(second.page);
  await notice.waitFor({ state: 'detached' });

  await typeBody(first.page, '古い内容から');
  await press(first.page, '保存');
  await press(first.page, '最新の内容を読み込む');
  await eventually(
    () => rich(first.page).innerText(),
    (shown) => shown.includes('二つ目のタブ'),
  );
  await first.leave(/status of 409/);
  await second.leave(/status of 409/);
});

test('an error is shown at its line and cannot be saved; the last valid mail stays visible', async () => {
  const { page, leave } = await openHtml('誤りのある手紙');
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
  await expect.poll(() => html(page).inputValue()).toContain('!');
  await press(page, '3行目を表示');
  await page.keyboard.type('<p>直しました</p>');
  await inFrame(page, '直しました');
  await press(page, '保存');
  await saved(page);
  await leave(REFUSED);
});

test('merge fields are inserted at the cursor, by keyboard only; Tab leaves the editor', async () => {
  const { page, leave } = await openHtml('差し込む手紙');
  await subject(page).fill('前後');
  await page.keyboard.press('ArrowLeft');
  await insertByKeys(page, 1);
  await expect.poll(() => subject(page).inputValue()).toBe('前{{ company_name }}後');
  await page.keyboard.type('様');
  await expect.poll(() => subject(page).inputValue()).toBe('前{{ company_name }}様後');
  await html(page).fill('<p></p>');
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
  await insertByKeys(page, 2);
  await expect.poll(() => html(page).inputValue()).toBe('<p>{{ person_in_charge }}</p>');
  await page.keyboard.press('Control+z');
  await expect.poll(() => html(page).inputValue()).toBe('<p></p>');
  await page.keyboard.press('Control+Shift+z');
  await page.keyboard.press('Tab');
  await expect.poll(() => html(page).and(page.locator(':focus')).count()).toBe(0);
  await page.keyboard.press('Control+s');
  await saved(page);
  await leave(REFUSED);
});

test('unsaved text is asked about before it is left, and survives a reload', async () => {
  const { page, leave } = await openLetter(4);
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
  await expect.poll(() => subject(page).inputValue()).toBe('まだ保存していない件名');
  await page.getByRole('link', { name: 'テンプレートの一覧へ戻る' }).click();
  await press(page, '編集を続ける');
  await expect.poll(() => subject(page).inputValue()).toBe('まだ保存していない件名');
  await page.getByRole('link', { name: 'テンプレートの一覧へ戻る' }).click();
  await press(page, '破棄して移動');
  await templateLink(page).waitFor();
  await page.goBack();
  await rich(page).waitFor();
  await expect.poll(() => subject(page).inputValue()).not.toBe('まだ保存していない件名');
  await leave();
});

test('the end of a session keeps the typed text', async () => {
  const { page, leave } = await openLetter(4);
  await typeBody(page, '長い手紙');
  await inFrame(page, '長い手紙');
  const url = `${kaitaku.url}/api/v1/auth/logout`;
  await page.evaluate(`fetch('${url}', { method: 'POST', headers: {
    Authorization: 'Bearer ' + JSON.parse(sessionStorage.getItem('kaitaku-session')).state.token } })`);
  await press(page, '保存');
  await page.getByText('ログインの有効期限が切れました').waitFor();
  await logIn(page);
  expect((await rich(page).innerText()).trim()).toBe('長い手紙');
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
  await typeBody(editor, '閉じる前の手紙');
  await inFrame(editor, '閉じる前の手紙');
  await press(page, 'ログアウト');
  await page.waitForURL('**/login');
  await editor.getByText('ログインの有効期限が切れました').waitFor();
  expect(await editor.evaluate<string>("sessionStorage.getItem('kaitaku-session') ?? ''")).not.toMatch(/手紙|demo@/);
  await logIn(editor);
  await eventually(
    () => rich(editor).innerText(),
    (shown) => shown.includes('閉じる前の手紙'),
  );
  await press(editor, '保存');
  await saved(editor);
  await leave(/status of 40[01]/);
});

test('a template is written, ticked, saved and sent; its mail arrives', async () => {
  const { id } = (await client.post('/mail_template', { add_info: { name: '新しい手紙', subject: '新しい手紙です' } }))
    .body as { id: number };
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, `/template/${id}`);
  await rich(page).press('Control+End');
  await rich(page).pressSequentially('はじめまして。');
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
