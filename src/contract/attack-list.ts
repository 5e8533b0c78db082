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
import { LEFT_OUT_REASONS, SKIP_REASONS } from '#domain/sending/eligibility.ts';
import { PLAN_DAYS_MAX } from '#domain/sending/rules/plan.ts';
import { call } from './call.ts';
import { dateTime, jsonOr } from './list.ts';
import { sendingStatus } from './prospects.ts';
import { filtersFit, PROSPECT_FILTER_RULES, prospectFilter, prospectSort } from './prospects-filter.ts';
import { choiceInQuery, emailText, id, idInQuery, idsInQuery, intInQuery, text } from './wire.ts';

/** The client's fields for the companies to be mailed, and the answer for each one that is left out. */

/**
 * A target as a client sends it. The server identifies it by prospect_id alone. company_email is read in test mode
 * only, where it is the test address; each `[n]` in it becomes the row's index. The client sends null where its list
 * had no address.
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
      .describe('宛名です。メールには、見込み客に登録された代表者が入ります。登録されていなければ「ご担当者様」です。'),
  })
  .meta({ schemaName: 'AttackListTarget' });
export type AskedTarget = z.output<typeof target>;

export const attackList = <Entry extends z.ZodType>(entry: Entry) =>
  jsonOr(z.array(entry).min(1, 'アタックリストが0件です').max(MAX_TARGETS));

export const skippedTarget = z
  .object({
    prospect_id: id.describe('見込み客のidです。'),
    reason: z.enum(SKIP_REASONS).describe('対象外の理由です。'),
  })
  .meta({ schemaName: 'SkippedTarget' });

/** Makes the mails of a list follow-ups. */
export const followUpOf = id.optional().meta({
  description:
    'フォローアップにする送信ログのidです。その送信のメールへの返信の形（件名は「Re: 」と元の件名）で送ります。' +
    '届いていない、返信があった、あとにメールを送った、またはフォローアップの送信だった見込み客は対象外です。省略すると、はじめてのメールです。',
  examples: [12],
});

/** One target of an attack list. person_in_charge is the company's ceo, '' where unknown. */
export const attackListItem = z
  .object({
    prospect_id: id.describe('見込み客のidです。'),
    company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
    company_email: z.string().meta({ description: '宛先です。', examples: ['info@midori.example.jp'] }),
    person_in_charge: z
      .string()
      .meta({ description: '宛名にする代表者の名前です。わからなければ空です。', examples: ['緑川 花子'] }),
  })
  .meta({ schemaName: 'AttackListItem' });
export type AttackListItem = z.infer<typeof attackListItem>;

/** The same as the preview lists it, with the last real mail of its sender group. */
const listedTarget = attackListItem
  .extend({
    sent_at: z
      .string()
      .nullable()
      .meta({
        description:
          'この送信者グループから最後に送信した日時です（テスト送信は除きます）。送ったことがなければ null です。',
        examples: ['2026/11/10 10:00'],
      }),
  })
  .meta({ schemaName: 'ListedTarget' });
export type ListedTarget = z.infer<typeof listedTarget>;

const LEFT_OUT_RULES = `対象外の理由は次のとおりです。1件は、上から見て最初に当てはまる理由に数えます。

- \`inactive\`: 無効にしている
- \`no_email\`: メールアドレスがない
- \`suppressed\`: 配信停止になっている
- \`maybe_refused\`: 配信停止の希望かもしれない返信が、会社か、そのメールアドレスにあり、まだ対応を選んでいない
- \`replied\`: 返信があり、まだ対応済みにしていない（フォローアップでは、対応済みの返信も含む）
- \`refused_by_notice\`: 営業メールをお断りする表示がある（\`publication_notice\` が \`refused\`）
- \`reserved\`: 予約に入っている
- \`open_delivery\`: 送信待ち、送信中、または届いたかどうかわからないメールがある
- \`rejected\`: 前のメールが宛先で拒否されてから、再送信間隔がたっていない（そのメールを再送すると、なくなる）
- \`recently_sent\`: 再送信間隔がたっていない
- \`recently_sent_elsewhere\`: ほかの送信者グループだけが、再送信間隔内に送った（送る）。アカウントの送信ルール（\`across_groups\`）が1のときだけ

\`open_delivery\`、\`rejected\`、\`recently_sent\` は、同じ送信者グループから同じメールアドレスに送った（送る）場合も含みます。そのアドレスがほかの見込み客に登録されていても同じです。`;

