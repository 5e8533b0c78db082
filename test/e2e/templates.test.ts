import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import { enter } from './demo.ts';
import { intercept } from './intercept.ts';
import { shareScene } from './scene.ts';
import { field, press, templateLink } from './walk-steps.ts';

const scene = shareScene();

const rich = (page: Page) => page.getByRole('textbox', { name: '本文（かんたん）' });
const mode = (page: Page, name: string) =>
  page.getByRole('region', { name: 'テンプレートの編集' }).getByRole('tab', { name, exact: true });
async function insert(page: Page, name: string): Promise<void> {
  await press(page, '差し込み');
  await press(page, name);
}

/** Creates a template on the list, and waits for its editor. */
async function create(page: Page, kind: string, name: string, subject: string): Promise<void> {
  await press(page, 'テンプレートを作成');
  await page.getByRole('radio', { name: kind }).check();
  await field(page, '名前（必須）').fill(name);
  await field(page, '件名（必須）').fill(subject);
  await press(page, '作成');
  await page.waitForURL('**/template/*');
  await rich(page).waitFor();
}

/** Waits until the editor has this text. */
const shows = (page: Page, text: string | RegExp) =>
  eventually(
    () => rich(page).innerText(),
    (shown) => (typeof text === 'string' ? shown.trim() === text : text.test(shown)),
  );

/** Moves the cursor to an end of its line. Shortly after a composition the editor resets the cursor. */
const goTo = (page: Page, key: 'Home' | 'End', place: number) =>
  eventually(
    async () => {
      await page.keyboard.press(key);
      return page.evaluate<number>("document.querySelector('.ProseMirror').editor.state.selection.head");
    },
    (at) => at === place,
  );

/** Pastes HTML as copied in another program. */
const paste = (page: Page, html: string) =>
  page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/html', ${JSON.stringify(html)});
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);

/** Presses the dialog's main button. @returns the text with | where a key typed before the next frame would go */
const cursorAfterDialog = (page: Page) =>
  page.evaluate<string>(`(async () => {
    document.querySelector('body > dialog [type=submit]').click();
    await null;
    const { focusNode: { textContent }, focusOffset } = getSelection();
    return textContent.slice(0, focusOffset) + '|' + textContent.slice(focusOffset);
  })()`);

/** Returns both parts of the last mail. */
async function lastMail(subject: string): Promise<{ text: string; html: string }> {
  const mail = await eventually(
    async () => (await scene.mails()).find((caught) => caught.subject.includes(subject)),
    (found) => found !== undefined,
  );
  const source = await scene.source(mail?.id ?? '');
  const parts = [...source.matchAll(/Content-Transfer-Encoding: base64\r?\n\r?\n([\s\S]*?)\r?\n--/g)];
  const [text = '', html = ''] = parts.map(([, body = '']) => Buffer.from(body, 'base64').toString());
  return { text, html };
}

test('a template is created from a sample, edited without HTML, sent to oneself, and saved', async () => {
  const { page, leave } = await enter(scene.browser, scene.url, '/templates');
  await templateLink(page).waitFor();
  // A slow server sends the samples after 作成 was pressed.
  await intercept(page, '/mail_template/samples', async (route) => {
    await page.getByRole('button', { name: '作成', exact: true, disabled: true }).waitFor();
    await route.continue();
  });
  await create(page, '見本から作成', '新しい資料', '資料のご案内');
  await rich(page).press('Control+Home');
  await page.keyboard.type('拝啓');
  await insert(page, '会社名');
  await page.keyboard.type('様');
  await page.keyboard.press('Enter');
  await page.keyboard.type('太字');
  await page.keyboard.press('Shift+Home');
  await press(page, '太字');
  await page.keyboard.press('ArrowRight');
  await press(page, 'リンク');
  await field(page, '表示する言葉').fill('資料');
  await field(page, 'リンク先').fill('example.jp');
  await press(page, '設定');
  await page.getByText('http:// か https://、mailto:、tel: から入力してください').waitFor();
  await field(page, 'リンク先').fill('https://example.jp/');
  await press(page, '設定');
  await page.frameLocator('iframe[title="HTMLの本文"]').getByText('拝啓株式会社みどり製作所様').waitFor();
  // After a link is changed the cursor stays, so that the next key does not replace its words.
  await page.keyboard.press('ArrowLeft');
  await press(page, 'リンク');
  await field(page, 'リンク先').fill('https://example.jp/b');
  expect(await cursorAfterDialog(page)).toBe('資|料');
  await page.keyboard.type('集');
  await page.frameLocator('iframe[title="HTMLの本文"]').getByText('資集料').waitFor();

  await press(page, '自分にテスト送信');
  await page.getByText('テスト送信しました（demo@example.com）').first().waitFor();
  const { text, html } = await lastMail('資料のご案内');
  expect(text).toMatch(/^拝啓株式会社みどり製作所様\r?\n\r?\n太字資集料（https:\/\/example\.jp\/b）/);
  expect(html).toContain('<strong>太字</strong><a href="https://example.jp/b"');
  expect(html).toContain('株式会社みどり製作所');

  await page.keyboard.press('Control+s');
  await page.getByText('テンプレートを保存しました').first().waitFor();
  await page.reload();
  await shows(page, /^拝啓会社名様\n+太字資集料/);
  await page.getByRole('link', { name: 'テンプレートの一覧へ戻る' }).click();
  await templateLink(page, '新しい資料').waitFor();
  await leave();
});

