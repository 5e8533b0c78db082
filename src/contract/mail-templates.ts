import { z } from 'zod';
import { MAX_NAME_LENGTH, TEMPLATE_VERSIONS } from '#domain/limits.ts';
import { MERGE_FIELDS } from '#domain/mail/merge-fields.ts';
import { call } from './call.ts';
import { legalFaultsOfTest } from './legal-profile.ts';
import { MAX_LIST_ROWS } from './list.ts';
import { finishedMail } from './mail-preview.ts';
import * as fields from './mail-templates-fields.ts';
import { profilesOfTemplate } from './sender-profiles.ts';
import { flag, id, idInPath, int4InPath, intInQuery, text, version } from './wire.ts';

const mailTemplate = z
  .object({
    id: id.describe('テンプレートのidです。'),
    name: fields.stored(fields.templateName),
    subject: fields.stored(fields.subjectTemplate),
    text_body: fields.stored(fields.textBody),
    html_body: fields.stored(fields.htmlBody),
    editor: fields.editor,
    text_follows: fields.textFollows,
    folder_id: fields.folderId,
    archived: fields.archived,
    version,
    number: fields.versionNumber,
    updated_at: fields.updatedAt,
    updated_by: fields.updatedBy,
    reservations: fields.reservations,
    senders: z.array(fields.senderOfTemplate).describe('このテンプレートを使う送信者です。'),
    sender_profile_ids: profilesOfTemplate,
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
      .array(fields.templateFault)
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
- 保存のたびに、内容が新しい版として残ります。
- \`sender_profile_ids\` を指定すると、その差出人の送信者を有効にし（なければ追加し）、ほかの差出人の送信者を無効にします。`,
  errors: [
    'not_found',
    'invalid_template',
    'template_changed',
    'template_archived',
    'has_reservations',
    'sender_exists',
    'too_many_senders',
  ],
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
        sender_profile_ids: profilesOfTemplate.optional(),
      })
      .describe('変更後の内容です。'),
  }),
  response: fields.updatedTemplate,
});

const at = z.string().meta({ description: '保存した日時です。', examples: ['2026/11/20 12:00:00'] });
const member = z
  .string()
  .nullable()
  .meta({ description: '保存した人の氏名です。わからなければ null です。', examples: ['山田 太郎'] });

export const listTemplateVersions = call({
  method: 'GET',
  path: '/mail_template/:id/version/list',
  summary: 'テンプレートの版の一覧',
  description: `新しい版から順に返します。最初のものが、現在の内容です。${TEMPLATE_VERSIONS}版まで残り、それより古い版は消えます。`,
  params: fields.ofTemplate,
  query: z.strictObject({
    limit: intInQuery(1, MAX_LIST_ROWS).default(MAX_LIST_ROWS).describe('返す件数の上限です。'),
    offset: intInQuery(0, MAX_LIST_ROWS).default(0).describe('先頭から飛ばす件数です（省略すると0）。'),
  }),
  isList: true,
  response: z.array(
    z
      .object({
        number: fields.versionNumber,
        name: fields.stored(fields.templateName),
        subject: fields.stored(fields.subjectTemplate),
        at,
        member,
      })
      .meta({ schemaName: 'TemplateVersionRow' }),
  ),
});

const ofVersion = z.object({
  id: idInPath.describe('テンプレートのidです。'),
  number: int4InPath.describe('何番目の版かです。'),
});

export const getTemplateVersion = call({
  method: 'GET',
  path: '/mail_template/:id/version/:number',
  summary: 'テンプレートの1つの版',
  params: ofVersion,
  response: z
    .object({
      number: fields.versionNumber,
      name: fields.stored(fields.templateName),
      subject: fields.stored(fields.subjectTemplate),
      text_body: fields.stored(fields.textBody),
      html_body: fields.stored(fields.htmlBody),
      editor: fields.editor,
      text_follows: fields.textFollows,
      at,
      member,
    })
    .meta({ schemaName: 'TemplateVersion' }),
});

export const restoreTemplateVersion = call({
  method: 'POST',
  path: '/mail_template/:id/version/:number/restore',
  summary: 'テンプレートを前の版の内容に戻す',
  description: `その版の内容を、新しい版として保存します。送信者が別に持つ件名は変わりません。

- \`version\` には、テンプレートを読んだときの値を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。
- いまの規則では送れない版には戻せません。`,
  errors: ['not_found', 'invalid_template', 'template_changed'],
  params: ofVersion,
  body: z.strictObject({ version: version.max(100) }),
  response: fields.updatedTemplate,
});

