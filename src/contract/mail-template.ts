import { z } from 'zod';
import { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { call } from './call.ts';
import * as fields from './mail-template-fields.ts';
import { flag, id, version } from './wire.ts';

const subject = z.string().meta(fields.subjectTemplate.meta() ?? {});
/** A stored text: it may break a rule that is newer than it. */
const stored = (field: z.ZodType) => z.string().meta(field.meta() ?? {});

const senderOfTemplate = z.object({
  id: id.describe('送信者のidです。'),
  group: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] }),
  person_in_charge: z.string().meta({ description: '担当者です。', examples: ['山田 太郎'] }),
  email: z.string().meta({ description: '差出人のメールアドレスです。', examples: ['yamada@example.jp'] }),
  subject: subject.describe('この送信者のメールの件名です。'),
  own_subject: subject
    .nullable()
    .describe('送信者が別に持つ件名です。null なら、テンプレートの件名（`subject`）を使います。'),
  active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
});

const fault = z.object({
  path: z.string().meta({ description: '保存するときの項目です。', examples: ['text_body', 'senders.0.subject'] }),
  message: z.string().meta({ description: '直し方です。', examples: ['1行目：「sort」というフィルターは使えません'] }),
});

const mailTemplate = z
  .object({
    id: id.describe('テンプレートのidです。'),
    name: stored(fields.templateName),
    subject,
    text_body: stored(fields.textBody),
    html_body: stored(fields.htmlBody),
    editor: fields.editor,
    text_follows: fields.textFollows,
    folder_id: fields.folderId,
    archived: fields.archived,
    version,
    number: fields.versionNumber,
    updated_at: fields.updatedAt,
    updated_by: fields.updatedBy,
    reservations: fields.reservations,
    senders: z.array(senderOfTemplate).describe('このテンプレートを使う送信者です。'),
    merge_fields: z
      .array(z.enum(MERGE_FIELDS))
      .meta({ description: '使える差し込み項目です。', examples: [[...MERGE_FIELDS]] }),
    asks_for_reply: flag.meta({
      description:
        '以前の文面にあった「本メールに「配信停止」とご返信ください」の行が残っていれば1です。返信では受け付けないので、消してください。配信停止の案内は、自動で末尾に入ります。',
      examples: [0],
    }),
    sendgrid_template_id: z
      .string()
      .nullable()
      .meta({ description: 'SendGridのテンプレートのIDです。なければ null です。', examples: [null] }),
    sendgrid_footer_confirmed: flag.meta({
      description: 'SendGridのテンプレートに法定表示の項目が入っていることを、だれかが確認していれば1です。',
      examples: [0],
    }),
    faults: z
      .array(fault)
      .describe('保存されている内容のうち、いまの規則では送れない箇所です。直すまで、送信も予約もできません。'),
  })
  .meta({ schemaName: 'MailTemplate' });
export type MailTemplate = z.infer<typeof mailTemplate>;

export const getMailTemplate = call({
  method: 'GET',
  path: '/mail_template/:id',
  summary: 'テンプレートの内容',
  description: 'アーカイブしたテンプレートも返します。このテンプレートを使う送信者と、その件名も返します。',
  params: fields.ofTemplate,
  response: mailTemplate,
});

export const updateMailTemplate = call({
  method: 'PUT',
  path: '/mail_template/:id',
  summary: 'テンプレートと、それを使う送信者の件名を変更する',
  description: `${fields.TEMPLATE_RULES}
- \`version\` には、読んだときの値を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。
- 省略した項目は変わりません。
- 受け付けた送信は、受け付けたときの内容のまま送ります。予約は、送信が始まるときの内容で送ります。
- 保存のたびに、内容が新しい版として残ります。`,
  errors: { ...fields.INVALID_TEMPLATE, ...fields.TEMPLATE_CHANGED },
  params: fields.ofTemplate,
  largeBody: true,
  body: z.strictObject({
    version: version.max(100),
    update_info: z
      .strictObject({
        name: fields.templateName,
        subject: fields.subjectTemplate.optional(),
        text_body: fields.textBody,
        html_body: fields.htmlBody,
        editor: fields.editor.optional(),
        text_follows: fields.textFollows.optional(),
        senders: z
          .array(
            z.strictObject({
              id: id.describe('送信者のidです。'),
              subject: fields.subjectTemplate.nullable().describe('null なら、テンプレートの件名を使います。'),
            }),
          )
          .max(100)
          .describe('件名を変更する送信者です。ここにない送信者の件名は変わりません。'),
      })
      .describe('変更後の内容です。'),
  }),
  response: fields.updatedTemplate,
});
