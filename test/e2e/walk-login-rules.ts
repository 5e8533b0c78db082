import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { field, press, toSettings, when } from './walk-steps.ts';

const COMPANY = '/oidc';
const RULE = '/account_rule';
const REGISTERED = {
  registration: {
    provider: 'other',
    issuer: 'https://idp.example.co.jp/realms/haru',
    client_id: 'kaitaku',
    domains: ['example.co.jp', 'haru.example.co.jp'],
    active: 1,
  },
  redirect_uri: 'https://kaitaku.example.co.jp/oauth/callback',
  login_link: 'https://kaitaku.example.co.jp/login?c=AAAAAAAAAAAAAAAAAAAAAA',
  version: 'v',
};

const refuseChanges = (page: Page, status: number, json: object) =>
  intercept(page, RULE, (route) => (route.method === 'PUT' ? route.fulfill({ status, json }) : route.continue()));

/** Walks through the rules for log-ins. Changes nothing: the demo's admin has no second step. */
export async function* loginRules(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/login-rules`);
  yield* when(page, /^全員に二段階認証を求める（未設定 \d+人）$/, 'settings-login-rules');
  await page.getByLabel(/^全員に二段階認証を求める/).click();
  yield* when(page, /自分の二段階認証を設定してください$/, 'settings-login-rules-own');
  await press(page, '保存してオンにする');
  yield* when(page, 'クライアントIDを入力してください', 'settings-login-rules-company-missing');
  await intercept(page, COMPANY, (route) => route.fulfill({ json: REGISTERED }));
  await page.reload();
  yield* when(page, /^パスワードでのログインを止める/, 'settings-login-rules-company');
  letThrough(page, COMPANY);
  await page.reload();
  const networks = field(page, '許可するネットワーク');
  await networks.fill('203.0.113.9/24\n::ffff:203.0.113.7\n203.0.113.7');
  await press(page, 'ネットワークを保存');
  yield* when(page, /^1行目：ネットワークなら/, 'settings-login-rules-lines');
  await networks.fill('203.0.113.0/24');
  const outside = 'いまの接続元（127.0.0.1）が入っていません。追加してから保存してください。';
  const details = [{ path: 'update_info.login_networks', message: outside }];
  await refuseChanges(page, 409, { code: 'own_network_missing', message: outside, details });
  await press(page, 'ネットワークを保存');
  yield* when(page, /^いまの接続元（127\.0\.0\.1）が入っていません/, 'settings-login-rules-outside');
  letThrough(page, RULE);
  // Both answered here: a slow walk is later than 15 minutes after its log-in, a quick one is not.
  await refuseChanges(page, 400, { code: 'password_needed', message: 'もう一度ログインしてから、変更してください。' });
  await press(page, 'ネットワークを保存');
  yield* when(page, '確かめて変更', 'settings-login-rules-password');
  letThrough(page, RULE);
  await toSettings(page, '送信者グループ');
  yield* when(page, '変更を破棄して移動しますか？', 'settings-login-rules-leave');
  await press(page, '破棄して移動');
}
