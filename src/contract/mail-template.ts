import { z } from 'zod';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH, MAX_TEMPLATE_LENGTH } from '#domain/limits.ts';
import { MERGE_FIELDS } from '#domain/merge-fields.ts';
import { hasUnusableCharacter } from '#domain/person-name.ts';
import { call } from './call.ts';
import { finishedMail } from './mail-preview.ts';
import { flag, id, idInPath, text } from './wire.ts';

const BLANK = '入力してください';
const isFilled = (value: string): boolean => value.trim() !== '';
const UNUSABLE = '使えない文字（改行や、文字の向きを変える記号など）が含まれています';
/** Line ends of a subject, NUL and halves of characters have their own messages. */
const isUsable = (value: string): boolean => !hasUnusableCharacter(value.replace(/[\r\n\0\p{Cs}]/gu, ''));

const name = text(MAX_NAME_LENGTH)
  .refine(isFilled, BLANK)
  .refine(isUsable, UNUSABLE)
  .meta({ description: '見分けるための名前です。メールには入りません。', examples: ['業務改善のご提案'] });
export const subjectTemplate = text(MAX_SUBJECT_LENGTH)
  .refine(isFilled, BLANK)
  .refine((value) => !/[\r\n]/.test(value), '件名に改行は使えません')
  .refine(isUsable, `件名に${UNUSABLE}`)
  .meta({ description: '件名です。差し込み項目を使えます。', examples: ['受発注業務の効率化のご提案'] });
const textBody = text(MAX_TEMPLATE_LENGTH)
  .refine(isFilled, BLANK)
  .meta({ description: '本文（テキスト）です。', examples: ['{{ company_name }}\n{{ person_in_charge }}\n'] });
const htmlBody = text(MAX_TEMPLATE_LENGTH).meta({
  description: '本文（HTML）です。空なら、テキストだけのメールになります。',
  examples: ['<p>{{ company_name }}<br>{{ person_in_charge }}</p>'],
});
const version = z.string().meta({
  description: '内容を見分ける印です。内容が変わると、印も変わります。',
  examples: ['q3vXbQ0mS1uJ5a2dYpWc7g'],
});
const updatedAt = z.string().meta({ description: '最後に変更した日時です。', examples: ['2026/11/20 12:00:00'] });
const ofTemplate = z.object({ id: idInPath.describe('テンプレートのidです。') });

const mailTemplate = z
  .object({
    id: id.describe('テンプレートのidです。'),
    name: z.string().meta(name.meta() ?? {}),
    text_body: z.string().meta(textBody.meta() ?? {}),
    html_body: z.string().meta(htmlBody.meta() ?? {}),
    version,
    updated_at: updatedAt,
    senders: z
      .array(
        z.object({
          id: id.describe('送信者のidです。'),
          group: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] }),
          person_in_charge: z.string().meta({ description: '担当者です。', examples: ['山田 太郎'] }),
          email: z.string().meta({ description: '差出人のメールアドレスです。', examples: ['yamada@example.jp'] }),
          subject: z.string().meta(subjectTemplate.meta() ?? {}),
          active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
        }),
      )
      .describe('このテンプレートを使う送信者です。件名は送信者ごとに決まります。'),
    merge_fields: z
      .array(z.enum(MERGE_FIELDS))
      .meta({ description: '使える差し込み項目です。', examples: [[...MERGE_FIELDS]] }),
    faults: z
      .array(
        z.object({
          path: z
            .string()
            .meta({ description: '保存するときの項目です。', examples: ['text_body', 'senders.0.subject'] }),
          message: z
            .string()
            .meta({ description: '直し方です。', examples: ['1行目：「sort」というフィルターは使えません'] }),
        }),
      )
      .describe('保存されている内容のうち、いまの規則では送れない箇所です。直すまで、送信も予約もできません。'),
  })
  .meta({ schemaName: 'MailTemplate' });
export type MailTemplate = z.infer<typeof mailTemplate>;