const NOBODY = Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, 0]));

const sender_group_id = idInQuery.describe('送信者グループのidです。');
const days_from_lastday = intInQuery(0, MAX_RESEND_DAYS)
  .default(DEFAULT_RESEND_DAYS)
  .describe(
    '再送信間隔（日）です。最後の送信から、この日数×24時間がたっていないものは対象外です。宛先で拒否されたメールも、送信に数えます。0なら、いつ送信したかを問いません。',
  );

const follow_up_of = idInQuery
  .optional()
  .describe(
    'フォローアップにする送信ログのidです。その送信でメールが届き、あとにメールを送っていない見込み客だけになります。' +
      'フォローアップの送信は、さらにフォローアップできません。',
  );

const TOO_MANY_CHOSEN = `選べる会社は${MAX_CHOSEN_COMPANIES}社までです`;

const CHOSEN_RULES = `\`prospect_ids\` を指定すると、選んだ会社だけのリストになります。絞り込みの条件、並び順、取得件数は使わず、\`prospect_ids\` の順に返します。

- 対象外の判定は同じです。
- 自分のリストにない会社（ほかのアカウントの会社、アーカイブした会社、ない会社）は、\`matched\` にも \`left_out\` にも数えません。同じidは1社です。`;

const prospect_ids = idsInQuery(MAX_CHOSEN_COMPANIES, TOO_MANY_CHOSEN)
  .optional()
  .meta({
    description: `選んだ見込み客のidです。\`,\` で区切ります（${MAX_CHOSEN_COMPANIES}社まで）。省略すると、条件に合う会社のリストです。`,
    examples: ['12,15,31'],
  });

/**
 * Previews an attack list. `rows` are the first limit_count eligible prospects in the list's order.
 * matched = eligible + the sum of left_out. A prospect counts under the first reason that holds, in the order of
 * LEFT_OUT_REASONS. With `prospect_ids` the list has these companies alone, in their order.
 */
export const previewAttackList = call({
  method: 'GET',
  path: '/attack_list/preview',
  summary: '設定に合う送信対象と、対象外になった件数の理由別内訳',
  description: `条件に合う見込み客のうち、いま送信してよいものを、リストの並びで先頭から返します。送信も保存もしません。

${CHOSEN_RULES}

${LEFT_OUT_RULES}

${PROSPECT_FILTER_RULES}`,
  query: z
    .strictObject({
      sender_group_id,
      days_from_lastday,
      follow_up_of,
      prospect_ids,
      status: sendingStatus,
      sender_id: idInQuery
        .optional()
        .describe('送信者のidです。指定すると、その1日の上限に合わせた送信の予定（`plan`）も返します。'),
      send_at: dateTime
        .optional()
        .describe('予約日時です。`sender_id` と指定すると、`plan` はこの日時からの予定です。')
        .meta({ examples: ['2026/11/24 09:00:00'] }),
      limit_count: choiceInQuery(FETCH_LIMITS).default(DEFAULT_FETCH_LIMIT).describe('取得件数です。'),
      ...prospectFilter,
      ...prospectSort,
    })
    .superRefine(filtersFit)
    .meta({
      examples: [
        { sender_group_id: 1, limit_count: 50, address: '東京都, 神奈川県', sort: 'amount_of_sales', order: 'desc' },
      ],
    }),
  response: z.object({
    rows: z.array(listedTarget).describe('送信対象です。'),
    matched: z
      .int()
      .meta({ description: '条件に合う（選んだ）件数です（`eligible` と `left_out` の合計）。', examples: [120] }),
    eligible: z.int().meta({ description: '送信してよい件数です。', examples: [96] }),
    left_out: z.record(z.enum(LEFT_OUT_REASONS), z.int()).meta({
      description: '対象外の件数です。',
      examples: [{ ...NOBODY, inactive: 4, no_email: 12, suppressed: 1, reserved: 2, recently_sent: 5 }],
    }),
    domain_rule: z
      .object({
        per_domain: z
          .int()
          .meta({ description: '1回の送信で、同じドメインの会社へ送る通数の上限です。', examples: [3] }),
        shared_domains: z.array(z.string()).meta({
          description: '`rows` のうち、多くの会社が使うため、上限を適用しないドメインです。',
          examples: [['midori-group.example.jp']],
        }),
      })
      .optional()
      .describe(
        '同じドメインへの上限です。リストの順に数えて、超えた会社は、送信のときに `domain_limit` として対象外になります（`rows` と `eligible` には含みます）。上限がなければありません。',
      ),
    plan: z
      .array(
        z.object({
          day: z.string().meta({ description: '日（日本時間）です。', examples: ['2026-11-30'] }),
          mails: z.int().meta({ description: 'その日に送る通数です。', examples: [58] }),
        }),
      )
      .max(PLAN_DAYS_MAX)
      .optional()
      .describe(
        `\`rows\` の会社に、いま（\`send_at\` があればその日時に）送信した場合の予定です。1日の上限（差出人とアカウント）、送信時間、先に待っているメールと予約から、` +
          `${PLAN_DAYS_MAX}営業日までを計算します。` +
          '上限がないか、`sender_id` を省いたときはありません。送信速度により、その日のうちに送り終わるとは限らない日があれば、その日以降は含みません。',
      ),
  }),
});

