import { z } from 'zod';
import { call } from './call.ts';
import { isTypedTwice, newPasswordFields, TYPED_DIFFERENTLY } from './new-password.ts';

/** Opening the link (GET) changes nothing, since scanners open links. */
export const resetPassword = call({
  method: 'POST',
  path: '/auth/password_reset/confirm',
  auth: 'none',
  summary: 'メールの値で新しいパスワードを設定する',
  description:
    '再設定のメールのリンクの最後の値を送ります。値は1回だけ使えます。設定すると、その人のすべてのログインが終わり、' +
    '設定したことをメールでお知らせします。新しいパスワードでログインし直してください。',
  errors: {
    invalid_key: {
      status: 400,
      when: '値が正しくない、使われた、期限が切れた、または新しいものが送られたとき（どれであるかは返しません）',
    },
    invalid_password: { status: 400, when: '新しいパスワードが推測されやすいとき' },
  },
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
