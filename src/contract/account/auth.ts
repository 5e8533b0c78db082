import { z } from 'zod';
import type { PasswordFault } from '#domain/account/password-rule.ts';
import { MAX_EMAIL_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flag, id, idInPath, text } from '../wire.ts';
import { me } from './account.ts';
import { code } from './two-factor.ts';

/** The user's messages for faults of a new password. */
export const PASSWORD_MESSAGES: Readonly<Record<PasswordFault, string>> = {
  length: `パスワードは${MIN_PASSWORD_LENGTH}〜${MAX_PASSWORD_LENGTH}文字で入力してください`,
  easy_to_guess:
    '推測されやすいパスワードです。よくある単語、連続した文字、ご自身の名前やメールアドレスだけでできたものは避けてください',
};

/** The fields of every body that sets a password. */
export const newPasswordFields = {
  new_password: text(MAX_PASSWORD_LENGTH)
    .min(MIN_PASSWORD_LENGTH, PASSWORD_MESSAGES.length)
    .meta({ description: '新しいパスワードです。', examples: ['夜の灯台と三匹の黒い子猫'] }),
  new_password_confirmation: text(MAX_PASSWORD_LENGTH)
    .optional()
    .describe('入力し直した新しいパスワードです。送ると、新しいパスワードと同じかを確かめます。'),
};

interface NewPassword {
  readonly new_password: string;
  readonly new_password_confirmation?: string | undefined;
}

/** Refuses a second password that differs from the first. */
export const isTypedTwice = ({ new_password, new_password_confirmation = new_password }: NewPassword): boolean =>
  new_password_confirmation === new_password;

/** The fault of isTypedTwice, as the specification words it. */
export const TYPED_DIFFERENTLY = {
  path: ['new_password_confirmation'],
  error: '新規パスワードと確認用のパスワードが違います',
};

/** The messages for a missing e-mail or password at log-in, as the specification words them. */
const EMAIL_MISSING = 'メールアドレスを入力してください';
const PASSWORD_MISSING = 'パスワードを入力してください';

export const login = call({
  method: 'POST',
  path: '/auth/login',
  audience: 'integrator',
  auth: 'none',
  isSecret: true,
  summary: 'ログインし、以後の呼び出しに使うトークンを受け取る',
  description: `以後の呼び出しでは、\`Authorization: Bearer <token>\` ヘッダーでトークンを送ります。トークンは、使わないまま8時間、または発行から24時間で無効になります。

パスワードの間違いは、メールアドレスと接続元のIPアドレスごとに数えます。5回続くと、次を試すまでに1秒、2秒、4秒…と最長60秒の待ち時間が必要になります。正しいパスワードでログインすると数え直します。\
アカウントが凍結されることはありません。

二段階認証をオンにしたメンバーは、\`code\` も必要です。数字の間違いはメンバーごとに数え、5回続くと、次を試すまでに1秒、2秒、4秒…と最長15分の待ち時間が必要になります。`,
  errors: [
    'wrong_credentials',
    'other_host',
    'network_not_allowed',
    'use_company_log_in',
    'too_many_guesses',
    'code_needed',
    'wrong_code',
    'too_many_codes',
    'no_secret_key',
    ['busy', 'ログインが混み合っているとき。`Retry-After` の秒数を待ってください'],
  ],
  headers: z.object({
    'user-agent': z.string().optional().describe('ログインの一覧に表示する、ブラウザーやプログラムの名前です。'),
  }),
  body: z
    .strictObject({
      email: text(MAX_EMAIL_LENGTH, EMAIL_MISSING).meta({
        description: 'メールアドレスです。',
        examples: ['yamada@example.jp'],
      }),
      password: text(MAX_PASSWORD_LENGTH, PASSWORD_MISSING).meta({
        description: 'パスワードです。',
        examples: ['朝の電車と青い傘と白い犬'],
      }),
      code: code.optional().meta({
        description:
          '二段階認証の、認証アプリの6桁の数字か復旧コードです。必要なときは、パスワードが正しければ `code_needed` が返ります。',
        examples: ['123456'],
      }),
      device: z
        .string()
        .regex(/^[\w-]{43}$/)
        .optional()
        .meta({
          description: 'ブラウザーごとに1つの、256ビットの乱数（base64url）です。',
          examples: ['q3Zr0yV9mJ1nT7cX5bK2wL8sD4fG6hPaQeRuYiOzMxE'],
        }),
      trust: flag.optional().meta({
        description: '1なら、この `device` では30日間、数字を求めません。',
        examples: [0],
      }),
    })
    // Checked before a guess is counted. One message at a time, the address's first, as the screen shows them.
    .check(({ value, issues }) => {
      const fault = (path: string, message: string) =>
        issues.push({ code: 'custom', path: [path], message, input: value });
      if (value.email.trim() === '') fault('email', EMAIL_MISSING);
      else if (value.password === '') fault('password', PASSWORD_MISSING);
    }),
  response: z.object({
    token: z
      .string()
      .meta({ description: 'トークンです。', examples: ['q3Zr0yV9mJ1nT7cX5bK2wL8sD4fG6hPaQeRuYiOzMxE'] }),
    account_id: id.describe('アカウントのidです。'),
    member: me,
  }),
});

export const logout = call({
  method: 'POST',
  path: '/auth/logout',
  needs: 'viewer',
  beforeTwoFactor: true,
  fromAnywhere: true,
  summary: 'トークンを無効にする',
  response: z.object({ status: z.literal('logged-out').describe('ログアウトしました。') }),
});

export const changePassword = call({
  method: 'PUT',
  path: '/auth/password/:account_id',
  audience: 'integrator',
  needs: 'viewer',
  beforeTwoFactor: true,
  summary: 'パスワードを変更する',
  description: `新しいパスワードは${MIN_PASSWORD_LENGTH}〜${MAX_PASSWORD_LENGTH}文字で、日本語や記号、空白も使えます。入力されたとおりに扱います。

変更すると、この呼び出しのトークンを除いて、すべてのログインが終わります。変更したことを、アカウントのメールアドレスにお知らせします。現在のパスワードの間違いは、ログインと同じように数えます。`,
  errors: [
    'wrong_password',
    'invalid_password',
    'changed_meanwhile',
    'too_many_guesses',
    ['busy', 'ログインが混み合っているとき。`Retry-After` の秒数を待ってください'],
  ],
  params: z.object({ account_id: idInPath.describe('アカウントのidです。') }),
  body: z
    .strictObject({
      current_password: text(MAX_PASSWORD_LENGTH).meta({
        description: '現在のパスワードです。',
        examples: ['朝の電車と青い傘と白い犬'],
      }),
      ...newPasswordFields,
    })
    .refine((given) => given.new_password !== given.current_password, {
      path: ['new_password'],
      error: '現在のパスワードと新規パスワードは違うものにしてください',
    })
    .refine(isTypedTwice, TYPED_DIFFERENTLY),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});
