import { z } from 'zod';
import { call } from './call.ts';
import { mailAddress } from './mail-address.ts';

/** The mail carries a key that no call returns, so whoever sets a new password with it has read the mailbox. */
export const requestPasswordReset = call({
  method: 'POST',
  path: '/auth/password_reset',
  auth: 'none',
  summary: 'パスワードを再設定するメールを送る',
  description: `登録のあるアドレスなら、再設定のリンク（\`/password-reset/<値>\`）を書いたメールが届きます。\
登録のないアドレスでも、答えは同じです。リンクは60分間、1回だけ使えます。新しいメールが届くと、前のリンクは使えなくなります。

1つの接続元から1時間に20通、1つの宛先に1時間に3通まで受け付けます。`,
  errors: {
    too_many_mails: {
      status: 429,
      when: '再設定のメールを何度も求めたとき（登録のないアドレスでも同じです）。`Retry-After` の秒数を待ってください',
    },
  },
  body: z.strictObject({
    email: mailAddress.meta({ description: 'ログインに使うメールアドレスです。', examples: ['yamada@example.jp'] }),
  }),
  response: z.object({ status: z.literal('accepted').describe('受け付けました。') }),
});
