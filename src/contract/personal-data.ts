import { z } from 'zod';
import { SUPPRESSION_CLASSES, SUPPRESSION_KINDS, SUPPRESSION_SOURCES } from '#domain/law/suppression.ts';
import { BOUNCE_CLASSES } from '#domain/mail/bounce-class.ts';
import { REPLY_KINDS } from '#domain/mail/reply.ts';
import { SHOWN_STATES } from '#domain/sending/delivery-state.ts';
import { call } from './call.ts';
import { ownCompany } from './prospects.ts';
import { flag, id, mailAddress } from './wire.ts';

/** What is stored about the person or company behind an address, and its erasure (個人情報保護法). */

/** The most rows of an answer. Few addresses have more than one company. */
export const MAX_SHOWN_COMPANIES = 1000;
export const MAX_SHOWN_MAILS = 10_000;
export const MAX_SHOWN_CHANGES = 10_000;

const email = mailAddress.meta({ description: '本人のメールアドレスです。', examples: ['info@midori.example.jp'] });
const instant = z.string().meta({ description: '日時です。', examples: ['2026/11/20 12:00:03'] });
const number = (description: string, example = 0) => z.int().meta({ description, examples: [example] });
const value = z.union([z.string(), z.number(), z.null()]);

export const viewPersonalData = call({
  method: 'POST',
  path: '/personal_data/view',
  needs: 'admin',
  summary: '1つのメールアドレスについて保存している内容（開示）',
  description: `本人からの開示の求めに答えるための内容です。そのアドレスの会社（アーカイブ済みも）、備考、変更の履歴、送ったメール、戻ってきた知らせ、返信、配信停止を返します。

- アドレスをURLに残さないために、POSTです。何も変えません。呼び出したことは操作の記録に残ります（アドレスは残りません）。
- 送ったメールの本文は \`GET /delivery/{id}\` で読めます。
- 会社は${MAX_SHOWN_COMPANIES.toLocaleString('ja-JP')}件、メール、変更、返信は${MAX_SHOWN_MAILS.toLocaleString('ja-JP')}件までです。`,
  body: z.strictObject({ email }),
  response: z.object({
    companies: z
      .array(
        ownCompany.extend({
          archived: flag.describe('アーカイブ済みなら1です。'),
          created_at: instant.meta({ description: '登録した日時です。' }),
          updated_at: instant.meta({ description: '最後に変更した日時です。' }),
          remarks: z
            .array(
              z.object({
                group_name: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] }),
                remarks: z.string().meta({ description: '備考です。', examples: ['展示会で名刺交換'] }),
              }),
            )
            .describe('送信者グループごとの備考です。空のものは入りません。'),
        }),
      )
      .describe('このアドレスの会社です。'),
    changes: z
      .array(
        z.object({
          prospect_id: id.describe('見込み客のidです。'),
          at: instant,
          field: z.string().meta({ description: '項目です。', examples: ['ceo'] }),
          old: value.meta({ description: '前の値です。', examples: ['緑川 太郎'] }),
          new: value.meta({ description: '新しい値です。', examples: ['緑川 花子'] }),
        }),
      )
      .describe('会社の変更の履歴です。新しい順です。'),
    mails: z
      .array(
        z.object({
          delivery_id: id.describe('配信のidです。'),
          send_log_id: id.describe('送信ログのidです。'),
          at: instant.meta({ description: '送信が終わった日時です。終わっていなければ、受け付けた日時です。' }),
          subject: z.string().meta({ description: '件名のひな形です。', examples: ['ご提案'] }),
          from: z.string().meta({ description: '差出人のアドレスです。', examples: ['tanaka@example.com'] }),
          mail_to: z
            .string()
            .nullable()
            .meta({ description: '宛先です。', examples: ['info@midori.example.jp'] }),
          company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
          person_in_charge: z.string().meta({ description: '宛名にした名前です。', examples: ['緑川 花子'] }),
          state: z.enum(SHOWN_STATES).meta({ description: '状態です。', examples: ['sent'] }),
          smtp_reply: z
            .string()
            .nullable()
            .meta({ description: 'メールサーバーの応答です。', examples: ['250 2.0.0 Ok'] }),
          test_send_mode: flag.describe('テスト送信なら1です。'),
        }),
      )
      .describe('このアドレスか、その会社へのメールです。新しい順です。'),
    bounces: z
      .array(
        z.object({
          delivery_id: id.describe('配信のidです。'),
          at: instant,
          class: z.enum(BOUNCE_CLASSES).meta({ description: '届かなかった理由の種類です。', examples: ['hard'] }),
          reply: z.string().meta({ description: 'メールサーバーの言葉です。', examples: ['5.1.1 User unknown'] }),
        }),
      )
      .describe('そのメールが届かずに戻った知らせです。新しい順です。'),
    replies: z
      .array(
        z.object({
          prospect_id: id.describe('見込み客のidです。'),
          at: instant,
          kind: z.enum(REPLY_KINDS).meta({
            description: '返信（`reply`）、自動返信（`auto_reply`）、メンバーの記録（`manual`）のどれかです。',
            examples: ['reply'],
          }),
          from: z.string().meta({ description: '返信した人のアドレスです。', examples: ['info@midori.example.jp'] }),
          subject: z.string().meta({ description: '件名です。', examples: ['Re: ご提案'] }),
          excerpt: z.string().meta({ description: '本文の初めです。', examples: ['ご連絡ありがとうございます。'] }),
        }),
      )
      .describe('このアドレスか、その会社からの返信です。新しい順です。'),
    suppressions: z
      .array(
        z.object({
          kind: z.enum(SUPPRESSION_KINDS).describe('アドレスか、ドメインかです。'),
          value: z.string().meta({ description: 'アドレスか、ドメインです。', examples: ['info@midori.example.jp'] }),
          class: z.enum(SUPPRESSION_CLASSES).meta({ description: '理由の種類です。', examples: ['refused'] }),
          source: z.enum(SUPPRESSION_SOURCES).meta({ description: '登録元です。', examples: ['link'] }),
          reason: z.string().meta({ description: 'メールサーバーの応答です。', examples: [''] }),
          note: z.string().meta({ description: 'メモです。', examples: [''] }),
          created_at: instant.meta({ description: '登録した日時です。' }),
          lifted_at: instant.nullable().meta({ description: '解除した日時です。解除していなければ null です。' }),
        }),
      )
      .describe('配信停止です。解除したものも入ります。'),
    files: number(
      '保存中の、書き出しと取り込みのファイルの数です。このアドレスを含むかもしれません。期限が過ぎると消えます。',
      1,
    ),
    erased: flag.meta({
      description: '以前に消去し、配信停止だけを照合用の値（ハッシュ）で残しているなら1です。',
      examples: [0],
    }),
  }),
});

