import { z } from 'zod';
import {
  DEFAULT_FETCH_LIMIT,
  DEFAULT_PAGE_SIZE,
  DEFAULT_RESEND_DAYS,
  FETCH_LIMITS,
  MAX_CHOSEN_COMPANIES,
  MAX_RESEND_DAYS,
  MAX_TARGETS,
  PAGE_SIZES,
} from '#domain/limits.ts';
import { SEND_TO } from '#domain/sending/attack-list.ts';
import { LEFT_OUT_REASONS, SKIP_REASONS } from '#domain/sending/eligibility.ts';
import { PLAN_DAYS_MAX } from '#domain/sending/rules/plan.ts';
import { call } from '../call.ts';
import { dateTime, jsonOr } from '../list.ts';
import { choiceInQuery, emailText, id, idInQuery, idsInQuery, intInQuery, text } from '../wire.ts';
import { sendingStatus } from './prospects.ts';
import { filtersFit, ownCells, prospectFilter, prospectSort, shownColumns } from './prospects-filter.ts';

/** The client's fields for the companies to mail, and the answer for each left-out one. */

/**
 * A target as a client sends it. Only prospect_id identifies it. company_email is read only in test mode, as the test
 * address, in which each `[n]` becomes the row's index. The client sends null if its list had no address.
 */
export const target = z
  .strictObject({
    prospect_id: id.describe('見込み客のidです。'),
    company_name: text(1000).optional().describe('会社名です。メールには、見込み客に登録された会社名が入ります。'),
    company_email: emailText.nullish().meta({
      description:
        'テストモードのときの送信先です。`[n]` は、0から始まる行の番号になります。null なら対象外（`no_email`）です。テストモードでなければ使いません。',
      examples: ['test+[n]@example.jp'],
    }),
    person_in_charge: text(1000)
      .nullish()
      .describe(
        '宛名です。メールには、見込み客に登録された代表者（主担当に送るときは、その人）が入ります。登録されていなければ「ご担当者様」です。',
      ),
  })
  .meta({ schemaName: 'AttackListTarget' });
export type AskedTarget = z.output<typeof target>;

export const attackList = <Entry extends z.ZodType>(entry: Entry) =>
  jsonOr(z.array(entry).min(1, 'アタックリストが0件です').max(MAX_TARGETS));

export const skippedTarget = z
  .object({
    prospect_id: id.describe('見込み客のidです。'),
    reason: z
      .enum(SKIP_REASONS)
      .describe(
        '対象外の理由です。ほかのアカウントのものかない（`not_found`）、同じ宛先が前にある（`duplicate`）、同じドメインへの上限（`domain_limit`）、' +
          '見本の会社（`sample`）、フォローアップにできない（`not_followable`）、前のメールと宛先の人が違う（`other_person`）、' +
          '保存期間を過ぎて宛先がない（`blanked`）、アーカイブ（`archived`）、' +
          '無効（`inactive`）、メールアドレスがない（`no_email`）、配信停止（`suppressed`）、配信停止を求めている可能性のある返信に未対応（`maybe_refused`）、' +
          '返信に未対応（`replied`）、営業メールをお断りする表示がある（`refused_by_notice`）、予約に入っている（`reserved`）、' +
          '送信待ち、送信中、または届いたかどうかわからないメールがある（`open_delivery`）、宛先での拒否から再送信間隔がたっていない（`rejected`）、' +
          '送信から再送信間隔がたっていない（`recently_sent`、ほかの送信者グループからなら `recently_sent_elsewhere`）のどれかです。',
      ),
  })
  .meta({ schemaName: 'SkippedTarget' });

/** Makes the list's mails follow-ups of a run. */
export const followUpOf = id.optional().meta({
  description:
    'フォローアップにする送信ログのidです。その送信のメールへの返信の形（件名は「Re: 」と元の件名）で送ります。' +
    '届いていない、返信があった、あとにメールを送った、またはフォローアップの送信だった見込み客は対象外です。省略すると、はじめてのメールです。',
  examples: [12],
});

/** Where the mails of an order go. Absent: as the run that they follow up, else `company`. */
export const sendTo = z
  .enum(SEND_TO)
  .optional()
  .meta({
    description:
      '宛先です。会社の代表メール（`company`）か、主担当のメールアドレス（`primary_or_company`）です。`primary_or_company` でも、' +
      '主担当のメールアドレスがない会社には代表メールに送ります。省略すると、フォローアップではその送信と同じ、ほかは `company` です。',
    examples: ['company'],
  });

/** Where the mails of a run or a reservation go, in answers. */
export const sentTo = z.enum(SEND_TO).meta({
  description:
    '宛先です。代表メール（`company`）か、主担当のメールアドレス、なければ代表メール（`primary_or_company`）です。',
  examples: ['company'],
});

/** One target of an attack list. person_in_charge is the name that its mail greets, '' if unknown. */
export const attackListItem = z
  .object({
    prospect_id: id.describe('見込み客のidです。'),
    company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
    company_email: z.string().meta({ description: '宛先のメールアドレスです。', examples: ['info@midori.example.jp'] }),
    person_in_charge: z.string().meta({
      description:
        '宛名です。代表メールに送る会社では代表者の名前、主担当に送る会社ではその部署、役職、氏名です。わからなければ空です。',
      examples: ['緑川 花子'],
    }),
  })
  .meta({ schemaName: 'AttackListItem' });
export type AttackListItem = z.infer<typeof attackListItem>;

