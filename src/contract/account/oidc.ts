import { z } from 'zod';
import { MAX_PASSWORD_LENGTH } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flag, id, text } from '../wire.ts';
import { me } from './account.ts';

/** The log-in of an account by its company's provider (OpenID Connect). */

const provider = z.enum(['google', 'microsoft', 'other']).describe('会社のIDの提供元です。');
const issuer = text(500).describe('提供元のIssuer（https:// で始まるURL）です。');
const client_id = text(500).min(1).describe('提供元に登録したアプリケーションのクライアントIDです。');
const domains = z.array(text(253)).min(1).max(50).describe('ログインできるメールアドレスのドメインです。');
const active = flag.describe('1なら、会社のIDでログインできます。');

export const getOidc = call({
  method: 'GET',
  path: '/oidc',
  needs: 'admin',
  summary: '会社のIDでのログインの設定',
  response: z.object({
    registration: z
      .object({ provider, issuer, client_id, domains: z.array(z.string()).describe('ドメインです。'), active })
      .nullable()
      .describe('設定です。まだなければ null です。シークレットは返しません。'),
    redirect_uri: z.string().describe('提供元に登録するリダイレクトURIです。'),
    login_link: z.string().nullable().describe('「会社のIDでログイン」を表示するログイン画面のリンクです。'),
    version: z.string().describe('内容のハッシュです。変更のときに送ると、ほかの人の変更を上書きしません。'),
  }),
});

export const updateOidc = call({
  method: 'PUT',
  path: '/oidc',
  needs: 'admin',
  summary: '会社のIDでのログインを設定する',
  errors: [
    'invalid_issuer',
    'invalid_domain',
    'client_secret_needed',
    'company_log_in_changed',
    'password_needed',
    'wrong_password',
    'too_many_guesses',
    'too_many_checks',
    'no_secret_key',
  ],
  body: z.strictObject({
    version: text(100).optional(),
    current_password: text(MAX_PASSWORD_LENGTH)
      .optional()
      .describe('現在のパスワードです。ログインから15分以内なら要りません。'),
    update_info: z.strictObject({
      provider,
      issuer,
      client_id,
      client_secret: text(1000).min(1).optional().describe('クライアントシークレットです。省くと、変わりません。'),
      domains,
      active,
    }),
  }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});

/** The key of an account's own log-in link. */
const key = z
  .string()
  .regex(/^[\w-]{22}$/)
  .describe('ログイン画面のリンクにあるキーです。');
const browser = z
  .string()
  .regex(/^[\w-]{43}$/)
  .describe('このタブだけが知っている、256ビットの乱数（base64url）です。');
const fromProvider = text(4096).min(1);

export const checkOidc = call({
  method: 'POST',
  path: '/auth/oidc/check',
  auth: 'none',
  isCountedApart: true,
  summary: 'ログイン画面に出すボタン',
  body: z.strictObject({ key: key.optional() }),
  response: z.object({
    provider: provider
      .nullable()
      .describe('提供元です。このホストとキーに、会社のIDでのログインがなければ null です。'),
    company: z.string().nullable().describe('キーのアカウントの会社名です。キーがなければ null です。'),
  }),
});

export const startOidc = call({
  method: 'POST',
  path: '/auth/oidc/start',
  auth: 'none',
  isSecret: true,
  summary: '会社のIDでのログインを始める',
  errors: ['oidc_failed', 'other_host', 'no_secret_key'],
  body: z.strictObject({ key: key.optional(), browser }),
  response: z.object({ url: z.string().describe('提供元の画面です。10分以内に、1回だけ戻れます。') }),
});

export const finishOidc = call({
  method: 'POST',
  path: '/auth/oidc/finish',
  auth: 'none',
  isSecret: true,
  summary: '提供元から戻って、ログインする',
  errors: ['oidc_failed', 'no_member', 'network_not_allowed', 'no_secret_key'],
  headers: z.object({
    'user-agent': z.string().optional().describe('ログインの一覧に表示する、ブラウザーやプログラムの名前です。'),
  }),
  body: z.strictObject({
    state: fromProvider.describe('提供元が返した `state` です。'),
    code: fromProvider.describe('提供元が返した `code` です。'),
    iss: fromProvider.optional().describe('提供元が返した `iss` です（RFC 9207）。'),
    browser,
  }),
  response: z.object({
    token: z.string().describe('トークンです。'),
    account_id: id.describe('アカウントのidです。'),
    member: me,
  }),
});
