import type { Page, Request, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { clientAt } from '#test/client.ts';
import { eventually } from '#test/sending.ts';
import { hold, visit } from './browser.ts';
import { enter, logIn, PAGE_SIZE } from './demo.ts';
import { shareScene } from './scene.ts';
import { companyName, EVENTS, openFilters } from './walk-steps.ts';

/** Tests two tabs, sessions that end during an action, and what a log-out leaves behind. */
const kaitaku = shareScene();

const EXPIRED = 'ログインの有効期限が切れました。もう一度ログインしてください';
const UNAUTHORIZED = /status of 401/;

async function open(path = '/') {
  const opened = await enter(kaitaku.browser, kaitaku.url, path);
  await opened.page.getByRole('rowheader').first().waitFor();
  return opened;
}

const tokenOf = (page: Page) =>
  page.evaluate<string>(`JSON.parse(sessionStorage.getItem('kaitaku-session')).state.token`);
const asIs = (token: string) => clientAt(kaitaku.url + API_BASE, `Bearer ${token}`);
/** Ends the session on the server, while the page does not know it yet. */
const expire = async (page: Page) => asIs(await tokenOf(page)).post('/auth/logout', {});
const logOut = (page: Page) => page.getByRole('button', { name: 'ログアウト' }).click();
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
const firstSwitch = (page: Page) => page.getByRole('switch', { name: /への配信$/ }).first();
const isOn = (page: Page, on: boolean) =>
  page
    .getByRole('switch', { name: /への配信$/, checked: on })
    .first()
    .waitFor();

const QUIET_MS = 1000;

/**
 * Reloads the page and waits until it has sent no request for a second.
 * A request after the end of the session would end it in the page too, before the user acts.
 */
async function reloadToRest(page: Page): Promise<void> {
  const open = new Set<Request>();
  let changed = Date.now();
  const end = (request: Request) => {
    if (open.delete(request)) changed = Date.now();
  };
  page.on('request', (request) => {
    if (!request.url().includes(API_BASE) || EVENTS.test(request.url())) return;
    open.add(request);
    changed = Date.now();
  });
  page.on('requestfinished', end).on('requestfailed', end);
  await page.reload();
  await eventually(
    () => open.size === 0 && Date.now() - changed > QUIET_MS,
    (isAtRest) => isAtRest,
  );
}

test('bad-inputs 218: /login/, /LOGIN and //login are the log-in, and store no address to return to', async () => {
  const { page, leave } = await visit(kaitaku.browser, `${kaitaku.url}/login`);
  for (const path of ['/login', '/login/', '/LOGIN', '//login']) {
    await page.goto(kaitaku.url + path);
    await page.getByRole('heading', { name: 'ログイン' }).waitFor();
    await page.waitForURL(`${kaitaku.url}/login`);
  }
  await logIn(page);
  await page.waitForURL(`${kaitaku.url}/`);
  await leave();
});

test('a new tab takes over the session; both show a change of either, and a log-out ends both', async () => {
  const { page, leave } = await open();
  const second = await page.context().newPage();
  await second.goto(kaitaku.url);
  await isOn(second, true);
  const company = await companyName(second);
  await firstSwitch(page).click();
  // The switch is disabled until the server has stored it.
  await page.getByRole('switch', { name: `${company}への配信`, checked: false, disabled: false }).waitFor();
  await tab(second, 'アタックリスト');
  await second.getByText('無効 1社').waitFor();
  await second.reload();
  await tab(second, '見込み客リスト');
  await second.getByRole('switch', { name: `${company}への配信`, checked: false }).waitFor();
  await firstSwitch(second).click();
  await second.getByRole('switch', { name: `${company}への配信`, checked: true, disabled: false }).waitFor();
  await logOut(page);
  await second.getByText(EXPIRED).waitFor();
  await leave(UNAUTHORIZED);
});

test('a log-out ends the session of a duplicated tab too, which says so at once', async () => {
  const { page, leave } = await open();
  const [copy] = await Promise.all([
    page.context().waitForEvent('page'),
    page.evaluate('void window.open(location.href)'),
  ]);
  await copy.getByRole('rowheader').first().waitFor();
  await logOut(page);
  await page.waitForURL('**/login');
  await copy.getByText(EXPIRED).waitFor();
  await leave(UNAUTHORIZED);
});

test('a user who filters the list while the session expires gets the same filter and page again', async () => {
  const { page, leave } = await open();
  // Waits for the answer to both filters, however late the first answer arrives.
  await openFilters(page, true);
  const shown = page.waitForResponse(/prospect\/view\?(?=.*major_industry_type)(?=.*amount_of_sales)/);
  await field(page, '業種').fill('製造');
  await field(page, '売上高（下限）').fill('1億');
  await shown;
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const matches = await page
    .getByText(/^該当 /)
    .first()
    .innerText();
  await expire(page);
  await page.getByRole('button', { name: '次のページ' }).click();
  await page.getByText(EXPIRED).waitFor();
  await logIn(page);
  await page.getByText(matches).waitFor();
  await expect.poll(() => field(page, '業種').inputValue()).toBe('製造');
  await expect.poll(() => field(page, '売上高（下限）').inputValue()).toMatch(/1億|100,?000,?000/);
  await page.getByText(new RegExp(`^${PAGE_SIZE + 1}–`)).waitFor();
  await leave(UNAUTHORIZED);
});

test('an invalid or unapplied filter survives a reload and the end of a session', async () => {
  const { page, leave } = await open();
  await openFilters(page, true);
  const staff = field(page, '従業員数（上限）');
  const untilInvalid = () => staff.and(page.locator('[aria-invalid=true]')).waitFor();
  await staff.fill('多い');
  await untilInvalid();
  // Until the server answers the reload, the old page still applies typed text.
  const isDocument = (url: URL) => url.pathname === '/';
  const afterPause = async (route: Route) => {
    await page.waitForURL(/address=/);
    await route.continue();
  };
  await page.route(isDocument, afterPause, { times: 1 });
  await field(page, '地域').fill('東京');
  await page.reload();
  await page.waitForURL(/address=/);
  await untilInvalid();
  expect([await staff.inputValue(), await field(page, '地域').inputValue()]).toStrictEqual(['多い', '東京']);
  await page.getByText('整数で入力してください。入力例：100').waitFor();

  await expire(page);
  const refusal = await hold(page, /prospect\/view/);
  await page.getByLabel('表示件数').selectOption('20');
  await field(page, '地域').fill('大阪');
  refusal.letGo();
  await page.getByText(EXPIRED).waitFor();
  await logIn(page);
  await page.waitForURL(/address=%E5%A4%A7%E9%98%AA/);
  await untilInvalid();
  expect([await staff.inputValue(), await field(page, '地域').inputValue()]).toStrictEqual(['多い', '大阪']);
  await leave(UNAUTHORIZED);
});

test('remarks being typed survive the end of a session', async () => {
  const { page, leave } = await open();
  const edit = page.getByRole('button', { name: /の備考を編集$/ }).nth(2);
  await edit.click();
  await page.locator('textarea').fill('社長は水曜に不在。\n木曜に電話する');
  await expire(page);
  await page.keyboard.press('Enter');
  await page.getByText(EXPIRED).waitFor();
  await logIn(page);
  await expect.poll(() => page.locator('textarea').inputValue()).toBe('社長は水曜に不在。\n木曜に電話する');
  // The list takes the focus from the text when it reloads; the text then stays a draft.
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.locator('textarea').press('Enter');
  await page.getByRole('button', { name: /^社長は水曜に不在。/ }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: /^社長は水曜に不在。/ }).waitFor();
  await leave(UNAUTHORIZED);
});

