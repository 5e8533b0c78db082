import { z } from 'zod';
import { OWN_KEY } from '#domain/company/own-label.ts';
import {
  MAX_FILTER_TERMS,
  MAX_FILTERS_IN_ADDRESS,
  MAX_OWN_COLUMNS,
  MAX_OWN_CONDITIONS,
  MAX_SEARCH_LENGTH,
  MAX_SEARCH_WORDS,
  MAX_TAGS,
} from '#domain/limits.ts';
import { tooLongFilter } from '#domain/text/filter-length.ts';
import { hasTooManyTerms, searchWords } from '#domain/text/text-filter.ts';
import { intInQuery, text } from '../wire.ts';
import { ownDetail } from './own-values.ts';

/** Where a company publishes its address. */
export const PUBLICATION_COLUMNS = ['published_at_url', 'published_seen_on', 'publication_notice'] as const;

/** The columns by which lists can be sorted, in the screen's order, 有効 first. */
export const SORT_COLUMNS = [
  'active',
  'sent_at',
  'send_at',
  'company_name',
  'remarks',
  'company_email',
  'ceo',
  'major_industry_type',
  'included_industry_type',
  'address',
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
  'company_url',
  'contact_url',
] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];

/** The columns by which no list can be sorted, which would need an index or a long scan. Imports take them too. */
export const UNSORTED_COLUMNS = ['phone', ...PUBLICATION_COLUMNS] as const;

/** All columns in the screen's order. */
export const PROSPECT_COLUMNS = [...SORT_COLUMNS, ...UNSORTED_COLUMNS] as const;
export type ProspectColumn = (typeof PROSPECT_COLUMNS)[number];

const terms = text(MAX_FILTERS_IN_ADDRESS)
  .refine((value) => !hasTooManyTerms(value), `語は${MAX_FILTER_TERMS}個までにしてください`)
  .optional();
const presence = z.enum(['yes', 'no']).optional();
const bound = intInQuery(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional();

/** The filter rules, for the descriptions of calls that take the filters. */
export const PROSPECT_FILTER_RULES = `絞り込みの条件は次のように読みます。

- 文字の条件は \`,\` か \`、\` で区切ると、どれかの語を含むものを探します。全角・半角と大文字・小文字は区別しません。
- 下限（\`_from\`、\`[from]\`）と上限（\`_to\`、\`[to]\`）は、その値を含みません。値のない見込み客は入りません。
- 自社の項目とタグの条件は、合わせて${MAX_OWN_CONDITIONS}個までです。ない項目やタグ、使わなくした項目やタグを指定すると400です。
- 1つの文字の条件に書ける語は${MAX_FILTER_TERMS}個までです。すべての条件を合わせて、URLに書いた形で${MAX_FILTERS_IN_ADDRESS.toLocaleString('ja-JP')}文字までです。`;

/** A key of an own field. */
const ownKey = z.string().regex(OWN_KEY);
/** The longest number or day of a bound. */
const MAX_BOUND_LENGTH = 30;
const ownBound = z.union([text(MAX_BOUND_LENGTH), z.number().transform(String)]).optional();

/** Comma-separated ids. A text in the output too: it is stored and shown as written. */
const labels = z
  .string()
  .max(MAX_TAGS * 17)
  .regex(/^(\d{1,16}(,\d{1,16})*)?$/)
  .optional();

/** The filters by the account's own fields and tags. Only the server knows which fields and labels there are. */
export const ownFilter = {
  tags: labels.describe('タグのidです。コンマで区切ると、どれかのタグが付いているものを探します。'),
  tags_all: labels.describe('タグのidです。コンマで区切ると、すべてのタグが付いているものを探します。'),
  tags_none: labels.describe('タグのidです。コンマで区切ると、どのタグも付いていないものを探します。'),
  custom: z
    .record(ownKey, z.union([terms.unwrap(), z.strictObject({ from: ownBound, to: ownBound })]))
    .optional()
    .meta({
      description:
        '自社の項目の条件です。`custom[KEY]` の形で、KEYは項目の差し込み名です。文字は含まれる語、選択は選択肢のid（コンマ区切り）、' +
        'はい・いいえは `yes` か `no`、URLはあるか（`yes`）、ないか（`no`）です。数値と日付（`YYYY-MM-DD`）は ' +
        '`custom[KEY][from]` と `custom[KEY][to]` で、どちらも、その値を含みません。',
    }),
};
export type OwnFilter = z.infer<z.ZodObject<typeof ownFilter>>;

/** The filters of a list of companies. A text filter holds comma-separated terms; range bounds are exclusive. */
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
  has_primary_email: presence.describe('主担当のメールアドレスがあるか、ないかです。'),
  amount_of_sales_from: bound.describe('売上高（円）の下限です。'),
  amount_of_sales_to: bound.describe('売上高（円）の上限です。'),
  ordinary_profit_from: bound.describe('経常利益（円）の下限です。'),
  ordinary_profit_to: bound.describe('経常利益（円）の上限です。'),
  number_of_employees_from: bound.describe('従業員数の下限です。'),
  number_of_employees_to: bound.describe('従業員数の上限です。'),
  year_of_establishment_from: bound.describe('設立年の下限です。'),
  year_of_establishment_to: bound.describe('設立年の上限です。'),
  ...ownFilter,
};
const prospectFilterObject = z.object(prospectFilter);
export type ProspectFilter = z.infer<typeof prospectFilterObject>;

