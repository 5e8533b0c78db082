import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { DEMO_LOGIN } from '#server/features/demo/demo.command.ts';
import { clientAt } from '#test/client.ts';
import { codeAt, setUpSecondStep } from '#test/second-step.ts';
import { eventually } from '#test/sending.ts';
import { visit } from './browser.ts';
import { demoClient, enter, type Login, logIn } from './demo.ts';
import { addColleague, addPerson, shareScene } from './scene.ts';
import { field, press } from './walk-steps.ts';

/** The second step as its members meet it: set-up, log-in, a lost telephone, and an account that asks it of all. */
const kaitaku = shareScene();
const REFUSED = /status of (?:40[0139]|429)/;
const STEP_MS = 30_000;
const EXPIRED = 'ログインの有効期限が切れました。もう一度ログインしてください';
const FIRST = '管理者が、全員に二段階認証を求めています。設定すると、続きから使えます。';

const dialog = (page: Page) => page.getByRole('dialog');
const listShown = (page: Page) => page.getByText('該当 1,000社').waitFor();

/** Opens the log-in in a browser of its own, and types address and password. */
async function begin({ email, password }: Login) {
  const visited = await visit(kaitaku.browser, `${kaitaku.url}/login`);
  await typeLogin(visited.page, { email, password });
  return visited;
}
async function typeLogin(page: Page, { email, password }: Login): Promise<void> {
  await field(page, 'メールアドレス').fill(email);
  await field(page, 'パスワード').fill(password);
  await press(page, 'ログイン');
}

/** Begins the set-up on the account's screen. */
async function typePassword(page: Page, password: string): Promise<void> {
  await press(page, '設定する');
  await dialog(page).getByLabel('現在のパスワード', { exact: true }).fill(password);
  await dialog(page).getByRole('button', { name: '次へ' }).click();
}
/** Sets up a second step. @returns the key that the screen shows, and the recovery codes */
async function setUp(page: Page, password: string) {
  await typePassword(page, password);
  await page.getByRole('img', { name: '認証アプリで読み取るQRコード' }).waitFor();
  const secret = ((await dialog(page).locator('code').textContent()) ?? '').replaceAll(' ', '');
  await field(page, '認証コード').fill(codeAt(secret, Date.now()));
  await dialog(page).getByRole('button', { name: 'オンにする' }).click();
  await dialog(page).getByLabel('保管しました').waitFor();
  const codes = await dialog(page).getByRole('listitem').allTextContents();
  expect(codes).toHaveLength(10);
  await dialog(page).getByLabel('保管しました').check();
  await dialog(page).getByRole('button', { name: '完了' }).click();
  return { secret, codes };
}

/** Returns an API client in a session of its own. */
async function clientOf(login: Login) {
  const base = kaitaku.url + API_BASE;
  const { token } = (await clientAt(base, '').post('/auth/login', login)).body as { token: string };
  return clientAt(base, `Bearer ${token}`);
}

const mailsTo = (to: string) =>
  eventually(
    async () => (await kaitaku.mails()).filter((mail) => mail.to.some(({ address }) => address === to)),
    (mails) => mails.length > 0,
  );

