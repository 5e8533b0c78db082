import { z } from 'zod';
import { MAX_TARGETS } from '#domain/limits.ts';
import { call } from '../call.ts';
import { skippedTarget } from '../companies/attack-list.ts';
import { legalFault } from '../senders/legal-profile.ts';
import { id } from '../wire.ts';
import { sendMail } from './runs.ts';

/** The kinds of warnings, each with what its `text` holds. */
export const WARNING_KINDS = [
  /** The name of the merge field. */
  'blank_field',
  /** The words as in the mail. */
  'doubled_honorific',
  /** The characters, one after the other. */
  'garbled_character',
  /** The number of characters. */
  'long_subject',
  /** Nothing. */
  'image_only',
  /** The link as in the mail. */
  'bad_link',
  /** The placeholder. */
  'placeholder',
  /** The sentence that mentions an attachment. */
  'no_attachment',
  /** The date as in the mail and its right weekday: `12月10日(金)/木`; nothing after the `/` if the day does not exist. */
  'wrong_weekday',
  /** The date as in the mail. */
  'past_date',
  /** The bytes of the HTML body, which Gmail clips. */
  'clipped',
  /** The mail's bytes and the server's limit: `120345/102400`. */
  'too_large',
] as const;

/** What to check in a mail before it is sent. */
export const mailWarning = z.object({
  kind: z.enum(WARNING_KINDS).meta({
    description:
      '確かめたい点の種類です。空欄になる差し込み項目（`blank_field`）、敬称の重なり（`doubled_honorific`）、文字化けの恐れ（`garbled_character`）、' +
      '長い件名（`long_subject`）、画像だけの本文（`image_only`）、誤ったリンク（`bad_link`）、仮の文字（`placeholder`）、' +
      '添付を書いた文（`no_attachment`）、曜日の誤り（`wrong_weekday`）、過ぎた日付（`past_date`）、Gmailが省略する長さ（`clipped`）、' +
      '大きすぎるメール（`too_large`）のどれかです。',
    examples: ['blank_field'],
  }),
  text: z.string().meta({ description: 'その語句か数です。', examples: ['sender.signature'] }),
});
export type MailWarning = z.infer<typeof mailWarning>;

/** A rendered mail, as it would be sent. */
export const finishedMail = z.object({
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
  text: z.string().meta({ description: '本文（テキスト）です。', examples: ['株式会社みどり製作所\n緑川 花子 様\n…'] }),
  html: z
    .string()
    .meta({ description: '本文（HTML）です。', examples: ['<p>株式会社みどり製作所<br>緑川 花子 様</p>'] }),
  warnings: z.array(mailWarning).describe('送る前に確かめたい点です。なければ空です。'),
});
export type FinishedMail = z.infer<typeof finishedMail>;

const withoutSource = z
  .int()
  .describe('送信の根拠が「公開アドレス」の送信者グループで、公開元URLの記録がない送信先の数です。');

const withoutMetOn = z
  .int()
  .optional()
  .describe('相手の人に送るうち、名刺交換日の記録がない送信先の数です。相手の人に送らなければ、ありません。');

/**
 * Previews the mails of an attack list and changes nothing. It is a POST because its input is a whole attack list.
 * `mail` is null past the last target.
 */
export const previewMail = call({
  method: 'POST',
  path: '/mail/preview/:sender_id',
  audience: 'integrator',
  needs: 'viewer',
  summary: 'アタックリストのメールを、送信されるとおりに1通ずつ作って見せる',
  description:
    '何も送らず、何も変えません。本文は `POST /mail/send/{sender_id}` と同じで、`pagenate_num` で何通目かを選びます。',
  errors: ['not_found', 'invalid_candidate_date', 'invalid_test_address', 'invalid_template', 'no_sendgrid_template'],
  params: sendMail.params,
  largeBody: true,
  body: z.strictObject({
    ...sendMail.body.omit({ acknowledged: true }).shape,
    pagenate_num: z.int().min(1).max(MAX_TARGETS).default(1).describe('何通目を見るかです。'),
  }),
  response: z.object({
    total: z.int().meta({ description: '送る件数です。', examples: [1] }),
    mail: finishedMail.nullable().describe('メールです。その番号のメールがなければ null です。'),
    skipped: z.array(skippedTarget).describe('対象外になるものです。'),
    legal_faults: z.array(legalFault).describe('法律の求める表示で足りない点と、確かめたい点です。'),
    without_source: withoutSource,
    without_met_on: withoutMetOn,
  }),
});

/** The most kinds of points that one check lists, and the most companies that it names for each. */
export const MAX_CHECK_WARNINGS = 20;
export const MAX_NAMED_MAILS = 20;
/** The most characters of a point: a link may be as long as a template. */
export const MAX_WARNING_LENGTH = 200;
/** The longest time in seconds that a check renders mails, while a person waits. */
export const MAX_CHECK_SECONDS = 3;

const checkWarning = z.object({
  kind: z
    .enum([...WARNING_KINDS, 'unlawful', 'unusable'])
    .describe('`WARNING_KINDS` か、送られないか作れないメールです。'),
  text: z.string().describe(`\`MailWarning\` の \`text\` です（${MAX_WARNING_LENGTH}文字まで）。`),
  count: z.int().describe('当てはまるメールの数です。'),
  prospect_ids: z.array(id).describe(`当てはまる見込み客のidです。${MAX_NAMED_MAILS}件までです。`),
});
export type MailCheckWarning = z.infer<typeof checkWarning>;

/** Checks all mails of an attack list and changes nothing. */
export const checkMails = call({
  method: 'POST',
  path: '/mail/check/:sender_id',
  needs: 'viewer',
  summary: 'アタックリストのメールを、送信されるとおりにすべて作って確かめる',
  errors: ['not_found', 'invalid_candidate_date', 'invalid_test_address', 'invalid_template', 'no_sendgrid_template'],
  params: sendMail.params,
  largeBody: true,
  body: sendMail.body.omit({ acknowledged: true }),
  response: z.object({
    total: previewMail.response.shape.total,
    checked: z.int().describe('確かめた数です。'),
    warnings: z.array(checkWarning).describe('送る前に確かめたい点です。なければ空です。'),
    skipped: previewMail.response.shape.skipped,
    legal_faults: previewMail.response.shape.legal_faults,
    without_source: withoutSource,
    without_met_on: withoutMetOn,
  }),
});
