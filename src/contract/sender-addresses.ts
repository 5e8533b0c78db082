import { z } from 'zod';
import { SENDER_CONFIRMATION_HOURS } from '#domain/limits.ts';
import { call } from './call.ts';
import { idInPath } from './wire.ts';

/**
 * Mails a secret with which the owner of a sender's address agrees to its use. No call returns it, so whoever confirms
 * the address has read the mailbox.
 */
export const sendSenderConfirmation = call({
  method: 'POST',
  path: '/sender/:id/confirmation',
  summary: '差出人のメールアドレスに確認メールを送る',
  description: `確認用のリンク（\`/sender-confirmation/<値>\`）を書いたメールを、送信者の \`email\` に送ります。\
リンクは${SENDER_CONFIRMATION_HOURS}時間、1回だけ使えます。\
新しいメールを送るか、アドレスを変えると、前のリンクは使えなくなります。すでに確認されていれば、何も送らずに \`confirmed\` を返します。

1つのアカウントから1時間に10通、1つの宛先に1時間に3通まで送れます。`,
  errors: ['too_many_mails', 'mail_not_sent'],
  params: z.object({ id: idInPath.describe('送信者のidです。') }),
  response: z.object({
    status: z.enum(['sent', 'confirmed']).describe('送信したか、すでに確認されているかです。'),
  }),
});

/** Open to visitors: whoever owns the mailbox need not be a member. Opening the link (GET) changes nothing. */
export const confirmSenderAddress = call({
  method: 'POST',
  path: '/sender_confirmation',
  auth: 'none',
  summary: '差出人のメールアドレスを確認する',
  description: `確認メールのリンクの最後の値を送ります。ログインは要りません。値は1回だけ使えます。

\`Authorization\` ヘッダーを送ると、値がそのアカウントのものかどうかも確かめます。ほかのアカウントでログインしている人が、気付かずに確認することを防ぎます。`,
  errors: ['invalid_confirmation'],
  headers: z.object({
    authorization: z.string().optional().meta({ description: 'ログインしているときだけ送ります。', examples: [] }),
  }),
  body: z.strictObject({
    key: z.string().meta({
      description: '確認メールのリンクの最後の値です。',
      examples: ['q3Zr0yV9mJ1nT7cX5bK2wL8sD4fG6hPaQeRuYiOzMxE'],
    }),
  }),
  response: z.object({
    status: z.literal('confirmed').describe('確認しました。'),
    email: z.string().meta({ description: '確認したメールアドレスです。', examples: ['yamada@example.jp'] }),
  }),
});