/** Lists the runs that an attack list can follow up. */
export const listFollowUpRuns = call({
  method: 'GET',
  path: '/attack_list/follow_up_runs',
  summary: 'フォローアップできる送信の一覧',
  description:
    '再送信間隔より前の送信のうち、届いたはじめてのメールがあるものを、新しい順に50件まで返します。`id` を `follow_up_of` に指定します。' +
    '削除した送信者グループの送信は入りません。',
  query: z.strictObject({
    sender_group_id: sender_group_id.optional().describe('送信者グループのidです。省略するとすべてのグループです。'),
    send_log_id: idInQuery.optional().describe('この送信だけを返します。送信ログのidです。'),
    days_from_lastday,
  }),
  response: z.object({
    rows: z
      .array(
        z.object({
          id: id.describe('送信ログのidです。'),
          sender_group_id: id.describe('送信者グループのidです。'),
          sent_at: z.string().meta({ description: '受け付けた日時です。', examples: ['2026/11/10 10:00:00'] }),
          subject: z.string().meta({ description: '件名のひな形です。', examples: ['受発注業務の効率化のご提案'] }),
        }),
      )
      .describe('送信です。'),
  }),
});

/** Lists the companies behind one count of the preview. company_email is '' where a company has none. */
export const viewLeftOut = call({
  method: 'GET',
  path: '/attack_list/left_out',
  summary: '1つの理由で対象外になった見込み客の一覧',
  description: `\`GET /attack_list/preview\` の \`left_out\` に数えられた見込み客を、理由ごとに、リストの並びで返します。\
メールアドレスのないものは \`company_email\` が空です。

${CHOSEN_RULES}

${LEFT_OUT_RULES}

${PROSPECT_FILTER_RULES}`,
  query: z
    .strictObject({
      sender_group_id,
      days_from_lastday,
      follow_up_of,
      prospect_ids,
      status: sendingStatus,
      reason: z.enum(LEFT_OUT_REASONS).describe('対象外の理由です。'),
      ...prospectFilter,
      ...prospectSort,
      pagenate_count: choiceInQuery(PAGE_SIZES).default(DEFAULT_PAGE_SIZE).describe('1ページの件数です。'),
      pagenate_num: intInQuery(1, 1_000_000).default(1).describe('何ページ目かです。'),
    })
    .superRefine(filtersFit)
    .meta({ examples: [{ sender_group_id: 1, reason: 'no_email', address: '東京都', pagenate_num: 1 }] }),
  response: z.object({
    rows: z.array(listedTarget).describe('このページの見込み客です。'),
    total: z.int().meta({ description: 'この理由で対象外になった全体の件数です。', examples: [12] }),
  }),
});