/** Returns the number of conditions on own fields and tags. */
const ownConditions = ({ tags, tags_all, tags_none, custom = {} }: OwnFilter): number =>
  [tags, tags_all, tags_none, ...Object.values(custom)].filter((wanted) => wanted !== undefined && wanted !== '')
    .length;

const FILTER_NAMES = Object.keys(prospectFilter) as (keyof ProspectFilter)[];

/**
 * Refuses filters that are too long together, with the message on the longest. Every call with filters uses it for its
 * query.
 */
export function filtersFit(query: ProspectFilter, context: z.RefinementCtx): void {
  const longest = tooLongFilter(Object.fromEntries(FILTER_NAMES.map((name) => [name, query[name]])));
  if (longest !== null) {
    context.addIssue({ code: 'custom', path: [longest], message: '絞り込みの条件が長すぎます。語を減らしてください' });
  }
  if (ownConditions(query) > MAX_OWN_CONDITIONS) {
    const message = `自社の項目とタグの条件は${MAX_OWN_CONDITIONS}個までにしてください`;
    context.addIssue({ code: 'custom', path: ['custom'], message });
  }
}

/** Own columns: comma-separated keys of fields, `tags` and `primary`. */
export const ownColumns = (max: number, description: string) =>
  z
    .string()
    .max(max * 31)
    .transform((written) => (written === '' ? [] : written.split(',')))
    .pipe(z.array(ownKey).max(max, `自社の項目は${max}個までにしてください`))
    .optional()
    .meta({ description, documentedAs: z.string().max(max * 31) });

/** The own columns that the rows of an answer carry. */
export const shownColumns = ownColumns(
  MAX_OWN_COLUMNS,
  '行に加える自社の項目の差し込み名と、`tags`（タグ）、`primary`（主担当）です。',
);

/** What a row carries of its own columns. */
export const ownCells = {
  tags: ownDetail.tags.optional().describe('タグです。`own_columns` に `tags` があるときだけです。'),
  custom: ownDetail.custom.optional().describe('`own_columns` の項目の値です。`GET /prospect/{id}` と同じ形です。'),
  primary: z
    .object({
      name: z.string().describe('氏名です。'),
      department: z.string().describe('部署です。'),
      title: z.string().describe('役職です。'),
    })
    .nullable()
    .optional()
    .describe('主担当です。いなければ null です。`own_columns` に `primary` があるときだけです。'),
};
export type OwnCells = z.infer<z.ZodObject<typeof ownCells>>;

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
