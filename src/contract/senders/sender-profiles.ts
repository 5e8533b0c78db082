import { z } from 'zod';
import { MAX_SENDERS, MAX_TEMPLATES } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flagFilter, idFilter, idOrBounds, listCall } from '../list.ts';
import { flag, id, idInPath, version } from '../wire.ts';
import * as fields from './sender-fields.ts';

const active = flag.describe('使っているなら1です。0なら、この差出人の送信者もすべて無効です。');
const templateIds = z
  .array(id)
  .describe('この差出人が使うテンプレートのidです（有効な送信者のあるもの）。小さい順です。');

const mailboxId = id
  .nullable()
  .describe('この差出人のメールを送るメールボックスのidです。null なら、このサーバーの設定で送ります。');

export const listSenderProfiles = listCall({
  path: '/sender_profile/list',
  summary: '差出人の一覧',
  where: {
    id: idOrBounds,
    sender_group_id: idFilter,
    active: flagFilter,
  },
  row: z.object({
    id: id.describe('差出人のidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    group: fields.groupName,
    ...fields.shownPerson,
    reply_to: fields.replyTo,
    signature: fields.shownSignature,
    mails_per_minute: fields.mailsPerMinute,
    max_mails_per_minute: fields.maxMailsPerMinute,
    active,
    mailbox_id: mailboxId,
    is_confirmed: fields.isConfirmed,
    confirmation_sent_at: fields.confirmationSentAt,
    sender_id: id.describe('この差出人の最初の送信者のidです。確認メールは、これを指定して送ります。'),
    template_ids: templateIds,
    version,
  }),
});

export const updateSenderProfile = call({
  method: 'PUT',
  path: '/sender_profile/:id',
  fieldNeeds: { 'update_info.active': 'admin' },
  summary: '差出人と、そのテンプレートを変更する',
  errors: [
    'not_in_group',
    'not_found',
    'template_archived',
    'above_limit',
    'profile_changed',
    'has_reservations',
    'too_many_senders',
    'from_not_allowed',
    'mailbox_off',
    'not_with_sendgrid',
    'has_open_mails',
  ],
  params: z.object({ id: idInPath.describe('差出人のidです。') }),
  body: z.strictObject({
    version: version.max(100),
    confirmed: z
      .literal(1)
      .optional()
      .describe(
        'まだ送信していないメールと予約があっても、メールボックスを変えます（それらも、新しいものから送ります）。',
      ),
    update_info: z
      .strictObject({
        ...fields.personFields,
        active: flag.describe('使うなら1、使わないなら0です。'),
        mailbox_id: mailboxId,
        template_ids: z
          .array(id)
          .max(MAX_TEMPLATES)
          .describe(`この差出人が使うテンプレートのidです。${MAX_TEMPLATES}件までです。`),
      })
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .refine(({ active, template_ids = [] }) => active !== 0 || template_ids.length === 0, {
        path: ['template_ids'],
        message: '使わない差出人には、テンプレートを選べません',
      }),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.describe('差出人のidです。'),
    version,
    is_confirmed: fields.isConfirmed,
    template_ids: templateIds,
  }),
});

/** The profiles that use a template, in calls of templates. */
export const profilesOfTemplate = z
  .array(id)
  .max(MAX_SENDERS)
  .describe('このテンプレートを使う差出人のidです（有効な送信者のあるもの）。');
