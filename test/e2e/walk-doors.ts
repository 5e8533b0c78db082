import type { Page } from 'playwright-core';
import type { Login } from './demo.ts';
import { intercept, letThrough } from './intercept.ts';
import { optOut } from './walk-opt-out.ts';
import { closeToasts, field, passLogin, press, when, whenLoaded } from './walk-steps.ts';

const LOG_IN = '/auth/login';
const refusal = (code: 'code_needed' | 'wrong_code') => ({
  code,
  message: `${code === 'code_needed' ? '' : '数字が違います。'}認証アプリの6桁の数字を入力してください`,
});
const REQUEST = '/auth/password_reset';
const CHECK = '/setup/check';
const INVITATION = '/invitation/check';
const COMPANY = '/auth/oidc/check';
const INVITED = {
  company: '株式会社架空商事',
  email: 'mori@example.com',
  role: 'sales',
  invited_by: '田中 直樹',
};

/** Walks through the visitors' pages besides the login. Begins and ends logged out. */
export async function* doors(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/guide.html`);
  yield* whenLoaded(page, 'guide');
  await page.goto(`${url}/law.html`);
  yield* whenLoaded(page, 'law');
  yield* optOut(page, url);
  await page.goto(`${url}/password-reset`);
  await page.getByRole('button', { name: '再設定のメールを送る' }).waitFor();
  yield* whenLoaded(page, 'password-reset');
  await press(page, '再設定のメールを送る');
  yield* when(page, 'メールアドレスを入力してください', 'password-reset-missing');
  await intercept(page, REQUEST, (route) => route.fulfill({ json: { status: 'accepted' } }));
  await field(page, 'メールアドレス').fill('demo@example.com');
  await press(page, '再設定のメールを送る');
  yield* when(page, /^登録のあるアドレスなら/, 'password-reset-accepted');
  letThrough(page, REQUEST);
  await page.goto(`${url}/password-reset/${'A'.repeat(43)}`);
  await field(page, '新しいパスワード').fill('夜の灯台と三匹の黒い子猫');
  yield* whenLoaded(page, 'password-reset-new');
  await press(page, '新しいパスワードを設定');
  yield* when(page, '新規パスワードと確認用のパスワードが違います', 'password-reset-fault');
  await field(page, '新しいパスワード（確認）').fill('夜の灯台と三匹の黒い子猫');
  await press(page, '新しいパスワードを設定');
  yield* when(page, /^このリンクは使えません/, 'password-reset-dead');

  await page.goto(`${url}/setup/${'A'.repeat(43)}`);
  yield* when(page, /^最初のアカウントは、もう作られています/, 'setup-done');
  await intercept(page, CHECK, (route) => route.abort());
  await page.reload();
  yield* when(page, /^サーバーに接続できませんでした/, 'setup-unreachable');
  letThrough(page, CHECK);
  await intercept(page, CHECK, (route) => route.fulfill({ json: { status: 'open' } }));
  await press(page, 'もう一度確認');
  await field(page, '会社名').waitFor();
  yield* whenLoaded(page, 'setup');
  await press(page, 'アカウントを作成');
  yield* when(page, '会社名を入力してください', 'setup-missing');
  letThrough(page, CHECK);
  await closeToasts(page);
  yield* invitation(page, url);
  await page.goto(`${url}/oauth/callback?error=access_denied&state=x`);
  yield* when(page, /^会社のIDでログインできませんでした/, 'company-log-in-failed');
  await intercept(page, COMPANY, (route) =>
    route.fulfill({ json: { provider: 'microsoft', company: INVITED.company } }),
  );
  await page.goto(`${url}/login`);
  yield* when(page, `Microsoftでログイン（${INVITED.company}）`, 'login-company');
  letThrough(page, COMPANY);
}

/** Walks through the page of an invitation's link. */
async function* invitation(page: Page, url: string): AsyncGenerator<string> {
  const link = `${url}/invitation/${'A'.repeat(43)}`;
  await page.goto(link);
  yield* when(page, /^このリンクは使えません/, 'invitation-dead');
  await page.goto(`${url}/invitation`);
  yield* when(page, /^このページは、招待のメールのリンクから開きます/, 'invitation-without-key');
  await intercept(page, INVITATION, (route) => route.fulfill({ json: INVITED }));
  await page.goto(link);
  yield* when(page, `${INVITED.company}からの招待`, 'invitation');
  await press(page, 'はじめる');
  yield* when(page, '氏名を入力してください', 'invitation-missing');
  letThrough(page, INVITATION);
}

/** Walks through the login screen, and logs in. */
export async function* login(page: Page, url: string, person?: Login): AsyncGenerator<string> {
  await page.goto(`${url}/login`);
  await page.getByLabel('パスワード', { exact: true }).waitFor();
  yield* whenLoaded(page, 'login');
  await press(page, 'ログイン');
  await page.getByText('メールアドレスを入力してください').first().waitFor();
  yield* whenLoaded(page, 'login-missing');
  await field(page, 'メールアドレス').fill('demo@example.com');
  await field(page, 'パスワード').fill('tegami-ga-todokanai');
  await press(page, 'ログイン');
  yield* when(page, 'メールアドレスまたはパスワードが違います', 'login-wrong');
  yield* code(page);
  await passLogin(page, person);
}

/** Walks through the second view of the log-in, and back to the first. */
async function* code(page: Page): AsyncGenerator<string> {
  let json = refusal('code_needed');
  await intercept(page, LOG_IN, (route) => route.fulfill({ status: 401, json }));
  await press(page, 'ログイン');
  yield* when(page, 'この端末では30日間省略する', 'login-code');
  json = refusal('wrong_code');
  for (let miss = 0; miss < 3; miss += 1) {
    await field(page, '認証コード').fill(`00000${miss}`);
    await press(page, 'ログイン');
    await page.getByText(json.message).waitFor();
  }
  yield* when(page, 'スマートフォンの時刻が合っているか確かめてください。', 'login-code-wrong');
  await page.getByText('認証アプリを使えないとき').click();
  await press(page, '復旧コードを入力');
  yield* when(page, /^二段階認証を設定したときに保管した/, 'login-recovery');
  await press(page, '戻る');
  await field(page, 'パスワード').waitFor();
  letThrough(page, LOG_IN);
}
