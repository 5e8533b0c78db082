import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { clientAt } from '#test/client.ts';
import { eventually } from '#test/sending.ts';
import { type Visit, visit } from './browser.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { closeToasts, field, press, pressOrder, tab, tickWarnings, toggle } from './walk-steps.ts';

/** A team at work in three browsers: the leader, who invites two, one who sends, and one who only looks. */
const kaitaku = shareScene();
const SALES = { name: '青木 遥', email: 'aoki@team.example' };
const VIEWER = { name: '森 健太', email: 'mori@team.example' };
const PASSWORD = '夜の灯台と三匹の黒い子猫';
const MAILS = 10;

const open: Visit[] = [];
afterAll(() => Promise.all(open.map(({ page }) => page.context().close())));

/** Returns the link of the last invitation of an address. */
async function invitationOf(to: string): Promise<string> {
  const [mail] = await eventually(
    async () => (await kaitaku.mails()).filter((caught) => caught.to[0]?.address === to),
    (found) => found.length > 0,
  );
  expect(mail?.subject).toBe('【Kaitaku】株式会社架空商事からの招待');
  const source = await kaitaku.source(mail?.id ?? '');
  const [, text = ''] = /Content-Transfer-Encoding: base64\r?\n\r?\n([\s\S]*?)\r?\n--/.exec(source) ?? [];
  return /http\S+\/invitation\/[\w-]{43}/.exec(Buffer.from(text, 'base64').toString())?.[0] ?? '';
}

async function invite(page: Page, email: string, role: string): Promise<void> {
  await press(page, 'メンバーを招待');
  const dialog = page.getByRole('dialog');
  await field(page, 'メールアドレス（必須）').fill(email);
  await dialog.getByLabel('役割').selectOption({ label: role });
  await dialog.getByRole('button', { name: '招待', exact: true }).click();
  await page.getByText('1人に招待のメールを送ります').waitFor();
  await closeToasts(page);
}

/** Accepts an invitation in a browser of its own, and logs in. */
async function join({ name, email }: typeof SALES): Promise<Page> {
  const link = await invitationOf(email);
  const visited = await visit(kaitaku.browser, link);
  open.push(visited);
  const { page } = visited;
  await page.getByRole('heading', { name: '株式会社架空商事からの招待' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/invitation');
  await field(page, '氏名').fill(name);
  await field(page, '新しいパスワード').fill(PASSWORD);
  await field(page, '新しいパスワード（確認）').fill(PASSWORD);
  await press(page, 'はじめる');
  await page.waitForURL('**/login');
  await field(page, 'パスワード').fill(PASSWORD);
  await expect.poll(() => field(page, 'メールアドレス').inputValue()).toBe(email);
  await press(page, 'ログイン');
  await page.getByText('該当 1,000社').waitFor();
  await closeToasts(page);
  return page;
}

/** Limits all persons to a mail a second, so that a run lasts. */
async function slowDown(): Promise<void> {
  const client = await demoClient(kaitaku.url);
  const profiles = (await client.get('/sender_profile/list')).body as { id: number; version: string }[];
  for (const { id, version } of profiles) {
    const { status } = await client.put(`/sender_profile/${id}`, { version, update_info: { mails_per_minute: 60 } });
    expect(status).toBe(200);
  }
}

const rehearsals = async () =>
  (await kaitaku.mails()).flatMap(({ to }) => to.filter(({ address }) => address.startsWith('rehearsal+')));

test('the leader invites two by mail; one sends, one may not; who is stopped in mid-run loses no mail', {
  timeout: 300_000,
}, async () => {
  await slowDown();
  const leader = await enter(kaitaku.browser, kaitaku.url, '/settings/members');
  open.push(leader);
  await invite(leader.page, SALES.email, '営業');
  await invite(leader.page, VIEWER.email, '閲覧のみ');
  await leader.page.getByRole('region', { name: '招待中 2人' }).getByText('届きません').first().waitFor();
  const [sales, viewer] = [await join(SALES), await join(VIEWER)];

  // The viewer reads, invites nobody, and his orders are refused.
  await viewer.goto(`${kaitaku.url}/settings/members`);
  await viewer.getByText(VIEWER.email).waitFor();
  await expect.poll(() => viewer.getByRole('button', { name: /招待|の操作$/ }).count()).toBe(0);
  const token = await viewer.evaluate<string>(`JSON.parse(sessionStorage.getItem('kaitaku-session')).state.token`);
  const asViewer = clientAt(kaitaku.url + API_BASE, `Bearer ${token}`);
  const [sender] = (await asViewer.get('/sender/list')).body as { id: number }[];
  const refused = await asViewer.post(`/mail/send/${sender?.id}`, {});
  expect([refused.status, refused.body]).toMatchObject([403, { code: 'not_allowed' }]);

  await tab(sales, 'アタックリスト');
  await toggle(sales, '予約モード');
  await field(sales, 'テスト送信先').fill('rehearsal+[n]@example.com');
  await pressOrder(sales);
  await tickWarnings(sales);
  await sales.getByRole('dialog').getByRole('button', { name: /送信$/ }).click();
  await eventually(rehearsals, (mails) => mails.length > 0);

  await leader.page.reload();
  await press(leader.page, `${SALES.name}の操作`);
  await leader.page.getByRole('button', { name: '利用を停止' }).click();
  await leader.page.getByRole('dialog').getByRole('button', { name: '利用を停止' }).click();
  await leader.page.getByText(`${SALES.name}さんの利用を停止しました`).waitFor();
  expect((await rehearsals()).length).toBeLessThan(MAILS);
  await sales.waitForURL('**/login*');

  // The run goes on without him, and is his in the history.
  const arrived = await eventually(rehearsals, (mails) => mails.length === MAILS);
  expect(new Set(arrived.map(({ address }) => address)).size).toBe(MAILS);
  await viewer.goto(`${kaitaku.url}/sends`);
  await viewer.getByLabel('種別').selectOption({ label: 'テストのみ' });
  await viewer.getByRole('row').filter({ hasText: SALES.name }).first().waitFor();
  await leader.page.getByRole('row').filter({ hasText: SALES.email }).getByText('利用停止').waitFor();
  await leader.leave();
  expect((await rehearsals()).length).toBe(MAILS);
});
