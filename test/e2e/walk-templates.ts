import type { Page } from 'playwright-core';
import { LETTER } from '../../bench/letter.ts';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, field, press, pressLogOut, templateLink, when, whenLoaded } from './walk-steps.ts';

const LIST = '/mail_template/list';
const FOLDERS = '/mail_template_folder/list';
const ARCHIVE = '/mail_template/*/archive';
const VERSION_LIST = '/mail_template/*/version/list';
const VERSION = '/mail_template/*/version/2';
const TEMPLATE = /\/api\/v1\/mail_template\/\d+$/;

const FOLDER = { id: 1, name: '展示会', templates: 2 };
const IN_USE = {
  message:
    '予約が2件あるため、アーカイブできません。先に予約を削除するか、予約の変更でほかのテンプレートを選んでください。',
  code: 'template_in_use',
};

/** A template of another program, which the demo does not have: HTML with looks that the simple editor cannot show. */
const { text_body, html_body } = LETTER.template;
const HAND_WRITTEN = { text_body, html_body, editor: 'html', text_follows: 0 };

const NAME = '資料送付のお伺い';
/** An earlier version of it, and the list of all. */
const EARLIER = {
  ...HAND_WRITTEN,
  number: 2,
  name: NAME,
  subject: '経費精算に関する資料のご送付',
  text_body: text_body.replace('何卒よろしく', 'ご検討のほど、よろしく'),
  at: '2026/11/24 14:05:00',
  member: '鈴木 彩',
};
const VERSIONS = [{ number: 3, at: '2026/11/30 09:12:00' }, EARLIER, { number: 1, at: '2026/11/20 10:40:00' }].map(
  ({ number, at }) => ({ number, at, name: NAME, subject: EARLIER.subject, member: EARLIER.member }),
);

/** Shows each template with other content, until letThrough(). */
async function showTemplate(page: Page, content: object): Promise<void> {
  letThrough(page, TEMPLATE);
  await intercept(page, TEMPLATE, async (route) => {
    const template = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...template, ...content } });
  });
}

const mode = (page: Page, name: string) =>
  page.getByRole('region', { name: 'テンプレートの編集' }).getByRole('tab', { name, exact: true }).click();

/** Shows the text or the preview, of which phones show one. */
async function show(page: Page, name: '書く' | '見る'): Promise<void> {
  const tab = page.getByRole('tab', { name, exact: true });
  if ((await tab.count()) > 0) await tab.click();
}

/** Walks through the list of templates and their editors. It changes nothing. */
export async function* templates(page: Page, url: string): AsyncGenerator<string> {
  yield* list(page, url);
  yield* codeEditor(page, url);
  yield* conversion(page);
  yield* simpleEditor(page);
}

