import { z } from 'zod';
import { nameText } from './account.ts';
import { isTypedTwice, newPasswordFields, TYPED_DIFFERENTLY } from './auth.ts';
import { call } from './call.ts';
import { id, mailAddress } from './wire.ts';

/** Makes the first account of an installation, with the key of the link that the program prints when it starts. */

const key = z.string().meta({
  description: '起動したときに表示されたリンクの最後の値です。',
  examples: ['q3Zr0yV9mJ1nT7cX5bK2wL8sD4fG6hPaQeRuYiOzMxE'],
});

export const checkSetup = call({
  method: 'POST',
  path: '/setup/check',
  auth: 'none',
  summary: '最初のアカウントを作れるかを確かめる',
  description: '何も変えません。値は、この後も使えます。',
  errors: ['invalid_key', 'not_found'],
  body: z.strictObject({ key }),
  response: z.object({ status: z.literal('open').describe('作れます。') }),
});

export const setUp = call({
  method: 'POST',
  path: '/setup',
  auth: 'none',
  summary: '最初のアカウントを作る',
  description:
    'アカウントが1つもないときだけ使えます。値は1時間、1回だけ使えます。送信者グループと、`email` から送る送信者を1つずつ用意します。' +
    '作った後は、`email` と `new_password` でログインしてください。',
  errors: ['invalid_key', 'not_found', 'invalid_password'],
  body: z
    .strictObject({
      key,
      company: nameText.meta({ description: '会社名です。', examples: ['株式会社サンプル'] }),
      name: nameText.meta({ description: '氏名です。', examples: ['山田 太郎'] }),
      email: mailAddress.meta({ description: 'ログインに使うメールアドレスです。', examples: ['yamada@example.jp'] }),
      ...newPasswordFields,
    })
    .refine(isTypedTwice, TYPED_DIFFERENTLY),
  response: z.object({
    status: z.literal('created').describe('作りました。'),
    account_id: id.describe('アカウントのidです。'),
    email: z.string().meta({
      description: 'ログインに使うメールアドレスです。全角で書かれたものは、半角に直しています。',
      examples: ['yamada@example.jp'],
    }),
  }),
});
