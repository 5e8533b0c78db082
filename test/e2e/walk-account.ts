import type { Page } from 'playwright-core';
import type { Login } from './demo.ts';
import { intercept, letThrough } from './intercept.ts';
import { field, passLogin, press, when, whenLoaded } from './walk-steps.ts';

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
}

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
  yield* when(page, 'メールアドレスを変更できませんでした。', 'confirmation-not-updated');
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
const MAIL = '/mail/send/confirmation/*';
const NO_SENDER = { message: 'このサーバーの設定が必要です。', code: 'no_system_sender' };
const CONFIRM = '/auth/confirmation_token/*/confirm';
const ACCOUNT = /\/api\/v1\/account\/\d+$/;
