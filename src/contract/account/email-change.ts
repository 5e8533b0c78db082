import { z } from 'zod';
import { call } from '../call.ts';
import { idInPath } from '../wire.ts';

/**
 * Changes the log-in address of a member, after PUT /account/{id} has named the new one. A ticket allows one mail. The
 * mail carries a secret that no call returns, so whoever confirms has read the mailbox.
 */

/** Accepts any text: a malformed token gets the same answer as an expired one. */
const token = z.string().meta({ examples: ['q3Zr0yV9mJ1nT7cX5bK2wL8sD4fG6hPaQeRuYiOzMxE'] });
const ticket = token.describe('引換券です。');
const params = z.object({ id: idInPath.describe('アカウントのidです。') });

export const issueTicket = call({
  method: 'PUT',
  path: '/auth/confirmation_token/:id',
  audience: 'integrator',
  needs: 'viewer',
  isSecret: true,
  summary: '確認メールを送るための引換券を受け取る',
  description:
    '`email_before_confirmation` に入れた新しいメールアドレスに、確認メールを1通送るための引換券です。10分間、1回だけ使えます。確認メールの中の値とは別のものです。',
  errors: ['no_pending_email'],
  params,
  response: z.object({ confirmation_token: ticket }),
});

export const sendConfirmation = call({
  method: 'POST',
  path: '/mail/send/confirmation/:id',
  audience: 'integrator',
  needs: 'viewer',
  summary: '新しいメールアドレスに確認メールを送る',
  description: `確認用のリンク（\`/confirmation/<値>\`）を書いたメールを、アカウントの \`email_before_confirmation\` に送ります。リンクは60分間、1回だけ使えます。\
新しいメールを送ると、前のリンクは使えなくなります。

1つのアカウントから1時間に5通、1つの宛先に1時間に3通まで送れます。`,
  errors: [
    'invalid_ticket',
    ['too_many_mails', '確認メールを送りすぎたとき。`Retry-After` の秒数を待ってください'],
    ['mail_not_sent', 'メールサーバーが受け付けなかったとき。引換券を受け取るところからやり直してください'],
    'no_system_sender',
  ],
  params,
  body: z.strictObject({
    email_before_confirmation: z
      .string()
      .meta({ description: '新しいメールアドレスです。', examples: ['taro.yamada@example.jp'] }),
    confirmation_token: ticket,
  }),
  response: z.object({ status: z.literal('sent').describe('送信しました。') }),
});

export const confirmEmail = call({
  method: 'POST',
  path: '/auth/confirmation_token/:id/confirm',
  audience: 'integrator',
  needs: 'viewer',
  summary: '確認メールの値を確かめる',
  description:
    '確認メールのリンクの最後の値を送ります。200が返ったら、15分以内に PUT /account/{id} で `email` を変更してください。値は1回だけ使えます。',
  errors: [
    [
      'invalid_confirmation',
      '値が正しくない、使われた、期限が切れた、または新しいメールアドレスが変わったとき（どれであるかは返しません）',
    ],
  ],
  params,
  body: z.strictObject({ confirmation_token: token.describe('確認メールのリンクの最後の値です。') }),
  response: z.object({ status: z.literal('confirmed').describe('確認しました。') }),
});
