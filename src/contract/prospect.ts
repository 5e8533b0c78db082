import { z } from 'zod';
import {
  DEFAULT_PAGE_SIZE,
  MAX_FILTER_TERMS,
  MAX_FILTERS_IN_ADDRESS,
  MAX_SEARCH_LENGTH,
  MAX_SEARCH_WORDS,
  PAGE_SIZES,
} from '#domain/limits.ts';
import { hasTooManyTerms, searchWords, tooLongFilter } from '#domain/text-filter.ts';
import { call } from './call.ts';
import { SORT_COLUMNS } from './prospect-columns.ts';
import { publication } from './publication.ts';
import { choiceInQuery, flag, id, intInQuery, text } from './wire.ts';

/**
 * The filters of the attack list screen. A text filter holds comma-separated terms. A range has exclusive bounds, money
 * in yen.
 */
const terms = text(MAX_FILTERS_IN_ADDRESS)
  .refine((value) => !hasTooManyTerms(value), `語は${MAX_FILTER_TERMS}個までにしてください`)
  .optional();
const presence = z.enum(['yes', 'no']).optional();
const bound = intInQuery(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional();

/** The filter rules, for the descriptions of calls that take the filters. */
export const PROSPECT_FILTER_RULES = `絞り込みの条件は次のように読みます。

- 文字の条件は \`,\` か \`、\` で区切ると、どれかの語を含むものを探します。全角・半角と大文字・小文字は区別しません。
- 下限（\`_from\`）と上限（\`_to\`）は、その値を含みません。値のない見込み客は入りません。
- 1つの文字の条件に書ける語は${MAX_FILTER_TERMS}個までです。すべての条件を合わせて、URLに書いた形で${MAX_FILTERS_IN_ADDRESS.toLocaleString('ja-JP')}文字までです。`;

export const prospectFilter = {
  search: text(MAX_SEARCH_LENGTH)
    .refine((value) => searchWords(value).length <= MAX_SEARCH_WORDS, `語は${MAX_SEARCH_WORDS}個までにしてください`)
    .optional()
    .meta({
      description: `会社名か代表メールに含まれる語です。空白で区切ると、すべての語を含むものを探します（${MAX_SEARCH_WORDS}個まで）。\
全角・半角と大文字・小文字、\`(株)\` と \`株式会社\` は区別しません。`,
    }),
  major_industry_type: terms.describe('業種に含まれる語です。'),
  included_industry_type: terms.describe('内部業種に含まれる語です。'),
  address: terms.describe('地域として、住所に含まれる語です。'),
  company_email: terms.describe('代表メールに含まれる語です。'),
  has_company_url: presence.describe('会社URLがあるか（`yes`）、ないか（`no`）です。'),
  has_contact_url: presence.describe('問い合わせURLがあるか、ないかです。'),
  has_company_email: presence.describe('メールアドレスがあるか、ないかです。'),
  amount_of_sales_from: bound.describe('売上高（円）の下限です。'),
  amount_of_sales_to: bound.describe('売上高（円）の上限です。'),
  ordinary_profit_from: bound.describe('経常利益（円）の下限です。'),
  ordinary_profit_to: bound.describe('経常利益（円）の上限です。'),
  number_of_employees_from: bound.describe('従業員数の下限です。'),
  number_of_employees_to: bound.describe('従業員数の上限です。'),
  year_of_establishment_from: bound.describe('設立年の下限です。'),
  year_of_establishment_to: bound.describe('設立年の上限です。'),
};
const prospectFilterObject = z.object(prospectFilter);
export type ProspectFilter = z.infer<typeof prospectFilterObject>;

const FILTER_NAMES = Object.keys(prospectFilter) as (keyof ProspectFilter)[];

/**
 * Refuses filters that are too long together, with the message on the longest. Each call that takes filters checks its
 * query with it.
 */
export function filtersFit(query: ProspectFilter, context: z.RefinementCtx): void {
  const longest = tooLongFilter(Object.fromEntries(FILTER_NAMES.map((name) => [name, query[name]])));
  if (longest !== null) {
    context.addIssue({ code: 'custom', path: [longest], message: '絞り込みの条件が長すぎます。語を減らしてください' });
  }
}

/** The sort parameters. Blanks are last in both directions; ties go by id. Without `sort` the order is by id. */
export const prospectSort = {
  sort: z
    .enum(SORT_COLUMNS)
    .optional()
    .describe('並べ替える列です。値のないものは、どちらの向きでも最後です。省略するとidの順です。'),
  order: z.enum(['asc', 'desc']).optional().describe('並べ替えの向きです。`asc` は昇順（省略時）、`desc` は降順です。'),
};
const prospectSortObject = z.object(prospectSort);
export type ProspectSort = z.infer<typeof prospectSortObject>;

/** The values of the status filter: 未送信, 送信済み, 予約中, 返信あり. Without one, all (すべて). */
export const SENDING_STATUSES = ['unsent', 'sent', 'reserved', 'replied'] as const;

/** The values of the view's status filter: these, and the archived companies, which are in no other list. */
export const VIEW_STATUSES = [...SENDING_STATUSES, 'archived'] as const;

/** The status of a company in a list, as one word. The first that holds is shown. */
export const PROSPECT_STATUSES = [
  'archived',
  'undeliverable',
  'suppressed',
  'replied',
  'in_progress',
  'reserved',
  'sent',
  'unsent',
] as const;

/** A company as one sender group sees it. sent_at, send_at: YYYY/MM/DD HH:mm in Asia/Tokyo, or null. */
export const prospectView = z
  .object({
    id: id.describe('見込み客のidです。'),
    active: flag.meta({ description: '有効なら1、無効なら0です。', examples: [1] }),
    status: z.enum(PROSPECT_STATUSES).meta({
      description:
        'ステータスです。上から見て最初に当てはまるものです。`archived` はアーカイブ済み、`undeliverable` は届かなかった（最後のメールが送れず、本人が配信停止していない）、' +
        '`suppressed` は配信停止、`replied` は返信あり（まだ対応済みにしていない）、' +
        '`in_progress` は送信処理中、`reserved` は予約中、`sent` は送信済み（日時は `sent_at`）、`unsent` は未送信です。',
      examples: ['sent'],
    }),
    sent_at: z
      .string()
      .nullable()
      .meta({
        description: '最終送信日時（`YYYY/MM/DD HH:mm`）です。未送信なら null です。',
        examples: ['2026/11/02 10:15'],
      }),
    send_at: z
      .string()
      .nullable()
      .meta({ description: '予約日時（`YYYY/MM/DD HH:mm`）です。予約がなければ null です。', examples: [null] }),
    reservation_id: id.nullable().meta({ description: '予約のidです。', examples: [null] }),
    company_name: z.string().meta({ description: '会社名です。', examples: ['株式会社みどり製作所'] }),
    remarks: z.string().meta({ description: '備考です。', examples: ['展示会で名刺交換'] }),
    company_email: z
      .string()
      .nullable()
      .meta({ description: '代表メールです。', examples: ['info@midori.example.jp'] }),
    ceo: z
      .string()
      .nullable()
      .meta({ description: '代表者です。', examples: ['緑川 花子'] }),
    major_industry_type: z
      .string()
      .nullable()
      .meta({ description: '業種です。', examples: ['製造業'] }),
    included_industry_type: z
      .string()
      .nullable()
      .meta({ description: '内部業種です。', examples: ['金属加工, 板金'] }),
    address: z
      .string()
      .nullable()
      .meta({ description: '住所です。', examples: ['東京都大田区蒲田1-2-3'] }),
    number_of_employees: z
      .number()
      .nullable()
      .meta({ description: '従業員数です。', examples: [48] }),
    amount_of_sales: z
      .number()
      .nullable()
      .meta({ description: '売上高（円）です。', examples: [920000000] }),
    ordinary_profit: z
      .number()
      .nullable()
      .meta({ description: '経常利益（円）です。', examples: [31000000] }),
    capital: z
      .number()
      .nullable()
      .meta({ description: '資本金（円）です。', examples: [10000000] }),
    year_of_establishment: z
      .number()
      .nullable()
      .meta({ description: '設立年です。', examples: [1987] }),
    company_url: z
      .string()
      .nullable()
      .meta({ description: '会社URLです。', examples: ['https://midori.example.jp/'] }),
    contact_url: z
      .string()
      .nullable()
      .meta({ description: '問い合わせURLです。', examples: ['https://midori.example.jp/contact'] }),
    ...publication,
  })
  .meta({ schemaName: 'ProspectView' });
export type ProspectView = z.infer<typeof prospectView>;

const reservationFilter = intInQuery(1, Number.MAX_SAFE_INTEGER).optional();

/** Lists prospects. With an id that belongs to another account the list is empty. */
export const viewProspects = call({
  method: 'GET',
  path: '/prospect/view',
  summary: '送信者グループから見た見込み客の一覧（絞り込み・並べ替え・ページ）',
  description: `有効・無効と備考、最終送信日時、予約日時は、指定した送信者グループのものです。

\`sender_id\` か \`reservation_id\` を指定すると、まだ送信されていない予約に入っている見込み客だけになり、予約日時（\`send_at\`）\
と \`reservation_id\` もその予約のものになります。いくつもの予約に入っている見込み客には、テストモードでない予約、日時の早い予約の順に1つを返します。

${PROSPECT_FILTER_RULES}`,
  query: z
    .strictObject({
      sender_group_id: intInQuery(1, Number.MAX_SAFE_INTEGER).describe('送信者グループのidです。'),
      status: z
        .enum(VIEW_STATUSES)
        .optional()
        .describe(
          '送信状況です。`unsent` は未送信、`sent` は送信済み、`reserved` は予約中、`replied` は返信ありです。省略するとすべてです。' +
            'アーカイブした会社はどれにも入らず、`archived` のときだけ返します。',
        ),
      sender_id: reservationFilter.describe(
        'この送信者（テンプレート）の予約に入っている見込み客に絞り込みます。テストモードの予約も含みます。',
      ),
      reservation_id: reservationFilter.describe('この予約に入っている見込み客に絞り込みます。'),
      ...prospectFilter,
      ...prospectSort,
      pagenate_count: choiceInQuery(PAGE_SIZES).default(DEFAULT_PAGE_SIZE).describe('1ページの件数です。'),
      pagenate_num: intInQuery(1, 1_000_000).default(1).describe('何ページ目かです。'),
    })
    .superRefine(filtersFit)
    .meta({
      examples: [
        {
          sender_group_id: 1,
          status: 'unsent',
          major_industry_type: '製造業',
          amount_of_sales_from: 100000000,
          sort: 'company_name',
          pagenate_num: 1,
        },
      ],
    }),
  response: z.object({
    rows: z.array(prospectView).describe('このページの見込み客です。'),
    total: z.int().meta({ description: '条件に合う全体の件数です。', examples: [1234] }),
  }),
});
