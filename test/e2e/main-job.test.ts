import type { Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '#test/sending.ts';
import { hold, type Visit, visit } from './browser.ts';
import { logIn } from './demo.ts';
import type { CaughtMail } from './mail-catcher.ts';
import { shareScene } from './scene.ts';
import { EVENTS, pressOrder, tickWarnings } from './walk-steps.ts';

/** Tests the main job as a new user does it: from the first login to mails in the mail catcher. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;
let stream: Awaited<ReturnType<typeof hold>>;

beforeAll(async () => {
  opened = await visit(kaitaku.browser, kaitaku.url);
  page = opened.page;
  // The event stream is held: it would report the end of the run while its calls are held.
  stream = await hold(page, EVENTS);
});

const SUBJECT = '受発注業務の効率化のご提案';
const bodyRows = () => page.getByRole('grid').getByRole('rowgroup').nth(1).getByRole('row');
/** Returns the text of each row. Not the inner text, which is blank outside of the window (content-visibility). */
const rowTexts = () => bodyRows().allTextContents();
/** Returns the texts of the n-th column, counted from 1. */
const columnTexts = (n: number) => bodyRows().locator(`:scope > :nth-child(${n})`).allTextContents();
const tab = (name: string) => page.getByRole('tab', { name }).click();

/**
 * Sends to the companies on the attack list tab, and waits for the toast and until the header shows only the bell.
 * @param meanwhile runs while the page shows the run as open
 */
async function send(meanwhile = async () => {}): Promise<void> {
  await pressOrder(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('本当に送信しますか？').waitFor();
  await expect.poll(() => dialog.innerText()).toContain(SUBJECT);
  await expect.poll(() => dialog.innerText()).toMatch(/10[社通]/);
  await tickWarnings(page);
  const progressCall = await hold(page, /\/api\/v1\/send_log\//);
  await dialog.getByRole('button', { name: /送信$/ }).click();
  const progress = page.getByRole('region', { name: 'メールを送信中' });
  await progress.getByText('メールを送信中').waitFor();
  // No progress yet: a bar without width.
  await progress.getByRole('progressbar', { name: 'メールを送信中' }).waitFor({ state: 'attached' });
  await meanwhile();
  progressCall.letGo();
  await page
    .getByText(/メールが送信されました.*10通/s)
    .first()
    .waitFor({ timeout: 60_000 });
  await progress.waitFor({ state: 'detached' });
  await page.getByRole('banner').getByRole('button', { name: /^終了/ }).waitFor({ state: 'detached' });
}

/**
 * The run is shown on every screen, also after a reload: as a chip, because only the sending screen has the panel.
 * Its companies are no longer offered, although it has not ended.
 */
async function lookAround(): Promise<void> {
  const isNext = (rows: readonly string[]) =>
    rows.length === 10 && !rows.some((row) => companies.some((company) => row.includes(company)));
  await eventually(rowTexts, isNext);
  const panel = page.getByRole('region', { name: 'メールを送信中' });
  const chip = page.getByRole('banner').getByRole('button', { name: 'メールを送信中' });
  await panel.waitFor();
  await page.getByRole('link', { name: 'アカウント' }).click();
  await page.getByRole('heading', { name: 'プロフィール' }).waitFor();
  await chip.waitFor();
  await expect.poll(() => panel.count()).toBe(0);
  await page.reload();
  await page.getByRole('heading', { name: 'プロフィール' }).waitFor();
  await chip.waitFor();
  await expect.poll(() => panel.count()).toBe(0);
  await page.goBack();
  await eventually(rowTexts, isNext);
  stream.letGo();
}

/** Returns the mails after the first `seen` ones. */
const newMails = (seen: number): Promise<CaughtMail[]> =>
  eventually(
    async () => (await kaitaku.mails()).slice(seen),
    (mails) => mails.length >= 10,
  );

/** Checks the bytes of the mail with an independent parser. */
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

test('§2.10 a visitor logs in and sees the list of companies', async () => {
  await logIn(page);
  await page.getByText('該当 1,000社').waitFor();
  // Rows below the window are rendered after those in it.
  await eventually(
    () => bodyRows().count(),
    (rows) => rows === 50,
  );
});

let companies: string[] = [];

test('a test send of 10 goes to test+[n]@example.com', async () => {
  await tab('アタックリスト');
  await page.getByRole('switch', { name: '予約モード' }).click();
  await page.getByLabel('テスト送信先').fill('test+[n]@example.com');
  await page.getByRole('gridcell', { name: 'test+9@example.com' }).waitFor();
  // In a test the column after the boxes shows the number of each row, which replaces [n].
  companies = await columnTexts(3);
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
  await page.getByText('該当 0社').waitFor();
});

test('a real send of 10 goes to the companies themselves', async () => {
  await tab('アタックリスト');
  await page.getByRole('switch', { name: 'テストモード' }).click();
  await page.getByRole('gridcell', { name: 'test+0@example.com' }).waitFor({ state: 'detached' });
  expect(await columnTexts(2)).toStrictEqual(companies);
  const addresses = await columnTexts(4);
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
  await page.getByText('該当 10社').waitFor();
  const rows = await rowTexts();
  expect(rows).toHaveLength(10);
  for (const row of rows) expect(row).toMatch(/\d{4}\/\d{2}\/\d{2} \d{2}:\d{2}/);
  for (const company of companies) expect(rows.join('\n')).toContain(company);
  await opened.leave();
});
