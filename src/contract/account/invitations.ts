import { z } from 'zod';
import { MAX_INVITED_AT_ONCE } from '#domain/limits.ts';
import { call } from '../call.ts';
import { id, idempotencyHeaders, idInPath } from '../wire.ts';
import { nameText } from './account.ts';
import { isTypedTwice, newPasswordFields, TYPED_DIFFERENTLY } from './auth.ts';
import { role, senderGroupIds } from './members.ts';

/** Why an address was not invited. */
export const NOT_INVITED = ['already_member', 'stopped', 'already_invited', 'invalid', 'repeated'] as const;
export type NotInvited = (typeof NOT_INVITED)[number];

const key = z.string().max(200).describe('招待のメールのリンクの最後の値です。');

export const invite = call({
  method: 'POST',
  path: '/invitation',
  needs: 'admin',
  summary: 'メンバーを招待する',
  errors: ['not_found', 'too_many_members', 'too_many_mails'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z.strictObject({
      emails: z
        .array(z.string().max(1000))
        .min(1, 'メールアドレスを入力してください')
        .max(MAX_INVITED_AT_ONCE, `一度に招待できるのは${MAX_INVITED_AT_ONCE}人までです`)
        .describe('メールアドレスです。'),
      role,
      sender_group_ids: senderGroupIds.default(null),
    }),
  }),
  response: z.object({
    status: z.literal('added').describe('招待しました。'),
    invited: z.int().describe('招待した人数です。'),
    skipped: z
      .array(z.object({ email: z.string(), reason: z.enum(NOT_INVITED) }))
      .describe('招待しなかったアドレスと、その理由です。'),
  }),
});

export const listInvitations = call({
  method: 'GET',
  path: '/invitation/list',
  needs: 'admin',
  summary: '招待の一覧（終わったものは30日前まで）',
  response: z.array(
    z.object({
      id: id.describe('招待のidです。'),
      email: z.string().describe('メールアドレスです。'),
      role,
      sender_group_ids: senderGroupIds,
      state: z.enum(['waiting', 'accepted', 'expired', 'cancelled']).describe('状態です。'),
      mail_state: z
        .enum(['sending', 'sent', 'failed', 'caught'])
        .describe('招待のメールの状態です。`caught` は、メールキャッチャーにあり、届きません。'),
      invited_by: z.string().nullable().describe('招待した人の氏名です。'),
      expires_at: z.string().describe('期限です。'),
      created_at: z.string().describe('招待した日時です。'),
    }),
  ),
});

const ofInvitation = z.object({ id: idInPath.describe('招待のidです。') });

export const sendInvitation = call({
  method: 'POST',
  path: '/invitation/:id/send',
  needs: 'admin',
  summary: '招待のメールをもう一度送る（前のリンクは使えなくなります）',
  errors: ['accepted', 'cancelled', 'already_member', 'too_many_mails', 'too_many_members', 'mail_not_sent'],
  params: ofInvitation,
  response: z.object({
    status: z.enum(['sent', 'caught']).describe('送信しました。`caught` なら、メールキャッチャーに入り、届きません。'),
  }),
});

export const updateInvitation = call({
  method: 'PUT',
  path: '/invitation/:id',
  needs: 'admin',
  summary: '招待を取り消す',
  errors: ['accepted'],
  params: ofInvitation,
  body: z.strictObject({ update_info: z.strictObject({ active: z.literal(0) }) }),
  response: z.object({ status: z.literal('updated').describe('取り消しました。') }),
});

/** Opening the link (GET) changes nothing, since scanners open links. */
export const checkInvitation = call({
  method: 'POST',
  path: '/invitation/check',
  auth: 'none',
  summary: '招待を確かめる',
  errors: ['invalid_key'],
  body: z.strictObject({ key }),
  response: z.object({
    company: z.string().describe('会社名です。'),
    email: z.string().describe('招待されたメールアドレスです。'),
    role,
    invited_by: z.string().describe('招待した人の氏名です。'),
  }),
});

export const acceptInvitation = call({
  method: 'POST',
  path: '/invitation/accept',
  auth: 'none',
  summary: '招待を受けて、メンバーになる',
  errors: ['invalid_key', 'invalid_password', 'address_in_use'],
  body: z
    .strictObject({ key, name: nameText.describe('氏名です。'), ...newPasswordFields })
    .refine(isTypedTwice, TYPED_DIFFERENTLY),
  response: z.object({ status: z.literal('accepted').describe('メンバーになりました。') }),
});

export type SkippedAddress = z.output<typeof invite.response>['skipped'][number];
