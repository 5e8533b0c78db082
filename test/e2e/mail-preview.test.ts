import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Visit } from './browser.ts';
import { demoClient, enter, PAGE_SIZE } from './demo.ts';
import { shareScene } from './scene.ts';
import { openFilters } from './walk-steps.ts';

/** Tests the steps before a send: why companies are left out, and the finished mail of each target. No mail is sent. */
const kaitaku = shareScene();
let opened: Visit;
let page: Page;

beforeAll(async () => {
  opened = await enter(kaitaku.browser, kaitaku.url);
  page = opened.page;
  await page.getByText('該当 1,000社').waitFor();
  await page.getByRole('tab', { name: 'アタックリスト' }).click();
});

const dialog = () => page.getByRole('dialog');
const companies = () => dialog().getByRole('rowheader').allTextContents();

test('each reason shows its companies, page by page, by keyboard only', async () => {
  const reason = page.getByRole('button', { name: /^メールアドレスなし \d+社$/ });
  const counted = Number(/\d+/.exec(await reason.innerText())?.[0]);
  await reason.focus();
  await page.keyboard.press('Enter');
  await dialog().getByRole('rowheader').first().waitFor();
  const first = await companies();
  expect(first).toHaveLength(PAGE_SIZE);
  await dialog().getByRole('button', { name: '次のページ' }).press('Enter');
  await dialog()
    .getByText(`${PAGE_SIZE + 1}–${2 * PAGE_SIZE} / ${counted}件`)
    .waitFor();
  await dialog()
    .getByRole('rowheader', { name: first[0] ?? '', exact: true })
    .waitFor({ state: 'detached' });
  expect(await companies()).toHaveLength(PAGE_SIZE);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await expect.poll(() => page.locator(':focus').innerText()).toBe(await reason.innerText());
});

test('the mails are paged through in the form in which they would be sent, their HTML with its own styles', async () => {
  await page.getByLabel('テスト送信先').fill('test+[n]@example.com');
  await page.getByRole('gridcell', { name: 'test+1@example.com' }).waitFor();
  const names = await page.getByRole('grid').getByRole('rowheader').allTextContents();
  await page.getByRole('button', { name: 'メールを確認' }).press('Enter');
  await dialog().getByText('1 / 10通').waitFor();
  await dialog().getByRole('button', { name: '次のメール' }).press('Enter');
  await dialog().getByText('test+1@example.com').waitFor();
  await dialog().getByText('受発注業務の効率化のご提案').waitFor();
  await dialog().getByText('田中 直樹（tanaka@kaitaku-demo.example）').waitFor();
  await dialog().getByText('差し込み項目と敬称に問題はありません').waitFor();
  const html = page.frameLocator('iframe[title="HTMLの本文"]');
  await html.getByText(names[1] ?? 'no company').waitFor();
  // If the page's policy refused a style attribute, the style would be missing, and an error logged on the console.
  const lineHeight = (body: unknown) => (body as { style: { lineHeight: string } }).style.lineHeight;
  expect(await html.locator('body').evaluate(lineHeight)).toBe('1.8');
  await dialog().getByRole('tab', { name: 'テキスト' }).click();
  await expect.poll(() => dialog().getByRole('tabpanel').innerText()).toContain(`${names[1]}\n`);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
});

test('candidate dates are shown in the mails', async () => {
  await page.getByRole('switch', { name: '候補日を入れる' }).click();
  await page.getByRole('button', { name: 'メールを確認' }).click();
  await dialog().getByRole('tab', { name: 'テキスト' }).click();
  await dialog()
    .getByText(/・\d+月\d+日\(.\) 9:00〜18:00/)
    .waitFor();
  await page.keyboard.press('Escape');
});

interface Template {
  readonly id: number;
  readonly name: string;
  readonly version: string;
}

test('blank fields of a mail, and a doubled honorific, are reported above it', async () => {
  const client = await demoClient(kaitaku.url);
  const [sender] = (await client.get('/sender/list')).body as { template_id: number }[];
  const { id, name, version } = (await client.get(`/mail_template/${sender?.template_id}`)).body as Template;
  const text_body = '{{ company_name }}御中\n{{ person_in_charge }}様\n{{ candidate_dates }}';
  const update_info = { name, text_body, html_body: '', senders: [] };
  expect((await client.put(`/mail_template/${id}`, { version, update_info })).status).toBe(200);
  // No company has this address.
  await openFilters(page, true);
  await page.getByLabel('代表メール').fill('info@icho-consulting.example');
  await page.getByRole('button', { name: '条件に合う1社すべての分' }).waitFor();
  await page.getByRole('switch', { name: '候補日を入れる' }).click();
  await page.getByRole('button', { name: 'メールを確認' }).click();
  const warnings = dialog().getByRole('list', { name: '送信前に確認が必要な点' });
  await warnings.waitFor();
  expect((await warnings.getByRole('listitem').allInnerTexts()).map((text) => text.trim())).toStrictEqual([
    '代表者や主担当の氏名がないため、宛名が「ご担当者様」になります',
    '候補日を入れる設定ではないため、候補日の欄が空になります',
    '敬称が重なっています：ご担当者様様',
  ]);
  await page.keyboard.press('Escape');
});

test('no mail was sent, and the console has no messages', async () => {
  expect(await kaitaku.mails()).toStrictEqual([]);
  await opened.leave();
});
