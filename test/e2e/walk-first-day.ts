import type { Page } from 'playwright-core';
import { closeToasts, field, press, pressOrder, tickWarnings, whenLoaded } from './walk-steps.ts';

/** What the walk needs besides the browser. */
export interface FirstDay {
  /** The link that the program prints while no account exists. */
  readonly setupLink: string;
  /** Waits for a mail to an address, and returns its link whose path begins with `path`. */
  readonly mailedLink: (to: string, path: string) => Promise<string>;
  /** Connects a mailbox, which confirms the sender: where a catcher keeps all other mails. Else a mail confirms it. */
  readonly connectMailbox?: () => Promise<void>;
}

export const OWNER = { company: '株式会社花', name: '山田 花子', email: 'hana@hana.example.jp' };
const PASSWORD = '夜の灯台と三匹の黒い子猫';
export const FIRST_COMPANY = { name: '株式会社みなと工業', email: 'info@minato.example.jp', ceo: '湊 太郎' };
/** A list as Excel saves it in Japan. */
const LIST = `会社名,代表メール,代表者,業種\r\n${FIRST_COMPANY.name},${FIRST_COMPANY.email},${FIRST_COMPANY.ceo},製造業\r\n`;

const bar = (page: Page) => page.getByRole('region', { name: 'はじめかた' });
/** Waits until the bar shows this many steps as done. */
const isDone = (page: Page, steps: number) => bar(page).getByText(`${steps} / 6 完了`).waitFor();
/** Presses the button after the step that was completed on this screen. */
const goOn = (page: Page, role: 'link' | 'button', step: string) =>
  bar(page)
    .getByRole(role, { name: `次：${step}` })
    .click();

/**
 * Walks from an empty database to the first real mail, using only the screens.
 * It names each step while it is shown. `npm run bench -- first-day` counts its presses and typed characters.
 */
export async function* firstDay(
  page: Page,
  { setupLink, mailedLink, connectMailbox }: FirstDay,
): AsyncGenerator<string> {
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
  if (connectMailbox === undefined) yield* confirmSender(page, mailedLink);
  else await connectMailbox();
  yield* addCompanies(page);
  yield* editTemplate(page);
  yield* sendFirst(page);
}

/** Enters the legal details; the company's name and the addresses are known from the set-up. */
async function* showSender(page: Page): AsyncGenerator<string> {
  await bar(page).getByRole('link', { name: '入力する' }).click();
  await field(page, '住所（必須）').waitFor();
  yield* whenLoaded(page, 'legal-form');
  await field(page, '郵便番号（必須）').fill('５３００００１');
  await field(page, '住所（必須）').fill('大阪府大阪市北区梅田1-2');
  await page.getByLabel('内容を確認しました').check();
  await press(page, '保存');
  await bar(page).getByText('法定表示がそろいました').waitFor();
  await closeToasts(page);
  yield* whenLoaded(page, 'legal-done');
}

async function* confirmSender(page: Page, mailedLink: FirstDay['mailedLink']): AsyncGenerator<string> {
  await goOn(page, 'button', '差出人を確認');
  await bar(page).getByText(`確認メールを${OWNER.email}に送りました`).waitFor();
  yield* whenLoaded(page, 'sender-asked');
  const mail = await page.context().newPage();
  await mail.goto(await mailedLink(OWNER.email, '/sender-confirmation/'));
  await press(mail, 'このアドレスを確認');
  await mail.getByText(`${OWNER.email} を確認しました`).waitFor();
  yield* whenLoaded(mail, 'sender-confirmed');
  await mail.close();
  await bar(page).getByText('差出人を確認しました').waitFor();
}

async function* addCompanies(page: Page): AsyncGenerator<string> {
  const file = { name: '見込み客.csv', mimeType: 'text/csv', buffer: Buffer.from(LIST) };
  await bar(page).getByLabel('次：見込み客を取り込む').setInputFiles(file);
  await field(page, '会社名の項目').waitFor();
  yield* whenLoaded(page, 'import-columns');
  await press(page, '次へ');
  await page.getByRole('button', { name: '1社を取り込む' }).waitFor();
  yield* whenLoaded(page, 'import-check');
  await press(page, '1社を取り込む');
  await bar(page).getByText('1社を取り込みました').waitFor();
  yield* whenLoaded(page, 'import-done');
}

async function* editTemplate(page: Page): AsyncGenerator<string> {
  await goOn(page, 'link', '文面を整える');
  await field(page, 'テンプレート名').fill('はじめてのご挨拶');
  await press(page, '保存');
  await bar(page).getByText('文面を保存しました').waitFor();
  yield* whenLoaded(page, 'template-rich');
  await press(page, '自分にテスト送信');
  await bar(page).getByText('自分にテスト送信しました').waitFor();
  yield* whenLoaded(page, 'test-mail');
  await closeToasts(page);
}

async function* sendFirst(page: Page): AsyncGenerator<string> {
  await goOn(page, 'link', 'はじめての送信');
  await bar(page).getByRole('button', { name: 'オフにする' }).click();
  await page.getByRole('gridcell', { name: FIRST_COMPANY.email }).waitFor();
  yield* whenLoaded(page, 'attack-list');
  await pressOrder(page);
  await page.getByRole('dialog').getByText('本当に送信しますか？').waitFor();
  yield* whenLoaded(page, 'send-dialog');
  await tickWarnings(page);
  await page.getByRole('dialog').getByRole('button', { name: '1社に送信' }).click();
  await bar(page).getByText('はじめての送信が終わりました').waitFor();
  yield* whenLoaded(page, 'sending');
  await bar(page).getByRole('link', { name: '結果を見る' }).click();
  await page.getByRole('rowheader').getByRole('link').first().click();
  await page.getByText(FIRST_COMPANY.name).waitFor();
  yield* whenLoaded(page, 'sends-detail');
}