test('remarks whose field is left for the log-out are saved, and not reported as lost', async () => {
  const { page, leave } = await open();
  const company = await companyName(page, 4);
  await page.getByRole('button', { name: `${company}の備考を編集` }).click();
  await page.locator('textarea').fill('帰る前に書いたこと');
  const saving = await hold(page, /active_prospect/);
  await logOut(page);
  await page.getByRole('dialog').getByText('変更を破棄してログアウトしますか？').waitFor();
  saving.letGo();
  await page.waitForURL('**/login');
  await logIn(page);
  await page.getByRole('button', { name: /^帰る前に書いたこと/ }).waitFor();
  await leave();
});

test('the settings of the attack list survive the end of a session', async () => {
  const { page, leave } = await open();
  await tab(page, 'アタックリスト');
  await field(page, 'テスト送信先').fill('rehearsal+[n]@example.jp');
  // The request starts when the user stops typing: after the session's end it would show the login too early.
  const shown = page.waitForResponse(/attack_list\/preview\?.*days_from_lastday=14/);
  await field(page, '再送信間隔（日）').fill('14');
  await shown;
  await page.getByRole('switch', { name: '候補日を入れる' }).click();
  await page.getByRole('group', { name: '候補日1の日時' }).getByLabel('開始時刻').selectOption('13:30');
  const tests = field(page, 'テスト件数');
  await tests.fill('たくさん');
  await reloadToRest(page);
  await tests.and(page.locator('[aria-invalid=true]')).waitFor();
  await expire(page);
  await field(page, '取得件数').selectOption('50');
  await page.getByText(EXPIRED).waitFor();
  await logIn(page);
  await page.getByRole('gridcell', { name: 'rehearsal+9@example.jp' }).waitFor();
  await expect.poll(() => field(page, '再送信間隔（日）').inputValue()).toBe('14');
  await expect.poll(() => field(page, '取得件数').inputValue()).toBe('50');
  await expect.poll(() => tests.and(page.locator('[aria-invalid=true]')).inputValue()).toBe('たくさん');
  await page.getByText('1から1,000までの整数で入力してください', { exact: true }).waitFor();
  const candidate = page.getByRole('group', { name: '候補日1の日時' });
  await expect.poll(() => candidate.getByLabel('開始時刻').inputValue()).toBe('13:30');
  await leave(UNAUTHORIZED);
});

test('a log-out leaves no data in the browser', async () => {
  const { page, leave } = await open('/?address=%E6%9D%B1%E4%BA%AC');
  const token = await tokenOf(page);
  expect((await asIs(token).get('/sender_group/list')).status).toBe(200);
  await page.getByRole('button', { name: '列の設定' }).click();
  await page.getByRole('checkbox', { name: '代表者' }).click();
  await page.keyboard.press('Escape');
  await logOut(page);
  await page.getByText('ログアウトしました').waitFor();
  // The notice appears before the address changes.
  await page.waitForURL('**/login');
  expect(new URL(page.url()).search).toBe('');
  const stored = await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');
  expect(stored).not.toMatch(/demo@|田中|東京|rowheader/);
  expect(stored).not.toContain(token);
  // The client stores the visible columns, and nothing else.
  const kept = await page.evaluate<string>('Object.keys(localStorage).sort().join()');
  expect(kept).toMatch(/^kaitaku-columns-\d+-\d+$/);
  expect((await asIs(token).get('/sender_group/list')).status).toBe(401);
  await page.goBack();
  await page.waitForURL('**/login*');
  await expect.poll(() => page.getByRole('rowheader').count()).toBe(0);
  await leave();
});