const WORD = `<html><head><style>p { color: red }</style></head><body><p class=MsoNormal style='margin:0'><b>見積</b>の件</p>
<p style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>・</span>一</p>
<p><img src="data:image/png;base64,AAAA" onerror="throw 1"><script>throw 2</script></p></body></html>`;

test('an IME composes beside a chip; pasted pages become text; one undo reverts the paste', async () => {
  const { page, leave } = await enter(scene.browser, scene.url, '/templates');
  await templateLink(page).waitFor();
  await create(page, '白紙から作成', '空の手紙', '件名');
  await rich(page).press('Control+a');
  await page.keyboard.press('Delete');
  await insert(page, '会社名');
  const browser = await page.context().newCDPSession(page);
  for (const text of ['k', 'か', 'かい', '会']) {
    await browser.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  }
  await browser.send('Input.insertText', { text: '会御中' });
  await shows(page, '会社名会御中');
  await goTo(page, 'Home', 1);
  await browser.send('Input.imeSetComposition', { text: 'まえ', selectionStart: 2, selectionEnd: 2 });
  await browser.send('Input.insertText', { text: '前' });
  await shows(page, '前会社名会御中');
  // A typed field name becomes a chip at once.
  await goTo(page, 'End', 1 + '前□会御中'.length);
  await page.keyboard.type('{{ sender.email }}');
  await shows(page, '前会社名会御中差出人のメールアドレス');

  await page.keyboard.press('Enter');
  await paste(page, WORD);
  await page.getByText('画像1点は貼り付けられませんでした').waitFor();
  await shows(page, /見積の件\n+一/);
  const pasted = `[...document.querySelectorAll('.ProseMirror :is(strong, li, script, img:not(.ProseMirror-separator))')]`;
  expect(await page.evaluate(`${pasted}.map(({ localName }) => localName)`)).toEqual(['strong', 'li']);
  await page.keyboard.press('Control+z');
  await shows(page, '前会社名会御中差出人のメールアドレス');
  await paste(
    page,
    '<pre class="moz-quote-pre">一行目\n二行目</pre><table><tr><td>会場</td><td>東京</td></tr></table>',
  );
  await page.getByText('表は、1行ずつの文章として貼り付けました').waitFor();
  await shows(page, /差出人のメールアドレス\n+一行目\n二行目\n+会場　東京$/);
  await page.keyboard.press('Control+z');
  await shows(page, '前会社名会御中差出人のメールアドレス');
  // A list counts from 1, as the mail does. Typed Liquid is sent unchanged.
  await page.keyboard.type('2. 一');
  await page.keyboard.press('Enter');
  await page.keyboard.type('1. 二{{ company_name | default: "b" }}');

  await mode(page, 'HTML').click();
  const html = page.getByRole('textbox', { name: '本文（HTML）' });
  await html.waitFor();
  const written = await html.inputValue();
  expect(written).toContain('前{{ company_name }}会御中{{ sender.email }}');
  expect(written).toContain('>2. 一</p>');
  expect(written).toContain('<li>二{{ company_name | default: "b" }}</li>');
  await press(page, '保存');
  await page.getByText('テンプレートを保存しました').first().waitFor();
  // The preview may be requested while the Liquid is half typed, and is then answered 400.
  await leave(/status of 400/);
});