async function* list(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/templates`);
  await templateLink(page).waitFor();
  yield* whenLoaded(page, 'templates');
  await field(page, '名前・件名で探す').fill('此処には無い');
  yield* when(page, '条件に合うテンプレートがありません', 'templates-no-match');
  await press(page, '条件をクリア');
  await page
    .getByRole('button', { name: /の操作$/ })
    .first()
    .click();
  await intercept(page, ARCHIVE, (route) => route.fulfill({ status: 409, json: IN_USE }));
  const archive = page.getByRole('dialog').getByRole('button', { name: 'アーカイブ' });
  await archive.click();
  yield* when(page, /このテンプレートで送れなくなります。/, 'template-archive');
  await archive.click();
  yield* when(page, /^予約が2件あるため/, 'template-in-use');
  letThrough(page, ARCHIVE);
  await closeDialog(page);
  await intercept(page, FOLDERS, (route) => route.fulfill({ json: [FOLDER] }));
  await page.reload();
  await templateLink(page).waitFor();
  await press(page, 'フォルダーを整理');
  yield* whenLoaded(page, 'template-folders');
  await closeDialog(page);
  await press(page, 'テンプレートを作成');
  await page.getByRole('radio', { name: /^初めてのご挨拶/ }).waitFor();
  yield* whenLoaded(page, 'template-create');
  await field(page, '名前（必須）').fill('');
  await page.getByRole('dialog').getByRole('button', { name: '作成', exact: true }).click();
  yield* when(page, '入力してください', 'template-create-missing');
  await closeDialog(page);
  await intercept(page, LIST, (route) => route.fulfill({ json: [] }));
  await page.reload();
  yield* when(page, 'テンプレートがまだありません', 'templates-none');
  letThrough(page, LIST);
  letThrough(page, FOLDERS);
}

async function* codeEditor(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/templates`);
  yield* notices(page);
  await showTemplate(page, { ...HAND_WRITTEN, name: NAME, number: 3 });
  await intercept(page, VERSION_LIST, (route) => route.fulfill({ json: VERSIONS }));
  await intercept(page, VERSION, (route) => route.fulfill({ json: EARLIER }));
  await page.reload();
  const html = page.getByRole('textbox', { name: '本文（HTML）' });
  await html.waitFor();
  const more = page.getByRole('button', { name: 'その他の操作' });
  if ((await more.count()) > 0) {
    yield* whenLoaded(page, 'template-write');
    await more.click();
    await press(page, 'テンプレート名を変更');
    await page.getByRole('dialog', { name: 'テンプレート名' }).waitFor();
    yield* whenLoaded(page, 'template-name');
    await closeDialog(page);
  }
  await show(page, '見る');
  yield* when(page, '差し込み項目と敬称に問題はありません', 'template');
  if ((await more.count()) > 0) await more.click();
  await press(page, '履歴');
  // The dialog loads a library: keys pressed earlier would miss it.
  await page.getByRole('dialog').getByRole('radio').first().waitFor();
  yield* whenLoaded(page, 'template-history');
  await closeDialog(page);
  letThrough(page, VERSION_LIST);
  letThrough(page, VERSION);
  await show(page, '書く');
  await html.press('Control+Home');
  await html.pressSequentially('{{ company_nam }}');
  await show(page, '見る');
  yield* when(page, 'プレビューは直前の内容です', 'template-fault');
  const theirs = { version: 'of another tab', updated_by: '鈴木 彩', updated_at: '2026/11/23 10:02:00' };
  await showTemplate(page, { ...HAND_WRITTEN, ...theirs });
  await show(page, '書く');
  await html.fill('<p>{{ person_in_charge }}</p>');
  await show(page, '見る');
  await press(page, '表示の設定');
  await page.getByRole('switch', { name: '担当者がいない会社で見る' }).click();
  yield* whenLoaded(page, 'template-preview-options');
  await page.keyboard.press('Escape');
  await page.evaluate("void window.dispatchEvent(new Event('visibilitychange'))");
  // The error's text disappears when the server has answered, and the content moves up: wait here, not in the next
  // picture.
  await page.getByText('プレビューは直前の内容です').waitFor({ state: 'hidden' });
  yield* when(page, /^鈴木 彩さんが.*11\/23（月）10:02に保存しました$/, 'template-conflict');
  await showTemplate(page, HAND_WRITTEN);
  await show(page, '書く');
  await mode(page, 'テキスト');
  await press(page, '変更を破棄');
  yield* when(page, '保存していない変更を破棄しますか？', 'template-discard');
  await closeDialog(page);
  await pressLogOut(page);
  yield* when(page, '変更を破棄してログアウトしますか？', 'template-log-out');
  await closeDialog(page);
  await page.getByRole('link', { name: 'テンプレートの一覧へ戻る' }).click();
  yield* when(page, '変更を破棄して移動しますか？', 'template-leave');
  await press(page, '破棄して移動');
  await templateLink(page).waitFor();
}

/** Opens a template older than the legal footer with its notices, and one at SendGrid. */
async function* notices(page: Page): AsyncGenerator<string> {
  const sendGrid = { sendgrid_template_id: `d-${'5f1c'.repeat(8)}`, sendgrid_footer_confirmed: 0 };
  await showTemplate(page, { ...HAND_WRITTEN, asks_for_reply: 1, ...sendGrid });
  await templateLink(page).click();
  yield* when(page, /^本文に「配信停止」との返信をお願いする行/, 'template-notices');
}

/** Converts the template of codeEditor() for the simple editor, and leaves without saving. */
async function* conversion(page: Page): AsyncGenerator<string> {
  await templateLink(page).click();
  await page.getByRole('textbox', { name: '本文（HTML）' }).waitFor();
  await mode(page, 'かんたん');
  yield* when(page, '「かんたん」にすると、次の書式は失われます。切り替えますか？', 'template-conversion');
  await press(page, '切り替える');
  await page.getByRole('textbox', { name: '本文（かんたん）' }).waitFor();
  await page.getByRole('link', { name: 'テンプレートの一覧へ戻る' }).click();
  await press(page, '破棄して移動');
  await templateLink(page).waitFor();
  letThrough(page, TEMPLATE);
  // The client keeps what it has read.
  await page.reload();
}

async function* simpleEditor(page: Page): AsyncGenerator<string> {
  await templateLink(page).click();
  await page.getByRole('textbox', { name: '本文（かんたん）' }).waitFor();
  yield* whenLoaded(page, 'template-rich');
  await press(page, '差し込み');
  yield* whenLoaded(page, 'template-insert');
  await page.keyboard.press('Escape');
  await show(page, '見る');
  await press(page, '表示の設定');
  await page.getByRole('radio', { name: 'スマートフォン' }).check();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: '会社' }).click();
  // The open list covers the content: show the state after the choice.
  await page.getByRole('listbox', { name: '会社' }).getByRole('option').nth(2).click();
  yield* when(page, '差し込み項目と敬称に問題はありません', 'template-company');
  await show(page, '書く');
  await press(page, 'リンク');
  await press(page, '設定');
  yield* when(page, 'http:// か https://、mailto:、tel: から入力してください', 'template-link');
  await closeDialog(page);
  await mode(page, 'テキスト');
  yield* when(page, '「かんたん」の内容から、自動で作られています。', 'template-following-text');
  await page.getByRole('link', { name: 'テンプレートの一覧へ戻る' }).click();
  await templateLink(page).waitFor();
}
