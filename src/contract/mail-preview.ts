import { z } from 'zod';
import { MAX_TARGETS } from '#domain/limits.ts';
import { skippedTarget } from './attack-list.ts';
import { call } from './call.ts';
import { legalFault } from './legal-profile.ts';
import { sendMail } from './runs.ts';
import { id } from './wire.ts';

/** The kinds of warnings, each with what its `text` holds. */
export const WARNING_KINDS = [
  /** The name of the merge field. */
  'blank_field',
  /** The words as the mail has them. */
  'doubled_honorific',
  /** The characters, one after the other. */
  'garbled_character',
  /** The number of characters. */
  'long_subject',
  /** Nothing. */
  'image_only',
  /** The link as the mail has it. */
  'bad_link',
  /** The words that were to be replaced. */
  'placeholder',
  /** The sentence that speaks of an attachment. */
  'no_attachment',
  /** The date as the mail has it and its right weekday: `12月10日(金)/木`; nothing behind the `/` where no such day is. */
  'wrong_weekday',
  /** The date as the mail has it. */
  'past_date',
  /** The bytes of the HTML body, whose end Gmail hides. */
  'clipped',
  /** The bytes of the mail, and those that the mail server accepts: `120345/102400`. */
  'too_large',
] as const;

/** What to check in a mail before it is sent. */
export const mailWarning = z
  .object({
    kind: z
      .enum(WARNING_KINDS)
      .describe(
        '`blank_field` は空の差し込み項目、`doubled_honorific` は重なった敬称、`garbled_character` は古いメールソフトで文字化けする恐れのある文字、' +
          '`long_subject` は長すぎる件名、' +
          '`image_only` は画像だけのHTML、`bad_link` は開けない形のリンク、`placeholder` は書き換えていない仮の語句、' +
          '`no_attachment` は添付を知らせる文（メールに添付はありません）、`wrong_weekday` は曜日の合わない日付、' +
          '`past_date` は過ぎた日付、`clipped` はGmailで終わりが隠れる大きさのHTML、' +
          '`too_large` はメールサーバーが受け取れる大きさを超えるメールです。',
      ),
    text: z.string().meta({
      description:
        '順に、差し込み項目の名前、敬称が重なった語句、文字を並べたもの、件名の文字数、空、リンク先、仮の語句、文、' +
        '日付と正しい曜日（`12月10日(金)/木`）、日付、HTMLのバイト数、メールと上限のバイト数（`120345/102400`）です。',
      examples: ['person_in_charge'],
    }),
  })
  .meta({ schemaName: 'MailWarning' });
export type MailWarning = z.infer<typeof mailWarning>;

/** A rendered mail, as it would be sent. */
export const finishedMail = z
  .object({
    prospect_id: id.describe('見込み客のidです。'),
    company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
    subject: z.string().meta({ description: '件名です。', examples: ['受発注業務の効率化のご提案'] }),
    from: z
      .object({
        name: z.string().meta({ description: '差出人の名前です。', examples: ['田中 直樹'] }),
        address: z.string().meta({ description: '差出人のメールアドレスです。', examples: ['tanaka@example.com'] }),
      })
      .describe('差出人です。'),
    to: z.string().meta({
      description: '宛先です。テストモードではテスト送信先です。',
      examples: ['info@midori.example.jp'],
    }),
    text: z
      .string()
      .meta({ description: '本文（テキスト）です。', examples: ['株式会社みどり製作所\n緑川 花子 様\n…'] }),
    html: z
      .string()
      .meta({ description: '本文（HTML）です。', examples: ['<p>株式会社みどり製作所<br>緑川 花子 様</p>'] }),
    warnings: z.array(mailWarning).describe('送る前に確かめたい点です。なければ空です。'),
  })
  .meta({ schemaName: 'FinishedMail' });
export type FinishedMail = z.infer<typeof finishedMail>;

const withoutSource = z.int().meta({
  description:
    '送信の根拠が「公開アドレス」の送信者グループで、公開元URLの記録がない送信先の数です。ほかの根拠では0です。',
  examples: [12],
});

/**
 * Previews the mails of an attack list and changes nothing. It is a POST because its input is a whole attack list.
 * `mail` is null past the last target.
 */
