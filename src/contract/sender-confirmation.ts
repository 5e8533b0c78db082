import { z } from 'zod';
import { SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';
import { call } from './call.ts';
import { idInPath } from './wire.ts';

/**
 * Confirms that the owner of a sender's address agrees to its use. The mail carries a secret that no call returns, so
 * whoever confirms it has read the mailbox.
 */

export const sendSenderConfirmation = call({
  method: 'POST',
  path: '/sender/:id/confirmation',
  summary: '差出人のメールアドレスに確認メールを送る',
  description: `確認用のリンク（\`/sender-confirmation/<値>\`）を書いたメールを、送信者の \`email\` に送ります。\
リンクは${SENDER_CONFIRMATION_HOURS}時間、1回だけ使えます。\
新しいメールを送るか、アドレスを変えると、前のリンクは使えなくなります。すでに確認されていれば、何も送らずに \`confirmed\` を返します。

1つのアカウントから1時間に10通、1つの宛先に1時間に3通まで送れます。`,
  errors: {
    too_many_mails: { status: 429, when: '確認メールを送りすぎたとき。`Retry-After` の秒数を待ってください' },
    mail_not_sent: { status: 503, when: 'メールサーバーが受け付けなかったとき' },
  },
  params: z.object({ id: idInPath.describe('送信者のidです。') }),
  response: z.object({
    status: z.enum(['sent', 'confirmed']).describe('送信したか、すでに確認されているかです。'),
  }),
});
