import { z } from 'zod';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { call } from './call.ts';
import { legalFaultsOfTest } from './legal-profile.ts';
import { finishedMail } from './mail-preview.ts';
import * as fields from './mail-template-fields.ts';
import { flag, id, text } from './wire.ts';

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
  summary: '保存していない内容から、会社へのメールを作って見せる',
  description: `送信と同じ差し込みで、1通のメールを作ります。送信も保存もしません。\n\n${fields.TEMPLATE_RULES}`,
  errors: {
    ...fields.INVALID_TEMPLATE,
    not_found: {
      status: 404,
      when: 'テンプレート、送信者、見込み客のどれかが、ないかほかのアカウントのものであるとき',
    },
  },
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
  errors: {
    ...fields.INVALID_TEMPLATE,
    not_found: {
      status: 404,
      when: 'テンプレート、送信者、見込み客のどれかが、ないかほかのアカウントのものであるとき',
    },
    no_sendgrid_template: {
      status: 400,
      when: 'SendGridで送る設定で、テンプレートにSendGridのテンプレートIDがないとき',
    },
    too_many_mails: { status: 429, when: 'テスト送信の回数が、1時間の上限に達したとき' },
    mail_not_sent: { status: 503, when: 'メールを送信できなかったとき' },
  },
  params: fields.ofTemplate,
  largeBody: true,
  body: unsaved,
  response: z.object({
    status: z.literal('sent').describe('メールサーバーが受け付けました。'),
    to: z.string().meta({ description: '送ったメールアドレスです。', examples: ['yamada@example.jp'] }),
    legal_faults: legalFaultsOfTest,
  }),
});
