import { z } from 'zod';
import { call } from '../call.ts';
import { idInPath } from '../wire.ts';

/**
 * Mails a secret by which the owner of a sender's address agrees to its use. No call returns it, so whoever confirms
 * has read the mailbox.
 */
export const sendSenderConfirmation = call({
  method: 'POST',
  path: '/sender/:id/confirmation',
  summary: '差出人のメールアドレスに確認メールを送る',
  errors: ['not_in_group', 'too_many_mails', 'mail_not_sent'],
  params: z.object({ id: idInPath.describe('送信者のidです。') }),
  response: z.object({
    status: z.enum(['sent', 'confirmed']).describe('送信したか、すでに確認されているかです。'),
  }),
});

/** Public: the owner of the mailbox need not be a member. Opening the link (GET) changes nothing. */
export const confirmSenderAddress = call({
  method: 'POST',
  path: '/sender_confirmation',
  auth: 'none',
  summary: '差出人のメールアドレスを確認する',
  errors: ['invalid_confirmation'],
  headers: z.object({
    authorization: z.string().optional().describe('ログインしているときだけ送ります。'),
  }),
  body: z.strictObject({
    key: z.string().describe('確認メールのリンクの最後の値です。'),
  }),
  response: z.object({
    status: z.literal('confirmed').describe('確認しました。'),
    email: z.string().describe('確認したメールアドレスです。'),
  }),
});
