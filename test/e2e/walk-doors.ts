import type { Page } from 'playwright-core';
import type { Login } from './demo.ts';
import { intercept, letThrough } from './intercept.ts';
import { optOut } from './walk-opt-out.ts';
import { closeToasts, field, passLogin, press, when, whenLoaded } from './walk-steps.ts';

const REQUEST = '/auth/password_reset';
const CHECK = '/setup/check';

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
  await passLogin(page, person);
}