export const erasePersonalData = call({
  method: 'POST',
  path: '/personal_data/erase',
  needs: 'admin',
  statementSeconds: 120,
  summary: '1つのメールアドレスについて保存している内容を消去する',
  description: `元に戻せません。

- そのアドレスの会社（アーカイブ済みも）の会社名、代表者、住所などの値、備考、変更の履歴を消し、会社はアーカイブします。
- そのアドレスと会社へのメールの、宛先、会社名、宛名、サーバーの応答、返信の内容を消します。件数と日時、結果は残ります。送信待ちのメールは取り消します。
- 配信停止は、アドレスの代わりに照合用の値（ハッシュ）で残します。同じアドレスがまた登録されても、送信しません。\
\`record_refusal\` を0にしなければ、「本人の希望」の配信停止も加えます。
- 会社かメールがあったときは、書き出しと取り込みのファイルもこのアドレスを含むかもしれないので、アカウントのものをすべて消し、作成中の書き出しは取り消します。\
アップロード中か、処理待ちの取り込みは残ります。
- 操作の記録には、件数だけが残ります。`,
  errors: ['import_running', 'mail_underway'],
  body: z.strictObject({
    email,
    record_refusal: flag
      .default(1)
      .meta({ description: '「本人の希望」の配信停止を、照合用の値で残すなら1です。', examples: [1] }),
  }),
  response: z.object({
    status: z.literal('erased').describe('消去しました。何も保存していなかったときも同じです。'),
    companies: number('内容を消した会社の数です。', 1),
    mails: number('宛先などを消したメールの数です。', 2),
    cancelled: number('取り消した送信待ちのメールの数です。'),
    files: number('消したファイルの数です。', 1),
  }),
});
