import { z } from 'zod';
import { call } from '../call.ts';
import { mailAddress } from '../wire.ts';
import { isTypedTwice, newPasswordFields, TYPED_DIFFERENTLY } from './auth.ts';

/** Mails a key that sets a new password. No call returns it, so whoever uses it has read the mailbox. */
export const requestPasswordReset = call({
  method: 'POST',
  path: '/auth/password_reset',
  auth: 'none',
  summary: 'パスワードを再設定するメールを送る',
  errors: ['too_many_mails'],
  body: z.strictObject({
    email: mailAddress.describe('ログインに使うメールアドレスです。'),
  }),
  response: z.object({ status: z.literal('accepted').describe('受け付けました。') }),
});

/** Opening the link (GET) changes nothing, since scanners open links. */
export const resetPassword = call({
  method: 'POST',
  path: '/auth/password_reset/confirm',
  auth: 'none',
  summary: 'メールの値で新しいパスワードを設定する',
  errors: ['invalid_key', 'invalid_password'],
  body: z
    .strictObject({
      key: z.string().describe('再設定のメールのリンクの最後の値です。'),
      ...newPasswordFields,
    })
    .refine(isTypedTwice, TYPED_DIFFERENTLY),
  response: z.object({ status: z.literal('updated').describe('設定しました。') }),
});