export const confirmSendGridFooter = call({
  method: 'PUT',
  path: '/mail_template/:id/sendgrid_footer',
  summary: 'SendGridのテンプレートに法定表示が入っていることを確認する',
  description: `SendGridで送るとき、本文はSendGridのテンプレートから作られ、ここでは読めません。\
本文（HTML）に \`{{{legal_footer_html}}}\`、本文（テキスト）に \`{{{legal_footer}}}\` が入っていることを人が確かめます。

- 確認するまで、実際の送信と予約は409（\`legal_incomplete\`）になります。
- SendGridのテンプレートIDを変えると、確認は取り消されます。`,
  params: fields.ofTemplate,
  body: z.strictObject({
    update_info: z
      .strictObject({ confirmed: flag.meta({ description: '確認したなら1、取り消すなら0です。', examples: [1] }) })
      .describe('変更する項目です。'),
  }),
  response: fields.movedTemplate,
});

/** A template that is not saved, and the company that its mail is made for. */
const unsaved = z
  .strictObject({
    sender_id: id
      .nullable()
      .describe('このテンプレートを使う送信者のidです。null なら、自分の氏名とメールアドレスを差出人とします。'),
    subject: fields.subjectTemplate,
    text_body: fields.textBody,
    html_body: fields.htmlBody,
    prospect_id: id
      .optional()
      .describe('メールを作る見込み客のidです。指定するなら、`company_name` と `person_in_charge` は省略します。'),
    company_name: text(MAX_NAME_LENGTH)
      .optional()
      .meta({ description: '見本の会社名です。', examples: ['株式会社みどり製作所'] }),
    person_in_charge: text(MAX_NAME_LENGTH)
      .optional()
      .meta({ description: '見本の担当者です。空なら、担当者がわからない会社です。', examples: ['緑川 花子'] }),
    has_candidate_dates: flag.meta({ description: '候補日を入れるなら1です。', examples: [1] }),
  })
  .refine(
    ({ prospect_id, company_name, person_in_charge }) =>
      prospect_id === undefined
        ? company_name !== undefined && person_in_charge !== undefined
        : company_name === undefined && person_in_charge === undefined,
    { path: ['prospect_id'], message: '見込み客か、見本の会社名と担当者の、どちらかを指定してください' },
  )
  .meta({
    examples: [
      {
        sender_id: null,
        subject: '受発注業務の効率化のご提案',
        text_body: '{{ company_name }}\n{{ person_in_charge }}\n',
        html_body: '<p>{{ company_name }}<br>{{ person_in_charge }}</p>',
        company_name: '株式会社みどり製作所',
        person_in_charge: '緑川 花子',
        has_candidate_dates: 1,
      },
    ],
  });
export type UnsavedTemplate = z.output<typeof unsaved>;

/** Previews a template and changes nothing. It is a POST because its input is a template. */
export const previewMailTemplate = call({
  method: 'POST',
  path: '/mail_template/:id/preview',
  needs: 'viewer',
  summary: '保存していない内容から、会社へのメールを作って見せる',
  description: `送信と同じ差し込みで、1通のメールを作ります。送信も保存もしません。\n\n${fields.TEMPLATE_RULES}`,
  errors: ['invalid_template', 'not_found'],
  params: fields.ofTemplate,
  largeBody: true,
  body: unsaved,
  response: finishedMail.pick({ subject: true, from: true, text: true, html: true, warnings: true }),
});

export const sendTemplateTest = call({
  method: 'POST',
  path: '/mail_template/:id/test',
  summary: '保存していない内容を、自分のメールアドレスにテスト送信する',
  description: `プレビューと同じメールを1通作り、ログインしている人のメールアドレスに送ります。保存はしません。

- 件名の初めに「【テスト】」が付きます。差出人のメールアドレスが確認されていなくても送れます。Bccには送りません。
- どの会社にも届かず、送信の記録にも再送信間隔にも入りません。
- SendGridで送る設定では、本文はSendGridのテンプレートから作られます。`,
  errors: ['invalid_template', 'not_found', 'no_sendgrid_template', 'too_many_mails', 'mail_not_sent'],
  params: fields.ofTemplate,
  largeBody: true,
  body: unsaved,
  response: z.object({
    status: z.literal('sent').describe('メールサーバーが受け付けました。'),
    to: z.string().meta({ description: '送ったメールアドレスです。', examples: ['yamada@example.jp'] }),
    legal_faults: legalFaultsOfTest,
  }),
});
