import type { Page } from 'playwright-core';
import { fillLegalForm } from './legal-form.ts';
import { closeToasts, field, press, tickWarnings, toggle, whenLoaded } from './walk-steps.ts';

/** What the walk needs from outside of the screen. */
export interface FirstDay {
  /** The link that the program prints while there is no account. */
  readonly setupLink: string;
  /** Waits for a mail to an address, and returns the link in it whose path begins so. */
  readonly mailedLink: (to: string, path: string) => Promise<string>;
}

export const OWNER = { company: '株式会社花', name: '山田 花子', email: 'hana@hana.example.jp' };
const PASSWORD = '夜の灯台と三匹の黒い子猫';
export const FIRST_COMPANY = { name: '株式会社みなと工業', email: 'info@minato.example.jp', ceo: '湊 太郎' };
/** As Excel writes a list in Japan. */
const LIST = `会社名,代表メール,代表者,業種\r\n${FIRST_COMPANY.name},${FIRST_COMPANY.email},${FIRST_COMPANY.ceo},製造業\r\n`;

const card = (page: Page) => page.getByRole('region', { name: 'はじめかた' });
/** Presses the button of a step on the card. */
const start = (page: Page, act: string) => card(page).getByRole('link', { name: act }).click();
/** Waits until the card shows so many steps as done. */
const isDone = (page: Page, steps: number) => card(page).getByText(`${steps} / 6 完了`).waitFor();
const home = (page: Page) => page.getByRole('navigation').getByRole('link', { name: '見込み客' }).click();

/**
 * Walks from an empty database to the first real mail, by screen alone.
 * It names each step while it is shown.
 */
export async function* firstDay(page: Page, { setupLink, mailedLink }: FirstDay): AsyncGenerator<string> {
  await page.goto(setupLink);
  await field(page, '会社名').fill(OWNER.company);
  await field(page, '氏名').fill(OWNER.name);
  await field(page, 'メールアドレス').fill(OWNER.email);
  await field(page, 'パスワード').fill(PASSWORD);
  await field(page, 'パスワード（確認）').fill(PASSWORD);
  yield* whenLoaded(page, 'setup');
  await page.keyboard.press('Enter');
  await page.getByText('アカウントを作成しました').waitFor();
  await isDone(page, 0);
  await closeToasts(page);
  yield* whenLoaded(page, 'first-steps');
  yield* showSender(page);
  yield* confirmSender(page, mailedLink);
  yield* addCompanies(page);
  yield* editTemplate(page);
  yield* sendFirst(page);
}

async function* showSender(page: Page): AsyncGenerator<string> {
  await start(page, '入力する');
  await field(page, '住所（必須）').waitFor();
  yield* whenLoaded(page, 'legal-form');
  await fillLegalForm(page);
  await closeToasts(page);
  await home(page);
  await isDone(page, 1);
}

async function* confirmSender(page: Page, mailedLink: FirstDay['mailedLink']): AsyncGenerator<string> {
  await start(page, '確認メールを送る');
  await page.getByRole('button', { name: '確認メールを送る' }).waitFor();
  yield* whenLoaded(page, 'sender-form');
  await press(page, '確認メールを送る');
  await page.getByText(`確認メールを${OWNER.email}に送りました`).waitFor();
  const mail = await page.context().newPage();
  await mail.goto(await mailedLink(OWNER.email, '/sender-confirmation/'));
  await press(mail, 'このアドレスを確認');
  await mail.getByText(`${OWNER.email} を確認しました`).waitFor();
  yield* whenLoaded(mail, 'sender-confirmed');
  await mail.close();
  await home(page);
  await isDone(page, 2);
}

async function* addCompanies(page: Page): AsyncGenerator<string> {
  await start(page, 'CSVを取り込む');
  yield* whenLoaded(page, 'import-file');
  const file = { name: '見込み客.csv', mimeType: 'text/csv', buffer: Buffer.from(LIST) };
  await page.getByLabel('ファイルを選ぶ').setInputFiles(file);
  await page.getByRole('cell', { name: FIRST_COMPANY.name }).waitFor();
  await press(page, '次へ');
  await field(page, '会社名の項目').waitFor();
  yield* whenLoaded(page, 'import-columns');
  await press(page, '次へ');
  await page.getByRole('button', { name: '1社を取り込む' }).waitFor();
  yield* whenLoaded(page, 'import-check');
  await press(page, '1社を取り込む');
  await page.getByText('1社を取り込みました').waitFor();
  yield* whenLoaded(page, 'import-done');
  await page.getByRole('link', { name: '見込み客を見る' }).click();
  await isDone(page, 3);
}

async function* editTemplate(page: Page): AsyncGenerator<string> {
  await start(page, 'テンプレートを編集');
  await field(page, 'テンプレート名').fill('はじめてのご挨拶');
  await press(page, '保存');
  await page.getByText('テンプレートを保存しました').first().waitFor();
  yield* whenLoaded(page, 'template-rich');
  await press(page, '自分にテスト送信');
  await page.getByText(`テスト送信しました（${OWNER.email}）`).first().waitFor();
  yield* whenLoaded(page, 'test-mail');
  await closeToasts(page);
  await home(page);
  await isDone(page, 5);
}

async function* sendFirst(page: Page): AsyncGenerator<string> {
  await start(page, 'アタックリストを開く');
  await toggle(page, 'テストモード');
  await toggle(page, '予約モード');
  await page.getByRole('gridcell', { name: FIRST_COMPANY.email }).waitFor();
  yield* whenLoaded(page, 'attack-list');
  await press(page, '送信');
  await page.getByRole('dialog').getByText('実際の会社に送ります').waitFor();
  yield* whenLoaded(page, 'send-dialog');
  await tickWarnings(page);
  await press(page, '1社に送信');
  await card(page).getByText('はじめての送信が終わりました').waitFor();
  yield* whenLoaded(page, 'sending');
  await page.getByRole('navigation').getByRole('link', { name: '送信履歴' }).click();
  await page.getByRole('rowheader').getByRole('link').first().click();
  await page.getByText(FIRST_COMPANY.name).waitFor();
  yield* whenLoaded(page, 'sends-detail');
}
