import { z } from 'zod';
import { SUPPRESSION_CLASSES, SUPPRESSION_KINDS, SUPPRESSION_SOURCES } from '#domain/law/suppression.ts';
import { BOUNCE_CLASSES } from '#domain/mail/bounce-class.ts';
import { REPLY_KINDS } from '#domain/mail/reply.ts';
import { SHOWN_STATES } from '#domain/sending/delivery-state.ts';
import { call } from '../call.ts';
import { flag, id, mailAddress } from '../wire.ts';
import { companyPerson } from './people.ts';
import { ownCompany } from './prospects.ts';

/** Everything stored about the person or company of an address, and its erasure (個人情報保護法). */

/** The most rows of an answer. Few addresses have more than one company. */
export const MAX_SHOWN_COMPANIES = 1000;
export const MAX_SHOWN_MAILS = 10_000;
export const MAX_SHOWN_CHANGES = 10_000;

const email = mailAddress.describe('本人のメールアドレスです。');
const instant = z.string().describe('日時です。');
const number = (description: string) => z.int().describe(description);
const value = z.union([z.string(), z.number(), z.null()]);

export const viewPersonalData = call({
  method: 'POST',
  path: '/personal_data/view',
  needs: 'admin',
  summary: '1つのメールアドレスについて保存している内容（開示）',
  body: z.strictObject({ email }),
  response: z.object({
    companies: z.array(
      ownCompany.extend({
        archived: flag.describe('アーカイブ済みなら1です。'),
        created_at: instant.describe('登録した日時です。'),
        updated_at: instant.describe('最後に変更した日時です。'),
        remarks: z
          .array(
            z.object({
              group_name: z.string().describe('送信者グループの名前です。'),
              remarks: z.string().describe('備考です。'),
            }),
          )
          .describe('送信者グループごとの備考です。空のものは入りません。'),
        external_id: z.string().nullable().describe('外部IDです。'),
        tags: z.array(z.string()).describe('タグです。'),
        custom: z
          .array(
            z.object({
              label: z.string().describe('自社の項目の名前です。'),
              value: z.string().describe('その値です。'),
            }),
          )
          .describe('自社の項目の値です。使っていない項目も入ります。'),
      }),
    ),
    people: z
      .array(
        companyPerson.omit({ version: true, suppressed: true, addressee: true, sent_at: true }).extend({
          prospect_id: id.describe('見込み客のidです。'),
          company_name: z.string().describe('会社名です。'),
          created_at: instant.describe('登録した日時です。'),
          updated_at: instant.describe('最後に変更した日時です。'),
        }),
      )
      .describe('担当者メールがこのアドレスの人（相手の人）です。'),
    changes: z
      .array(
        z.object({
          prospect_id: id.describe('見込み客のidです。'),
          at: instant,
          field: z.string().describe('項目です。'),
          label: z.string().optional().describe('自社の項目、タグ、外部IDなら、その名前です。'),
          old: value.describe('前の値です。'),
          new: value.describe('新しい値です。'),
        }),
      )
      .describe('会社とこの人の変更の履歴です。新しい順です。'),
    mails: z
      .array(
        z.object({
          delivery_id: id.describe('配信のidです。'),
          send_log_id: id.describe('送信ログのidです。'),
          at: instant.describe('送信が終わった日時です。終わっていなければ、受け付けた日時です。'),
          subject: z.string().describe('件名のひな形です。'),
          from: z.string().describe('差出人のアドレスです。'),
          mail_to: z.string().nullable().describe('宛先です。'),
          company_name: z.string().describe('会社名です。'),
          person_in_charge: z.string().describe('宛名にした名前です。'),
          state: z.enum(SHOWN_STATES).describe('状態です。'),
          smtp_reply: z.string().nullable().describe('メールサーバーの応答です。'),
          test_send_mode: flag.describe('テスト送信なら1です。'),
        }),
      )
      .describe('このアドレスか、その会社へのメールです。新しい順です。'),
    bounces: z
      .array(
        z.object({
          delivery_id: id.describe('配信のidです。'),
          at: instant,
          class: z.enum(BOUNCE_CLASSES).describe('届かなかった理由の種類です。'),
          reply: z.string().describe('メールサーバーの言葉です。'),
        }),
      )
      .describe('そのメールが届かずに戻った知らせです。新しい順です。'),
    replies: z
      .array(
        z.object({
          prospect_id: id.describe('見込み客のidです。'),
          at: instant,
          kind: z
            .enum(REPLY_KINDS)
            .describe('返信（`reply`）、自動返信（`auto_reply`）、メンバーの記録（`manual`）のどれかです。'),
          from: z.string().describe('返信した人のアドレスです。'),
          subject: z.string().describe('件名です。'),
          excerpt: z.string().describe('本文の初めです。'),
        }),
      )
      .describe('このアドレスか、その会社からの返信です。新しい順です。'),
    suppressions: z
      .array(
        z.object({
          kind: z.enum(SUPPRESSION_KINDS).describe('アドレスか、ドメインかです。'),
          value: z.string().describe('アドレスか、ドメインです。'),
          class: z.enum(SUPPRESSION_CLASSES).describe('理由の種類です。'),
          source: z.enum(SUPPRESSION_SOURCES).describe('登録元です。'),
          reason: z.string().describe('メールサーバーの応答です。'),
          note: z.string().describe('メモです。'),
          created_at: instant.describe('登録した日時です。'),
          lifted_at: instant.nullable().describe('解除した日時です。解除していなければ null です。'),
        }),
      )
      .describe('配信停止です。解除したものも入ります。'),
    invitations: z
      .array(
        z.object({
          created_at: instant.describe('招待した日時です。'),
          invited_by: z.string().nullable().describe('招待した人の氏名です。'),
        }),
      )
      .describe('メンバーへの招待です。受け入れたものは入りません。'),
    files: number('保存中の、書き出しと取り込みのファイルの数です。'),
    erased: flag.describe('以前に消去し、配信停止だけを照合用の値（ハッシュ）で残しているなら1です。'),
  }),
});

export const erasePersonalData = call({
  method: 'POST',
  path: '/personal_data/erase',
  needs: 'admin',
  statementSeconds: 120,
  summary: '1つのメールアドレスについて保存している内容を消去する',
  errors: ['import_running', 'mail_underway'],
  body: z.strictObject({
    email,
    record_refusal: flag.default(1).describe('「本人の希望」の配信停止を、照合用の値で残すなら1です。'),
  }),
  response: z.object({
    status: z.literal('erased').describe('消去しました。何も保存していなかったときも同じです。'),
    companies: number('内容を消した会社の数です。'),
    people: number('消した人（相手の人）の数です。'),
    companies_kept: number('人だけを消し、残した会社の数です。その会社の備考は消していません。'),
    mails: number('宛先などを消したメールの数です。'),
    cancelled: number('取り消した送信待ちのメールの数です。'),
    files: number('消したファイルの数です。'),
  }),
});