const RULES = `テンプレートは [Liquid](https://liquidjs.com/) で書きます。保存できるのは、送信できるものだけです。

- 使える差し込み項目は \`merge_fields\` のとおりです。\`person_in_charge\` は「様」まで付き、担当者がわからなければ「ご担当者様」になります。\
候補日を1行ずつ書くときは \`candidate_date_lines\` を繰り返します。
- 使えるタグは \`if\`・\`elsif\`・\`else\`・\`unless\`・\`case\`・\`when\`・\`for\`・\`comment\`・\`raw\`、\
使えるフィルターは \`default\`・\`strip\`・\`upcase\`・\`downcase\`・\`size\` です。\
\`for\` は \`{% for line in candidate_date_lines %}\` の形だけが使え、入れ子にできません。範囲（\`(1..9)\`）は使えません。
- タグと差し込み項目は合わせて500個まで、1つ500文字まで、入れ子は10段まで、\`for\` の中は合わせて2000文字までです。
- これら以外のタグ・フィルター・項目、閉じていないタグ、改行の入る件名、条件によって空になる件名や本文は、行番号とともに断ります。`;

export const getMailTemplate = call({
  method: 'GET',
  path: '/mail_template/:id',
  summary: 'テンプレートの内容',
  description: '件名は送信者のものなので、このテンプレートを使う送信者とともに返します。',
  params: ofTemplate,
  response: mailTemplate,
});

export const updateMailTemplate = call({
  method: 'PUT',
  path: '/mail_template/:id',
  summary: 'テンプレートと、それを使う送信者の件名を変更する',
  description: `${RULES}
- \`version\` には、読んだときの値を指定します。そのあとに内容が変わっていれば、何もせずに 409 を返します。
- 受け付けた送信は、受け付けたときの内容のまま送ります。予約は、送信が始まるときの内容で送ります。`,
  errors: {
    invalid_template: { status: 400, when: 'テンプレートからメールを作れないとき（`details` に項目と行）' },
    template_changed: { status: 409, when: '読んだあとに、内容が変わっていたとき' },
  },
  params: ofTemplate,
  largeBody: true,
  body: z.strictObject({
    version: version.max(100),
    update_info: z
      .strictObject({
        name,
        text_body: textBody,
        html_body: htmlBody,
        senders: z
          .array(z.strictObject({ id: id.describe('送信者のidです。'), subject: subjectTemplate }))
          .max(100)
          .describe('件名を変更する送信者です。ここにない送信者の件名は変わりません。'),
      })
      .describe('変更後の内容です。'),
  }),
  response: z.object({
    status: z.literal('updated').describe('変更しました。'),
    id: id.describe('テンプレートのidです。'),
    version,
    updated_at: updatedAt,
  }),
});

/** Previews a template and changes nothing. It is a POST because its input is a template. */
export const previewMailTemplate = call({
  method: 'POST',
  path: '/mail_template/:id/preview',
  summary: '保存していない内容から、見本の会社へのメールを作って見せる',
  description: `送信と同じ差し込みで、1通のメールを作ります。送信も保存もしません。\n\n${RULES}`,
  errors: {
    invalid_template: { status: 400, when: 'テンプレートからメールを作れないとき（`details` に項目と行）' },
  },
  params: ofTemplate,
  largeBody: true,
  body: z.strictObject({
    sender_id: id
      .nullable()
      .describe('このテンプレートを使う送信者のidです。null なら、アカウントの氏名とメールアドレスを差出人とします。'),
    subject: subjectTemplate,
    text_body: textBody,
    html_body: htmlBody,
    company_name: text(MAX_NAME_LENGTH).meta({ description: '見本の会社名です。', examples: ['株式会社みどり製作所'] }),
    person_in_charge: text(MAX_NAME_LENGTH).meta({
      description: '見本の担当者です。空なら、担当者がわからない会社です。',
      examples: ['緑川 花子'],
    }),
    has_candidate_dates: flag.meta({ description: '候補日を入れるなら1です。', examples: [1] }),
  }),
  response: finishedMail.pick({ subject: true, from: true, text: true, html: true, warnings: true }),
});
