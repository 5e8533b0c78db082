import { z } from 'zod';
import { MAX_SENDERS } from '#domain/limits.ts';
import { call } from './call.ts';
import { flagFilter, idFilter, idOrBounds, wholeListCall } from './list.ts';
import { subjectTemplate } from './mail-templates-fields.ts';
import * as fields from './sender-fields.ts';
import { flag, id, idempotencyHeaders, idInPath, version } from './wire.ts';

/** The fields of a sender that its users set, all but its group. */
const senderFields = {
  ...fields.personFields,
  template_id: id.describe('テンプレートのidです。'),
  subject: subjectTemplate.nullable().describe('件名です。null なら、テンプレートの件名を使います。'),
  active: flag.meta({ description: '使うなら1、使わないなら0です。', examples: [1] }),
};

const ownSubject = z
  .string()
  .nullable()
  .meta({ description: '送信者が別に持つ件名です。null なら、テンプレートの件名を使います。', examples: [null] });
const templateName = z.string().meta({ description: 'テンプレートの名前です。', examples: ['業務改善のご提案'] });
const profileId = id.describe('差出人のidです。同じ差出人の送信者は、同じidを持ちます（`GET /sender_profile/list`）。');
const sharedBy = z.int().meta({
  description: '同じ差出人を使う、ほかの有効な送信者の数です。差出人の項目を変えると、それらも変わります。',
  examples: [2],
});

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
  response: z
    .object({
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
      reservations: z.int().meta({ description: 'まだ送信されていない予約の数です。', examples: [0] }),
      version,
      updated_at: z.string().meta({ description: '最後に変更した日時です。', examples: ['2026/11/20 12:00:00'] }),
      updated_by: z
        .string()
        .nullable()
        .meta({ description: '最後に変更した人の氏名です。わからなければ null です。', examples: ['山田 太郎'] }),
    })
    .meta({ schemaName: 'SenderDetail' }),
});

export const addSender = call({
  method: 'POST',
  path: '/sender',
  needs: 'admin',
  summary: '送信者を追加する',
  description: `送信者は、差出人（氏名・アドレス・Bcc・返信先・署名）とテンプレートの組です。グループと差出人が同じ送信者がすでにあれば、その差出人を使います。\
省略した項目は、その差出人のものになります。\`mails_per_minute\` を指定すると、その差出人のほかの送信者の上限も変わります。同じ組が無効になっていれば、それを有効に戻します。

${fields.CONFIRMATION}

1つのアカウントに${MAX_SENDERS}までです。`,
  errors: ['not_found', 'invalid_template', 'template_archived', 'above_limit', 'sender_exists', 'too_many_senders'],
  headers: idempotencyHeaders,
  body: z.strictObject({
    add_info: z
      .strictObject({
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
      })
      .describe('追加する内容です。'),
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
  description: `指定した項目だけを変更します。

- \`version\` には、読んだときの値を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。
- \`person_in_charge\`・\`email\`・\`bcc\`・\`reply_to\`・\`signature\`・\`mails_per_minute\` を変えると、\
同じ差出人のほかの送信者も変わります（\`shared_by\`）。
- ${fields.CONFIRMATION}
- 受け付けた送信は、受け付けたときの内容のまま送ります。予約は、送信が始まるときの内容で送ります。\`mails_per_minute\` はすぐに効きます。
- 予約のある送信者は、無効にできません。送信の記録が残るため、送信者の削除はありません。`,
  errors: [
    'not_found',
    'invalid_template',
    'template_archived',
    'above_limit',
    'sender_exists',
    'sender_changed',
    'has_reservations',
  ],
  params: ofSender,
  body: z.strictObject({
    version: version.max(100),
    update_info: z
      .strictObject(senderFields)
      .partial()
      .refine((info) => Object.values(info).some((value) => value !== undefined), '変更する項目を指定してください')
      .describe('変更する項目です。'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.describe('送信者のidです。'),
    version,
    is_confirmed: fields.isConfirmed,
    shared_by: sharedBy,
  }),
});
