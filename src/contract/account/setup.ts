import { z } from 'zod';
import { call } from '../call.ts';
import { id, mailAddress } from '../wire.ts';
import { nameText } from './account.ts';
import { isTypedTwice, newPasswordFields, TYPED_DIFFERENTLY } from './auth.ts';

/** Creates the first account of an installation, with the key of the link that the program prints at its start. */

const key = z.string().describe('起動したときに表示されたリンクの最後の値です。');

export const checkSetup = call({
  method: 'POST',
  path: '/setup/check',
  auth: 'none',
  summary: '最初のアカウントを作れるかを確かめる',
  errors: ['invalid_key', 'not_found'],
  body: z.strictObject({ key }),
  response: z.object({ status: z.literal('open').describe('作れます。') }),
});

export const setUp = call({
  method: 'POST',
  path: '/setup',
  auth: 'none',
  summary: '最初のアカウントを作る',
  errors: ['invalid_key', 'not_found', 'invalid_password'],
  body: z
    .strictObject({
      key,
      company: nameText.describe('会社名です。'),
      name: nameText.describe('氏名です。'),
      email: mailAddress.describe('ログインに使うメールアドレスです。'),
      ...newPasswordFields,
    })
    .refine(isTypedTwice, TYPED_DIFFERENTLY),
  response: z.object({
    status: z.literal('created').describe('作りました。'),
    account_id: id.describe('アカウントのidです。'),
    email: z.string().describe('ログインに使うメールアドレスです。全角で書かれたものは、半角に直しています。'),
  }),
});
