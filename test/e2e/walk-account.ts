import type { Page } from 'playwright-core';
import type { Login } from './demo.ts';
import { intercept, letThrough, type Route } from './intercept.ts';
import { closeDialog, field, passLogin, press, when, whenLoaded } from './walk-steps.ts';

export async function* account(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/account`);
  await page.getByRole('heading', { name: 'プロフィール' }).waitFor();
  yield* whenLoaded(page, 'account');
  await page.getByRole('button', { name: '編集' }).first().click();
  await field(page, 'メールアドレス').fill('naoki.tanaka@example.jp');
  yield* whenLoaded(page, 'account-edit');
  await press(page, '変更を保存');
  await page.getByText('確認メールが送信されました').waitFor();
  yield* when(page, 'への変更は、まだ完了していません', 'account-pending');
  await intercept(page, MAIL, (route) => route.fulfill({ status: 503, json: NO_SENDER }));
  await press(page, '確認メールをもう一度送信');
  await page.getByText('このサーバーの設定が必要です').click();
  yield* when(page, '確認メールの差出人が決まっていません', 'account-no-sender');
  letThrough(page, MAIL);
  await press(page, 'パスワードを変更');
  for (const label of ['現在のパスワード', '新しいパスワード', '新しいパスワード（確認）']) {
    await field(page, label).fill('夜の灯台と三匹の黒い子猫');
  }
  await press(page, '保存');
  yield* when(page, '現在のパスワードと新規パスワードは違うものにしてください', 'account-password');
  yield* secondStep(page, url);
  yield* logIns(page, url);
  yield* secondStepFirst(page, url);
}

/** Walks through the set-up of a second step and its end, without either. */
async function* secondStep(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, START, (route) => route.fulfill({ json: STARTED }));
  await intercept(page, CONFIRM_CODE, (route) => route.fulfill({ json: { recovery_codes: RECOVERY_CODES } }));
  await press(page, '設定する');
  yield* when(page, 'ご本人であることを確かめます。', 'second-step-password');
  await page.getByRole('dialog').getByLabel('現在のパスワード', { exact: true }).fill('夜の灯台と三匹の黒い子猫');
  await press(page, '次へ');
  await page.getByRole('img', { name: '認証アプリで読み取るQRコード' }).waitFor();
  yield* whenLoaded(page, 'second-step-app');
  await field(page, '認証コード').fill('123456');
  await press(page, 'オンにする');
  yield* when(page, '保管しました', 'second-step-codes');
  await page.keyboard.press('Escape');
  yield* when(page, 'コードを保管して、「保管しました」にチェックを入れてください', 'second-step-codes-kept');
  await page.getByRole('dialog').getByLabel('保管しました').check();
  await press(page, '完了');
  letThrough(page, START);
  letThrough(page, CONFIRM_CODE);
  await intercept(page, ACCOUNT, withMember({ two_factor: 1, recovery_codes_left: 2 }));
  await page.goto(`${url}/account`);
  await page.getByText('復旧コード 残り2個').scrollIntoViewIfNeeded();
  yield* when(page, '復旧コード 残り2個', 'second-step-on');
  await press(page, 'オフにする');
  await page.getByRole('dialog').getByRole('button', { name: 'オフにする' }).click();
  yield* when(page, '認証アプリの6桁の数字を入力してください', 'second-step-off');
  await closeDialog(page);
  letThrough(page, ACCOUNT);
}

/** Walks through the list of log-ins, and a new address of an old one. */
async function* logIns(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, SESSIONS, (route) => route.fulfill({ json: LOG_INS }));
  await page.goto(`${url}/account`);
  await page.getByText('今の端末').scrollIntoViewIfNeeded();
  yield* when(page, '今の端末', 'log-ins');
  await press(page, 'この端末以外を終了');
  yield* when(page, 'ほかの2件のログインを終了しますか？', 'log-ins-end');
  await closeDialog(page);
  letThrough(page, SESSIONS);
  await intercept(page, ACCOUNT, (route) =>
    route.method === 'PUT' ? route.fulfill({ status: 400, json: OLD_LOG_IN }) : route.continue(),
  );
  await page.getByRole('button', { name: '編集' }).first().click();
  await field(page, 'メールアドレス').fill('naoki@example.jp');
  await press(page, '変更を保存');
  yield* when(page, /^ログインから15分が過ぎているため/, 'account-old-log-in');
  await press(page, 'キャンセル');
  letThrough(page, ACCOUNT);
}

/** Walks through the page of a member without the second step that the account asks for. */
async function* secondStepFirst(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, ACCOUNT, withMember({ two_factor: 0, two_factor_required: 1 }));
  await intercept(page, RUNS, (route) => route.fulfill({ status: 403, json: STEP_FIRST }));
  await page.goto(`${url}/sends`);
  yield* when(page, /^管理者が、全員に二段階認証を求めています。/, 'second-step-first');
  letThrough(page, ACCOUNT);
  letThrough(page, RUNS);
}

/** Lets the account's answer say something else of the member. */
const withMember = (more: object) => async (route: Route) => {
  const answer = await route.fetch();
  const account = (await answer.json()) as { member: object };
  await route.fulfill({ json: { ...account, member: { ...account.member, ...more } } });
};

export async function* lastScreens(page: Page, url: string, login: Login | undefined): AsyncGenerator<string> {
  await page.goto(`${url}/nowhere`);
  yield* when(page, 'ページが見つかりません', 'not-found');
  await page.route(SCREEN, (route) => route.abort());
  await page.goto(`${url}/account`);
  yield* when(page, '画面を表示できませんでした', 'screen-failed');
  await page.unroute(SCREEN);
  await page.goto(`${url}/confirmation/wrong`);
  yield* when(page, 'メールアドレスは有効になりませんでした', 'confirmation');
  const checked = Promise.withResolvers<void>();
  await intercept(page, CONFIRM, async (route) => {
    await checked.promise;
    await route.fulfill({ json: { status: 'confirmed' } });
  });
  let isTaken = true;
  await intercept(page, ACCOUNT, (route) => {
    if (route.method !== 'PUT') return route.continue();
    return route.fulfill(isTaken ? { status: 409, json: TAKEN } : { json: { status: 'updated', id: 1 } });
  });
  await page.goto(`${url}/confirmation/right`);
  await passLogin(page, login);
  yield* when(page, 'メールアドレスを確認しています…', 'confirmation-checking');
  checked.resolve();
  yield* when(page, 'メールアドレスを変更できませんでした', 'confirmation-not-updated');
  isTaken = false;
  await page.goto(`${url}/confirmation/right`);
  await passLogin(page, login);
  yield* when(page, 'メールアドレスの変更が有効になりました', 'confirmed');
  letThrough(page, CONFIRM);
  letThrough(page, ACCOUNT);
}

/** The file of one screen, which a new version of the client no longer has. */
const SCREEN = /\/assets\/account-[^/]+\.js$/;
const TAKEN = {
  message: 'このメールアドレスはほかのアカウントで使われているため、変更できません。',
  code: 'email_taken',
};
const START = '/auth/two_factor/start';
const CONFIRM_CODE = '/auth/two_factor/confirm';
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const STARTED = {
  secret: SECRET,
  uri: `otpauth://totp/Kaitaku:tanaka%40example.com?secret=${SECRET}&issuer=Kaitaku`,
};
const RECOVERY_CODES = Array.from({ length: 10 }, (_, place) => `ABCD-EFGH-IJKL-MN${'ABCDEFGHIJ'[place]}7`);
const SESSIONS = '/session/list';
const RUNS = '/send_log/view';
const STEP_FIRST = { code: 'two_factor_setup', message: '管理者が全員に二段階認証を求めています。' };
const OLD_LOG_IN = { code: 'password_needed', message: 'もう一度ログインしてから、変更してください。' };
const logIn = (id: string, agent: string | null, address: string | null, more: object = {}) => ({
  id,
  agent,
  address,
  created_at: '2026/11/29 09:02:00',
  last_used_at: '2026/11/29 13:40:00',
  is_current: 0,
  ...more,
});
const LOG_INS = [
  logIn('1', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/156.0.0.0 Safari/537.36', '203.0.113.7', {
    is_current: 1,
  }),
  logIn(
    '2',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/26.1 Safari/604.1',
    '2001:db8:85a3:8d3:1319:8a2e:370:7348',
  ),
  logIn('3', null, null),
];
const MAIL = '/mail/send/confirmation/*';
const NO_SENDER = { message: 'このサーバーの設定が必要です。', code: 'no_system_sender' };
const CONFIRM = '/auth/confirmation_token/*/confirm';
const ACCOUNT = /\/api\/v1\/account\/\d+$/;
