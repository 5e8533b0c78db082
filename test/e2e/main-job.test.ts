import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import { browserOfWorker, hold, type Visit, visit } from './browser.ts';
import { logIn } from './demo.ts';
import { type RunningKaitaku, startFresh } from './fresh-start.ts';
import type { CaughtMail } from './mail-catcher.ts';
import { EVENTS, tickWarnings } from './walk-steps.ts';

/** The main job as a new user does it: from the first start to mails in the mail catcher. */
let kaitaku: RunningKaitaku;
const browser = browserOfWorker();
let opened: Visit;
let page: Page;
let stream: Awaited<ReturnType<typeof hold>>;

beforeAll(async () => {
  kaitaku = await startFresh();
  opened = await visit(browser, kaitaku.url);
  page = opened.page;
  // Otherwise it would say that a run has ended while the calls for the run are held.
  stream = await hold(page, EVENTS);
});

afterAll(async () => {
  await kaitaku?.stop();
});

const SUBJECT = '受発注業務の効率化のご提案';
const bodyRows = () => page.getByRole('grid').getByRole('rowgroup').nth(1).getByRole('row');
const rowTexts = () => bodyRows().allInnerTexts();
/** Returns the texts of the n-th column, from 1. */
const columnTexts = (n: number) => bodyRows().locator(`:scope > :nth-child(${n})`).allInnerTexts();
const tab = (name: string) => page.getByRole('tab', { name }).click();

/**
 * Sends to the companies on the attack list tab, and waits for the toast and the result strip.
 * @param meanwhile runs while the page shows the run as open
 */
