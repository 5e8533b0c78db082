import { z } from 'zod';
import { MAX_SENDERS } from '#domain/limits.ts';
import { call } from '../call.ts';
import { flagFilter, idFilter, idOrBounds, wholeListCall } from '../list.ts';
import { subjectTemplate } from '../templates/mail-templates-fields.ts';
import { flag, id, idempotencyHeaders, idInPath, version } from '../wire.ts';
import * as fields from './sender-fields.ts';

/** The editable fields of a sender, except its group. */
const senderFields = {
  ...fields.personFields,
  template_id: id.describe('テンプレートのidです。'),
  subject: subjectTemplate.nullable().describe('件名です。null なら、テンプレートの件名を使います。'),
  active: flag.describe('使うなら1、使わないなら0です。'),
};

const ownSubject = z
  .string()
  .nullable()
  .meta({ description: '送信者が別に持つ件名です。null なら、テンプレートの件名を使います。', examples: [null] });
const templateName = z.string().meta({ description: 'テンプレートの名前です。', examples: ['業務改善のご提案'] });
const profileId = id.describe('差出人のidです。同じ差出人の送信者は、同じidを持ちます。');
const sharedBy = z
  .int()
  .describe('同じ差出人を使う、ほかの有効な送信者の数です。差出人の項目を変えると、それらも変わります。');

const senderRow = {
  id: id.describe('送信者のidです。'),
  sender_group_id: id.describe('送信者グループのidです。'),
  subject: z.string().meta({ description: 'メールの件名です。', examples: ['業務効率化のご提案'] }),
  ...fields.shownPerson,
  template_id: id.describe('テンプレートのidです。'),
  sendgrid_template_id: z
    .string()
    .nullable()
    .meta({
      description: 'SendGridで送るときに本文を作る、SendGridのテンプレートのIDです。決まっていなければ null です。',
      examples: [null],
    }),
  active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
  group: fields.groupName,
};

export const listSenders = wholeListCall({
  path: '/sender/list',
  name: 'Sender',
  summary: '送信者（テンプレート）の一覧',
  description: `idの順です。1つのアカウントに${MAX_SENDERS}までです。\
\`last_used_at\` が要らないときは、\`columns\` から外すと速くなります。`,
  where: {
    id: idOrBounds,
    sender_group_id: idFilter.meta({ examples: [1] }),
    profile_id: idFilter,
    template_id: idFilter,
    active: flagFilter.meta({ examples: [1] }),
  },
  row: z.object({
    ...senderRow,
    own_subject: ownSubject,
    is_confirmed: fields.isConfirmed,
    confirmation_sent_at: fields.confirmationSentAt,
    reply_to: fields.replyTo,
    mails_per_minute: fields.mailsPerMinute,
    template_name: templateName,
    profile_id: profileId,
    last_used_at: fields.dateTimeOrNull('最後に送信した日時です。テストを含みます。まだなら null です。'),
  }),
});

const ofSender = z.object({ id: idInPath.describe('送信者のidです。') });

export const getSender = call({
  method: 'GET',
  path: '/sender/:id',
  summary: '送信者の内容',
  params: ofSender,
  response: z.object({
    ...senderRow,
    own_subject: ownSubject,
    is_confirmed: fields.isConfirmed,
    reply_to: fields.replyTo,
    mails_per_minute: fields.mailsPerMinute,
    template_name: templateName,
    profile_id: profileId,
    shared_by: sharedBy,
    signature: fields.shownSignature,
    max_mails_per_minute: fields.maxMailsPerMinute,
    confirmed_at: fields.dateTimeOrNull('アドレスが確認された日時です。まだなら null です。'),
    confirmation_sent_at: fields.confirmationSentAt,
    reservations: z.int().describe('まだ送信されていない予約の数です。'),
    version,
    updated_at: z.string().describe('最後に変更した日時です。'),
    updated_by: z.string().nullable().describe('最後に変更した人の氏名です。わからなければ null です。'),
  }),
});

export const addSender = call({
  method: 'POST',
  path: '/sender',
  needs: 'admin',
  summary: '送信者を追加する',
  errors: ['not_found', 'invalid_template', 'template_archived', 'above_limit', 'sender_exists', 'too_many_senders'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z.strictObject({
      sender_group_id: id.describe('送信者グループのidです。'),
      person_in_charge: senderFields.person_in_charge,
      email: senderFields.email,
      template_id: senderFields.template_id,
      subject: senderFields.subject,
      reply_to: senderFields.reply_to.optional(),
      bcc: senderFields.bcc.optional(),
      signature: senderFields.signature.optional(),
      mails_per_minute: senderFields.mails_per_minute.optional(),
      active: senderFields.active.optional(),
    }),
  }),
  response: z.object({
    status: z.literal('added').describe('追加しました。'),
    id: id.describe('送信者のidです。'),
    is_confirmed: fields.isConfirmed,
  }),
});

export const updateSender = call({
  method: 'PUT',
  path: '/sender/:id',
  summary: '送信者を変更する、無効にする、有効に戻す',
  errors: [
    'not_in_group',
    'not_found',
    'invalid_template',
    'template_archived',
    'above_limit',
    'sender_exists',
    'sender_changed',
    'has_reservations',
    'from_not_allowed',
  ],
  params: ofSender,
  body: z.strictObject({
    version: version.max(100),
    update_info: z
      .strictObject(senderFields)
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.describe('送信者のidです。'),
    version,
    is_confirmed: fields.isConfirmed,
    shared_by: sharedBy,
  }),
});
