import { z } from 'zod';
import { MAX_PASSWORD_LENGTH } from '#domain/limits.ts';
import { call } from '../call.ts';
import { text } from '../wire.ts';

/** A code as somebody types it: of the app, or for recovery. Width, case, spaces and hyphens do not matter. */
export const code = text(64).describe('認証アプリの6桁の数字か、復旧コードです。');

const currentPassword = text(MAX_PASSWORD_LENGTH).describe('現在のパスワードです。');

const recoveryCodes = z
  .array(z.string())
  .describe('復旧コードです。1つにつき1回、認証アプリの数字の代わりに使えます。');

export const startTwoFactor = call({
  method: 'POST',
  path: '/auth/two_factor/start',
  needs: 'viewer',
  beforeTwoFactor: true,
  isSecret: true,
  summary: '二段階認証の設定を始める',
  errors: ['wrong_password', 'two_factor_on', 'too_many_guesses', 'no_secret_key'],
  body: z.strictObject({ current_password: currentPassword }),
  response: z.object({
    secret: z.string().describe('認証アプリに入力するキー（base32）です。'),
    uri: z.string().describe('QRコードにするURI（otpauth://）です。'),
  }),
});

export const confirmTwoFactor = call({
  method: 'POST',
  path: '/auth/two_factor/confirm',
  needs: 'viewer',
  beforeTwoFactor: true,
  isSecret: true,
  summary: '認証アプリの数字を確かめ、二段階認証をオンにする（ほかのログインは終了する）',
  errors: ['invalid_code', 'two_factor_on', 'two_factor_not_set', 'too_many_codes', 'no_secret_key'],
  body: z.strictObject({ code }),
  response: z.object({ recovery_codes: recoveryCodes }),
});

export const endTwoFactor = call({
  method: 'POST',
  path: '/auth/two_factor/off',
  needs: 'viewer',
  summary: '二段階認証をオフにする',
  errors: [
    'wrong_password',
    'invalid_code',
    'two_factor_not_set',
    'two_factor_required',
    'too_many_guesses',
    'too_many_codes',
    'no_secret_key',
  ],
  body: z.strictObject({ current_password: currentPassword, code }),
  response: z.object({ status: z.literal('updated').describe('オフにしました。') }),
});

export const renewRecoveryCodes = call({
  method: 'POST',
  path: '/auth/recovery_codes',
  needs: 'viewer',
  isSecret: true,
  summary: '復旧コードを作り直す（前のコードは使えなくなる）',
  errors: [
    'wrong_password',
    'invalid_code',
    'two_factor_not_set',
    'too_many_guesses',
    'too_many_codes',
    'no_secret_key',
  ],
  body: z.strictObject({ current_password: currentPassword, code }),
  response: z.object({ recovery_codes: recoveryCodes }),
});