test('a member sets up a second step, logs in by it, trusts a browser, and ends a session elsewhere', async () => {
  const login = await addPerson(kaitaku, 'step@second.example');
  const { page, leave } = await begin(login);
  await listShown(page);
  await page.goto(`${kaitaku.url}/account`);
  const { secret, codes } = await setUp(page, login.password);
  await page.getByText('復旧コード 残り10個').waitFor();

  await press(page, 'ログアウト');
  await page.waitForURL('**/login');
  await typeLogin(page, login);
  await field(page, '認証コード').waitFor();
  // The browser's back button leads to the first view, which is still filled in.
  await page.goBack();
  await expect.poll(() => field(page, 'パスワード').inputValue()).toBe(login.password);
  await press(page, 'ログイン');
  await field(page, '認証コード').fill('000000');
  await press(page, 'ログイン');
  await page.getByText('数字が違います。認証アプリの6桁の数字を入力してください').waitFor();
  await page.getByLabel('この端末では30日間省略する').check();
  // The set-up has used the present code.
  await field(page, '認証コード').fill(codeAt(secret, Date.now() + STEP_MS));
  await press(page, 'ログイン');
  await listShown(page);
  await press(page, 'ログアウト');
  await page.waitForURL('**/login');
  await typeLogin(page, login);
  await listShown(page);

  // Another browser is not trusted, and has lost the app.
  const other = await begin(login);
  await other.page.getByText('認証アプリを使えないとき').click();
  await press(other.page, '復旧コードを入力');
  await field(other.page, '復旧コード').fill((codes[0] ?? '').toLowerCase().replaceAll('-', ' '));
  await press(other.page, 'ログイン');
  await listShown(other.page);

  await page.goto(`${kaitaku.url}/account`);
  await page.getByText('復旧コード 残り9個').waitFor();
  const device = page.getByRole('region', { name: 'ログイン中の端末' }).getByRole('listitem');
  await expect.poll(() => device.count()).toBe(2);
  expect(await device.first().textContent()).toMatch(/^Chrome・.*今の端末/);
  await press(page, 'この端末以外を終了');
  await dialog(page).getByText('ほかの1件のログインを終了しますか？').waitFor();
  await dialog(page).getByRole('button', { name: '終了', exact: true }).click();
  await page.getByText('1件のログインを終了しました').waitFor();
  await expect.poll(() => device.count()).toBe(1);
  // The other one may be told by its stream already.
  await other.page.reload();
  await other.page.getByText(EXPIRED).waitFor();
  await leave(REFUSED);
  await other.leave(REFUSED);
});

test('a member who has lost the telephone gets in again by an admin, and is told by mail', async () => {
  const login = await addColleague(kaitaku, 'lost@second.example', 'sales');
  await setUpSecondStep(await clientOf(login), { password: login.password });
  const lost = await begin(login);
  await field(lost.page, '認証コード').waitFor();

  const admin = await enter(kaitaku.browser, kaitaku.url, '/settings/members');
  const row = admin.page.getByRole('row').filter({ hasText: login.email });
  await row.getByText('オン').waitFor();
  await row.getByRole('button').click();
  await press(admin.page, '二段階認証を外す');
  await dialog(admin.page)
    .getByText(/の二段階認証を外しますか？$/)
    .waitFor();
  await dialog(admin.page).getByRole('button', { name: '二段階認証を外す' }).click();
  await row.getByText('未設定').waitFor();
  const mails = await mailsTo(login.email);
  expect(mails.map(({ subject }) => subject).join()).toMatch(/二段階認証/);

  await press(lost.page, '戻る');
  await press(lost.page, 'ログイン');
  await listShown(lost.page);
  await lost.leave(REFUSED);
  await admin.leave();
});

test('an account that asks it of all leads each tab of an open session to the set-up, and back', async () => {
  const admin = await demoClient(kaitaku.url);
  await setUpSecondStep(admin, { password: DEMO_LOGIN.password });
  const login = await addColleague(kaitaku, 'asked@second.example', 'sales');
  const { page, leave } = await visit(
    kaitaku.browser,
    `${kaitaku.url}/login?from=%2F%3Faddress%3D%25E6%259D%25B1%25E4%25BA%25AC`,
  );
  await logIn(page, login);
  await page.getByRole('rowheader').first().waitFor();
  const second = await page.context().newPage();
  await second.goto(`${kaitaku.url}/sends`);
  await second.getByRole('heading', { name: '送信履歴' }).waitFor();

  const asked = await admin.put('/account_rule', { update_info: { two_factor_required: 1 } });
  expect(asked.status).toBe(200);
  // Nobody touches the tabs: their streams end.
  for (const tab of [page, second]) {
    await tab.getByText(FIRST).waitFor();
    expect(await tab.getByRole('navigation').count()).toBe(0);
    expect(await tab.getByRole('button', { name: '編集' }).count()).toBe(0);
  }
  await setUp(page, login.password);
  await page.getByRole('rowheader').first().waitFor();
  expect(new URL(page.url()).search).toBe('?address=%E6%9D%B1%E4%BA%AC');
  // The other tab may have looked meanwhile: else the press finds out.
  if (await second.getByText(FIRST).isVisible()) await typePassword(second, login.password);
  await second.getByRole('heading', { name: '送信履歴' }).waitFor();
  await expect.poll(() => second.getByText(FIRST).count()).toBe(0);
  await leave(REFUSED);
});