/** A target in the preview, with its sender group's last real mail. */
const listedTarget = attackListItem.extend({
  sent_at: z.string().nullable().describe('この送信者グループから最後に送信した日時です（テスト送信は除きます）。'),
  person: z
    .object({
      id: id.describe('相手の人のidです。'),
      name: z.string().describe('氏名です。'),
      department: z.string().describe('部署です。'),
      title: z.string().describe('役職です。'),
    })
    .nullable()
    .describe('宛先の主担当です。代表メールに送る会社では null です。'),
});
export type ListedTarget = z.infer<typeof listedTarget>;

const sender_group_id = idInQuery.describe('送信者グループのidです。');
const days_from_lastday = intInQuery(0, MAX_RESEND_DAYS)
  .default(DEFAULT_RESEND_DAYS)
  .describe('再送信間隔（日）です。');

const follow_up_of = idInQuery.optional().describe('フォローアップにする送信ログのidです。');

const TOO_MANY_CHOSEN = `選べる会社は${MAX_CHOSEN_COMPANIES}社までです`;

const prospect_ids = idsInQuery(MAX_CHOSEN_COMPANIES, TOO_MANY_CHOSEN).optional().describe('選んだ見込み客のidです。');

/**
 * Previews an attack list. `rows` are the first limit_count eligible prospects in the list's order.
 * matched = eligible + the sum of left_out. A prospect counts under its first applicable reason, in the order of
 * LEFT_OUT_REASONS. With `prospect_ids` the list has only these companies, in that order.
 */
export const previewAttackList = call({
  method: 'GET',
  path: '/attack_list/preview',
  summary: '設定に合う送信対象と、対象外になった件数の理由別内訳',
  query: z
    .strictObject({
      sender_group_id,
      days_from_lastday,
      follow_up_of,
      send_to: sendTo,
      prospect_ids,
      status: sendingStatus,
      sender_id: idInQuery
        .optional()
        .describe('送信者のidです。指定すると、その1日の上限に合わせた送信の予定（`plan`）も返します。'),
      send_at: dateTime
        .optional()
        .describe('予約日時です。`sender_id` と指定すると、`plan` はこの日時からの予定です。'),
      limit_count: choiceInQuery(FETCH_LIMITS).default(DEFAULT_FETCH_LIMIT).describe('取得件数です。'),
      own_columns: shownColumns,
      ...prospectFilter,
      ...prospectSort,
    })
    .superRefine(filtersFit),
  response: z.object({
    rows: z.array(listedTarget.extend(ownCells)).describe('送信対象です。'),
    matched: z.int().describe('条件に合う（選んだ）件数です（`eligible` と `left_out` の合計）。'),
    eligible: z.int().describe('送信してよい件数です。'),
    left_out: z.record(z.enum(LEFT_OUT_REASONS), z.int()).describe('対象外の件数です。'),
    next_at: z
      .string()
      .optional()
      .describe('`eligible` が0で `recently_sent` があるとき、再送信間隔がたって最初に送れるようになる日時です。'),
    domain_rule: z
      .object({
        per_domain: z.int().describe('1回の送信で、同じドメインの会社へ送る通数の上限です。'),
        shared_domains: z
          .array(z.string())
          .describe('`rows` のうち、多くの会社が使うため、上限を適用しないドメインです。'),
      })
      .optional(),
    plan: z
      .array(
        z.object({
          day: z.string().describe('日（日本時間）です。'),
          mails: z.int().describe('その日に送る通数です。'),
        }),
      )
      .max(PLAN_DAYS_MAX)
      .optional()
      .describe('`rows` の会社に、いま（`send_at` があればその日時に）送信した場合の予定です。'),
  }),
});

/** Lists the runs that an attack list can follow up. */
export const listFollowUpRuns = call({
  method: 'GET',
  path: '/attack_list/follow_up_runs',
  summary: 'フォローアップできる送信の一覧',
  query: z.strictObject({
    sender_group_id: sender_group_id.optional().describe('送信者グループのidです。省略するとすべてのグループです。'),
    send_log_id: idInQuery.optional().describe('この送信だけを返します。送信ログのidです。'),
    days_from_lastday,
  }),
  response: z.object({
    rows: z.array(
      z.object({
        id: id.describe('送信ログのidです。'),
        sender_group_id: id.describe('送信者グループのidです。'),
        sent_at: z.string().describe('受け付けた日時です。'),
        subject: z.string().describe('件名のひな形です。'),
      }),
    ),
  }),
});

/** Lists the companies behind one count of the preview. company_email is '' where a company has none. */
export const viewLeftOut = call({
  method: 'GET',
  path: '/attack_list/left_out',
  summary: '1つの理由で対象外になった見込み客の一覧',
  query: z
    .strictObject({
      sender_group_id,
      days_from_lastday,
      follow_up_of,
      send_to: sendTo,
      prospect_ids,
      status: sendingStatus,
      reason: z.enum(LEFT_OUT_REASONS).describe('対象外の理由です。'),
      ...prospectFilter,
      ...prospectSort,
      pagenate_count: choiceInQuery(PAGE_SIZES).default(DEFAULT_PAGE_SIZE).describe('1ページの件数です。'),
      pagenate_num: intInQuery(1, 1_000_000).default(1).describe('何ページ目かです。'),
    })
    .superRefine(filtersFit),
  response: z.object({
    rows: z.array(listedTarget).describe('このページの見込み客です。'),
    total: z.int().describe('この理由で対象外になった全体の件数です。'),
  }),
});
