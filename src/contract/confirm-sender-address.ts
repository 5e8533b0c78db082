import { z } from 'zod';
import { call } from './call.ts';

/** Open to visitors: whoever owns the mailbox need not be a member. Opening the link (GET) changes nothing. */
export const confirmSenderAddress = call({
  method: 'POST',
  path: '/sender_confirmation',
  auth: 'none',
  summary: '差出人のメールアドレスを確認する',
  description: `確認メールのリンクの最後の値を送ります。ログインは要りません。値は1回だけ使えます。

\`Authorization\` ヘッダーを送ると、値がそのアカウントのものかどうかも確かめます。ほかのアカウントでログインしている人が、気付かずに確認することを防ぎます。`,
  errors: {
    invalid_confirmation: {
      status: 400,
      when: '値が正しくない、使われた、期限が切れた、アドレスが変わった、またはほかのアカウントのものであるとき（どれであるかは返しません）',
    },
  },
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