async function send(meanwhile = async () => {}): Promise<void> {
  await page.getByRole('button', { name: '送信', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('本当に送信しますか？').waitFor();
  expect(await dialog.innerText()).toContain(SUBJECT);
  expect(await dialog.innerText()).toContain('10件');
  await tickWarnings(page);
  const progressCall = await hold(page, /\/api\/v1\/send_log\//);
  await dialog.getByRole('button', { name: /送信$/ }).click();
  const progress = page.getByRole('region', { name: 'メールを送信中' });
  await progress.getByText('メールを送信中').waitFor();
  // The page shows no progress yet: a bar without width.
  await progress.getByRole('progressbar', { name: 'メールを送信中' }).waitFor({ state: 'attached' });
  await meanwhile();
  progressCall.letGo();
  await page
    .getByText(/メールが送信されました.*10件/s)
    .first()
    .waitFor({ timeout: 60_000 });
  await progress.waitFor({ state: 'detached' });
  const ended = page.getByRole('region', { name: 'メールが送信されました' });
  expect(await ended.getByRole('link', { name: '送信結果を見る' }).getAttribute('href')).toMatch(/^\/sends\/\d+$/);
  await ended.getByRole('button', { name: '進み具合を閉じる' }).click();
  await ended.waitFor({ state: 'detached' });
}

/**
 * The run shows on every screen, also after a reload.
 * Its companies are no longer offered, though it has not ended.
 */
async function lookAround(): Promise<void> {
  const isNext = (rows: readonly string[]) =>
    rows.length === 10 && !rows.some((row) => companies.some((company) => row.includes(company)));
  await eventually(rowTexts, isNext);
  const strip = page.getByRole('region', { name: 'メールを送信中' });
  await page.getByRole('link', { name: 'アカウント' }).click();
  await page.getByRole('heading', { name: 'プロフィール' }).waitFor();
  await strip.waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'プロフィール' }).waitFor();
  await strip.waitFor();
  await page.goBack();
  await eventually(rowTexts, isNext);
  stream.letGo();
}

/** Returns the mails after the first `seen`. */
const newMails = (seen: number): Promise<CaughtMail[]> =>
  eventually(
    async () => (await kaitaku.mails()).slice(seen),
    (mails) => mails.length >= 10,
  );

/** Checks the bytes that were sent over the wire with an independent parser. */
async function checkContent(mail: CaughtMail, company: string): Promise<void> {
  const source = await kaitaku.source(mail.id);
  expect(source).toMatch(/^Message-ID: <[0-9a-f-]{36}@kaitaku-demo\.example>\r?$/im);
  expect(source).toMatch(/charset=utf-8/i);
  const parsed = await PostalMime.parse(source);
  expect(parsed.subject).toBe(SUBJECT);
  expect(parsed.from).toMatchObject({ address: 'tanaka@kaitaku-demo.example', name: '田中 直樹' });
  expect(Math.abs(Date.now() - new Date(parsed.date ?? '').getTime())).toBeLessThan(5 * 60_000);
  expect(parsed.text).toContain(company);
  expect(parsed.text).toContain('株式会社架空商事の田中 直樹と申します。');
  expect(parsed.html).toContain(company);
  expect(`${parsed.text}${parsed.html}`).not.toMatch(/\{\{|undefined|null/);
}

test('the start tells where to go and how to log in', () => {
  const output = kaitaku.program.output();
  expect(output).toContain(kaitaku.url);
  expect(output).toContain('demo@example.com / tegami-ga-todoku');
  expect(output).toContain('メールキャッチャー: http://127.0.0.1:');
});

test('whoever leaves something out or mistypes it is told, and stays at the login', async () => {
  const { page: door, leave } = await visit(browser, kaitaku.url);
  await door.waitForURL('**/login*');
  const enter = () => door.getByRole('button', { name: 'ログイン' }).click();
  const isWarned = (words: string) => door.getByRole('alert').filter({ hasText: words }).waitFor();
  await enter();
  await isWarned('メールアドレスを入力してください');
  await door.getByLabel('メールアドレス').fill('demo@example.com');
  await enter();
  await isWarned('パスワードを入力してください');
  await door.getByLabel('パスワード', { exact: true }).fill('tegami-ga-todokanai');
  await enter();
  await isWarned('メールアドレスまたはパスワードが違います');
  expect(new URL(door.url()).pathname).toBe('/login');
  await leave(/status of 401/);
});

test('§2.10 a visitor logs in and sees the list of companies', async () => {
  await logIn(page);
  await page.getByText('該当 1,000件').waitFor();
  expect(await bodyRows().count()).toBe(50);
});

test('a page of 200 companies is whole, for a search in the page and for a screen reader too', async () => {
  const size = page.getByLabel('表示件数');
  await size.selectOption('200');
  await bodyRows().nth(199).waitFor({ state: 'attached' });
  const last = await bodyRows().nth(199).getByRole('rowheader').textContent();
  expect(await page.evaluate(`find(${JSON.stringify(last)})`)).toBe(true);

  const inspector = await page.context().newCDPSession(page);
  await inspector.send('Accessibility.enable');
  const namedRows = async () => {
    const { nodes } = await inspector.send('Accessibility.getFullAXTree');
    return nodes.filter(({ role }) => role?.value === 'rowheader').length;
  };
  await eventually(namedRows, (count) => count === 200);
  await inspector.detach();
  await size.selectOption('50');
  await page.getByText('1–50 / 1,000件').waitFor();
});

test('two comma-separated terms filter by 業種', async () => {
  await page.getByLabel('業種', { exact: true }).fill('製造、 建設');
  await eventually(
    () =>
      page
        .getByText(/^該当 /)
        .first()
        .innerText(),
    (text) => !text.includes('1,000') && !text.includes('…'),
  );
  const industries = await rowTexts();
  expect(industries.length).toBe(50);
  for (const row of industries) expect(row).toMatch(/製造|建設/);
  expect(industries.some((row) => row.includes('製造業'))).toBe(true);
  expect(industries.some((row) => row.includes('建設業'))).toBe(true);
});

let companies: string[] = [];

test('a test send of 10 goes to test+[n]@example.com', async () => {
  await tab('アタックリスト');
  await page.getByRole('switch', { name: '予約モード' }).click();
  await page.getByLabel('テスト送信先').fill('test+[n]@example.com');
  await page.getByRole('gridcell', { name: 'test+9@example.com' }).waitFor();
  // A test shows the row number first, which replaces [n].
  companies = await columnTexts(2);
  expect(companies).toHaveLength(10);
  await send();
  const mails = await newMails(0);
  const addressees = mails.map(({ to }) => to.map(({ address }) => address).join());
  expect(addressees.sort()).toStrictEqual(Array.from({ length: 10 }, (_, n) => `test+${n}@example.com`));
  for (const mail of mails) {
    const row = Number(/\+(\d)@/.exec(mail.to[0]?.address ?? '')?.[1]);
    await checkContent(mail, companies[row] ?? 'no company');
  }
});

test('a test send leaves the companies as they were', async () => {
  await tab('見込み客リスト');
  await page.getByLabel('送信状況').selectOption({ label: '送信済み' });
  await page.getByText('該当 0件').waitFor();
});

test('a real send of 10 goes to the companies themselves', async () => {
  await tab('アタックリスト');
  await page.getByRole('switch', { name: 'テストモード' }).click();
  await page.getByRole('gridcell', { name: 'test+0@example.com' }).waitFor({ state: 'detached' });
  expect(await columnTexts(1)).toStrictEqual(companies);
  const addresses = await columnTexts(2);
  await send(lookAround);
  const mails = await newMails(10);
  const expected = new Map(addresses.map((address, row) => [address, companies[row]]));
  expect(mails).toHaveLength(10);
  expect(new Set(mails.map(({ to }) => to[0]?.address)).size).toBe(10);
  for (const mail of mails) {
    const address = mail.to[0]?.address ?? '';
    expect([...expected.keys()]).toContain(address);
    expect(mail.envelope.to.map((recipient) => recipient.address)).toStrictEqual([address]);
    await checkContent(mail, expected.get(address) ?? 'no company');
  }
});

test('the 10 companies carry a last sent time and are no longer offered', async () => {
  await eventually(
    rowTexts,
    (rows) => rows.length === 10 && !rows.some((row) => companies.some((company) => row.includes(company))),
  );
  await tab('見込み客リスト');
  await page.getByText('該当 10件').waitFor();
  const rows = await rowTexts();
  expect(rows).toHaveLength(10);
  for (const row of rows) expect(row).toMatch(/\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}/);
  for (const company of companies) expect(rows.join('\n')).toContain(company);
});

test('log-out leaves nothing behind', async () => {
  await page.getByRole('button', { name: 'ログアウト' }).click();
  await page.getByText('ログアウトしました').first().waitFor();
  await page.waitForURL('**/login*');
  expect(await page.evaluate('sessionStorage.getItem(Object.keys(sessionStorage)[0] ?? "") ?? ""')).not.toContain(
    'demo@example.com',
  );
  await opened.leave();
});