export const previewMail = call({
  method: 'POST',
  path: '/mail/preview/:sender_id',
  needs: 'viewer',
  summary: 'アタックリストのメールを、送信されるとおりに1通ずつ作って見せる',
  description: `\`POST /mail/send/{sender_id}\` と同じ内容を受け取り、送信と同じ判定と同じ差し込みで \`pagenate_num\` 番目のメールを作ります。送信も保存もしません。

- \`total\` はいま送ったときの件数で、対象外になるものは \`skipped\` に入ります。
- \`warnings\` は、送る前に確かめたい点です。宛先の会社名と担当者の文字は、文字化けの恐れがあっても警告しません。\
テンプレートが \`{% if %}\` で自分で確かめている項目や、\`default\` のある項目は、空でも警告しません。`,
  errors: ['not_found', 'invalid_candidate_date', 'invalid_test_address', 'invalid_template', 'no_sendgrid_template'],
  params: sendMail.params,
  largeBody: true,
  body: z.strictObject({
    ...sendMail.body.omit({ acknowledged: true }).shape,
    pagenate_num: z
      .int()
      .min(1)
      .max(MAX_TARGETS)
      .default(1)
      .meta({ description: '何通目を見るかです。', examples: [1] }),
  }),
  response: z.object({
    total: z.int().meta({ description: '送る件数です。', examples: [96] }),
    mail: finishedMail.nullable().describe('メールです。その番号のメールがなければ null です。'),
    skipped: z.array(skippedTarget).meta({ description: '対象外になるものです。', examples: [[]] }),
    legal_faults: z.array(legalFault).meta({
      description:
        '法律の求める表示で足りない点と、確かめたい点です。`error` があれば、実際の送信は409（`legal_incomplete`）になり、テスト送信だけができます。',
      examples: [[]],
    }),
    without_source: withoutSource,
  }),
});

/** The most kinds of points that one check lists, and the most companies that it names for each. */
export const MAX_CHECK_WARNINGS = 20;
export const MAX_NAMED_MAILS = 20;
/** The most characters of a point: a link may be as long as a template. */
export const MAX_WARNING_LENGTH = 200;
/** The longest that a check renders mails, seconds: so long a person waits for it. */
export const MAX_CHECK_SECONDS = 3;

const checkWarning = z
  .object({
    kind: z
      .enum([...WARNING_KINDS, 'unlawful', 'unusable'])
      .describe(
        '`MailWarning` の種類か、`unlawful`（法律の求める表示が足りず、送られないメール）、`unusable`（差し込む値のために作れないメール）です。',
      ),
    text: z.string().meta({
      description:
        `\`MailWarning\` の \`text\` です（${MAX_WARNING_LENGTH}文字まで）。` +
        '会社ごとに違う敬称とリンク先は、会社名と担当者名を除いた語句（`様様`、`https://…`）、件名の長さとメールの大きさは最初のものです。' +
        '`unlawful` と `unusable` では、理由です。',
      examples: ['person_in_charge'],
    }),
    count: z.int().meta({ description: '当てはまるメールの数です。', examples: [3] }),
    prospect_ids: z
      .array(id)
      .meta({ description: `当てはまる見込み客のidです。${MAX_NAMED_MAILS}件までです。`, examples: [[12, 15, 31]] }),
  })
  .meta({ schemaName: 'MailCheckWarning' });
export type MailCheckWarning = z.infer<typeof checkWarning>;

/** Checks all mails of an attack list and changes nothing. */
export const checkMails = call({
  method: 'POST',
  path: '/mail/check/:sender_id',
  needs: 'viewer',
  summary: 'アタックリストのメールを、送信されるとおりにすべて作って確かめる',
  description: `\`POST /mail/send/{sender_id}\` と同じ内容を受け取り、送信と同じ判定と同じ差し込みで、すべてのメールを作って確かめます。送信も保存もしません。

- 確かめるのは${MAX_CHECK_SECONDS}秒までです。\`checked\` が \`total\` より小さければ、残りのメールは確かめていません。
- \`warnings\` は、同じ点を1つにまとめ、当てはまるメールの数を付けたものです。${MAX_CHECK_WARNINGS}個までです。`,
  errors: ['not_found', 'invalid_candidate_date', 'invalid_test_address', 'invalid_template', 'no_sendgrid_template'],
  params: sendMail.params,
  largeBody: true,
  body: sendMail.body.omit({ acknowledged: true }),
  response: z.object({
    total: previewMail.response.shape.total,
    checked: z.int().meta({ description: '確かめた数です。', examples: [96] }),
    warnings: z.array(checkWarning).describe('送る前に確かめたい点です。なければ空です。'),
    skipped: previewMail.response.shape.skipped,
    legal_faults: previewMail.response.shape.legal_faults,
    without_source: withoutSource,
  }),
});
