import { z } from 'zod';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { call } from '../call.ts';
import { MAX_LIST_ROWS } from '../list.ts';
import { legalFaultsOfTest } from '../senders/legal-profile.ts';
import { profilesOfTemplate } from '../senders/sender-profiles.ts';
import { finishedMail } from '../sending/mail-preview.ts';
import { flag, id, idInPath, int4InPath, intInQuery, text, version } from '../wire.ts';
import * as fields from './mail-templates-fields.ts';

const mailTemplate = z.object({
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
    .array(z.string())
    .describe('使える差し込み項目です。見込み客の自社の項目は `custom.` と差し込み名です。'),
  asks_for_reply: flag.describe(
    '以前の文面にあった「本メールに「配信停止」とご返信ください」の行が残っていれば1です。',
  ),
  sendgrid_template_id: z.string().nullable().describe('SendGridのテンプレートのIDです。なければ null です。'),
  sendgrid_footer_confirmed: flag.describe(
    'SendGridのテンプレートに法定表示の項目が入っていることを、だれかが確認していれば1です。',
  ),
  faults: z.array(fields.templateFault).describe('保存されている内容のうち、いまの規則では送れない箇所です。'),
});
export type MailTemplate = z.infer<typeof mailTemplate>;

export const getMailTemplate = call({
  method: 'GET',
  path: '/mail_template/:id',
  summary: 'テンプレートの内容',
  params: fields.ofTemplate,
  response: mailTemplate,
});

export const updateMailTemplate = call({
  method: 'PUT',
  path: '/mail_template/:id',
  summary: 'テンプレートと、それを使う送信者の件名を変更する',
  errors: [
    'not_in_group',
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
    update_info: z.strictObject({
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
    }),
  }),
  response: fields.updatedTemplate,
});

const at = z.string().describe('保存した日時です。');
const member = z.string().nullable().describe('保存した人の氏名です。わからなければ null です。');

export const listTemplateVersions = call({
  method: 'GET',
  path: '/mail_template/:id/version/list',
  summary: 'テンプレートの版の一覧',
  params: fields.ofTemplate,
  query: z.strictObject({
    limit: intInQuery(1, MAX_LIST_ROWS).default(MAX_LIST_ROWS).describe('返す件数の上限です。'),
    offset: intInQuery(0, MAX_LIST_ROWS).default(0).describe('先頭から飛ばす件数です（省略すると0）。'),
  }),
  isList: true,
  response: z.array(
    z.object({
      number: fields.versionNumber,
      name: fields.stored(fields.templateName),
      subject: fields.stored(fields.subjectTemplate),
      at,
      member,
    }),
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
  response: z.object({
    number: fields.versionNumber,
    name: fields.stored(fields.templateName),
    subject: fields.stored(fields.subjectTemplate),
    text_body: fields.stored(fields.textBody),
    html_body: fields.stored(fields.htmlBody),
    editor: fields.editor,
    text_follows: fields.textFollows,
    at,
    member,
  }),
});

export const restoreTemplateVersion = call({
  method: 'POST',
  path: '/mail_template/:id/version/:number/restore',
  summary: 'テンプレートを前の版の内容に戻す',
  errors: ['not_found', 'invalid_template', 'template_changed'],
  params: ofVersion,
  body: z.strictObject({ version: version.max(100) }),
  response: fields.updatedTemplate,
});

export const confirmSendGridFooter = call({
  method: 'PUT',
  path: '/mail_template/:id/sendgrid_footer',
  summary: 'SendGridのテンプレートに法定表示が入っていることを確認する',
  params: fields.ofTemplate,
  body: z.strictObject({
    update_info: z.strictObject({ confirmed: flag.describe('確認したなら1、取り消すなら0です。') }),
  }),
  response: fields.movedTemplate,
});

/** An unsaved template, and the company of its mail. */
const unsaved = z
  .strictObject({
    sender_id: id.nullable().describe('このテンプレートを使う送信者のidです。'),
    subject: fields.subjectTemplate,
    text_body: fields.textBody,
    html_body: fields.htmlBody,
    prospect_id: id.optional().describe('メールを作る見込み客のidです。'),
    company_name: text(MAX_NAME_LENGTH).optional().describe('見本の会社名です。'),
    person_in_charge: text(MAX_NAME_LENGTH)
      .optional()
      .describe('見本の担当者です。空なら、担当者がわからない会社です。'),
    has_candidate_dates: flag.describe('候補日を入れるなら1です。'),
  })
  .refine(
    ({ prospect_id, company_name, person_in_charge }) =>
      prospect_id === undefined
        ? company_name !== undefined && person_in_charge !== undefined
        : company_name === undefined && person_in_charge === undefined,
    { path: ['prospect_id'], message: '見込み客か、見本の会社名と担当者の、どちらかを指定してください' },
  );
export type UnsavedTemplate = z.output<typeof unsaved>;

/** Previews a template and changes nothing. It is a POST because its input is a template. */
export const previewMailTemplate = call({
  method: 'POST',
  path: '/mail_template/:id/preview',
  needs: 'viewer',
  summary: '保存していない内容から、会社へのメールを作って見せる',
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
  errors: ['invalid_template', 'not_found', 'no_sendgrid_template', 'too_many_mails', 'mail_not_sent'],
  params: fields.ofTemplate,
  largeBody: true,
  body: unsaved,
  response: z.object({
    status: z.literal('sent').describe('メールサーバーが受け付けました。'),
    to: z.string().describe('送ったメールアドレスです。'),
    legal_faults: legalFaultsOfTest,
  }),
});
