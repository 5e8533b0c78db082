import { z } from 'zod';
import { isTypedTwice, newPasswordFields, TYPED_DIFFERENTLY } from './auth.ts';
import { call } from './call.ts';
import { mailAddress } from './wire.ts';

/** Mails a key that sets a new password. No call returns it, so whoever uses it has read the mailbox. */
export const requestPasswordReset = call({
  method: 'POST',
  path: '/auth/password_reset',
  auth: 'none',
  summary: 'パスワードを再設定するメールを送る',
  description: `登録のあるアドレスなら、再設定のリンク（\`/password-reset/<値>\`）を書いたメールが届きます。\
登録のないアドレスでも、答えは同じです。リンクは60分間、1回だけ使えます。新しいメールが届くと、前のリンクは使えなくなります。

1つの接続元から1時間に20通、1つの宛先に1時間に3通まで受け付けます。`,
  errors: ['too_many_mails'],
  body: z.strictObject({
    email: mailAddress.meta({ description: 'ログインに使うメールアドレスです。', examples: ['yamada@example.jp'] }),
  }),
  response: z.object({ status: z.literal('accepted').describe('受け付けました。') }),
});

/** Opening the link (GET) changes nothing, since scanners open links. */
export const resetPassword = call({
  method: 'POST',
  path: '/auth/password_reset/confirm',
  auth: 'none',
  summary: 'メールの値で新しいパスワードを設定する',
  description:
    '再設定のメールのリンクの最後の値を送ります。値は1回だけ使えます。設定すると、その人のすべてのログインが終わり、' +
    '設定したことをメールでお知らせします。新しいパスワードでログインし直してください。',
  errors: ['invalid_key', 'invalid_password'],
  body: z
    .strictObject({
      key: z.string().meta({
        description: '再設定のメールのリンクの最後の値です。',
        examples: ['q3Zr0yV9mJ1nT7cX5bK2wL8sD4fG6hPaQeRuYiOzMxE'],
      }),
      ...newPasswordFields,
    })
    .refine(isTypedTwice, TYPED_DIFFERENTLY),
  response: z.object({ status: z.literal('updated').describe('設定しました。') }),
});
