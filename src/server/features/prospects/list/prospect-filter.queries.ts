import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { ProspectSort } from '#contract/companies/prospects-filter.ts';
import { searchTerms } from '#domain/company/prospect-search.ts';
import { containing, splitTerms } from '#domain/text/text-filter.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { type Access, isInByHash } from './membership.queries.ts';
import type { CheckedFilter } from './own-condition.queries.ts';
import { ownConditions } from './own-filter.queries.ts';

/*
 * The filters of a list in SQL. test/list-rules.ts states the same rules, and test/rules-agree.test.ts compares them. A
 * condition names its table `prospect`, and uses only columns that prospect_search has too. It therefore works on both
 * tables.
 */

const eb = expressionBuilder<DB, 'prospect'>();

/**
 * Selects from prospect_search under the name `prospect`. Triggers keep this narrow copy of the filtered columns. A
 * scan takes less than half the time of one of prospect (decisions/company-list).
 */
export const searchTable = () => expressionBuilder<DB, never>().selectFrom('prospect_search as prospect');
export type SearchQuery = ReturnType<typeof searchTable>;

/** The archived companies of an account with the columns of prospect_search, which lacks them. */
export const archivedRows = (accountId: number): Expression<unknown> => sql`(
  SELECT *, split_part(identity_key, E'\\n', 1) AS name_search FROM prospect
  WHERE account_id = ${accountId} AND archived_at IS NOT NULL)`;

/** Selects from the archived companies under the name `prospect`. */
export const archivedTable = (accountId: number): SearchQuery =>
  expressionBuilder<DB, never>().selectFrom(sql<never>`${archivedRows(accountId)}`.as('prospect')) as never;

const RANGES = ['amount_of_sales', 'ordinary_profit', 'number_of_employees', 'year_of_establishment'] as const;

/** A column of prospect_search by which a list can be sorted. A scan collects it with the ids. */
export type ScanKey = 'id' | 'email_search' | (typeof RANGES)[number];

/** The column of prospect_search that sorts like `sort`; undefined if there is none. */
export function scanKeyOf(sort: ProspectSort['sort']): ScanKey | undefined {
  if (sort === undefined) return 'id';
  if (sort === 'company_email') return 'email_search';
  return RANGES.find((column) => column === sort);
}

/** Checks whether a filter is empty, so that all prospects of the account pass. */
export const isEmptyFilter = ({ own = [], ...filter }: CheckedFilter): boolean =>
  own.length === 0 &&
  Object.entries(filter).every(
    ([name, wanted]) =>
      wanted === undefined ||
      (typeof wanted === 'string' && (name === 'search' ? wanted.trim() === '' : splitTerms(wanted).length === 0)),
  );

/** The condition that a prospect belongs to the account and passes the filter. */
export function filterCondition(accountId: number, filter: CheckedFilter, access: Access): Expression<SqlBool> {
  // Industries first: looking a number up in a hash costs less than LIKE.
  const textConditions = [
    ...industry(accountId, 'prospect.major_industry_id', filter.major_industry_type),
    ...industry(accountId, 'prospect.included_industry_id', filter.included_industry_type),
    ...text('prospect.address_search', filter.address),
    ...text('prospect.email_search', filter.company_email),
    ...search(filter.search),
  ];
  return eb.and([
    eb('prospect.account_id', '=', accountId),
    ...ownConditions(accountId, filter.own ?? [], access),
    ...(textConditions.length === 0 ? [] : [withoutEstimate(eb.and(textConditions))]),
    ...presence(eb.ref('prospect.has_company_url'), filter.has_company_url),
    ...presence(eb.ref('prospect.has_contact_url'), filter.has_contact_url),
    ...presence(eb(eb.fn.coalesce('prospect.email_search', eb.val('')), '<>', ''), filter.has_company_email),
    ...presence(eb('prospect.person_email_search', 'is not', null), filter.has_primary_email),
    ...RANGES.flatMap((column) => range(column, filter)),
  ]);
}

/**
 * Hides a condition from the planner, which then expects half of the rows to match.
 * With row level security it uses no statistics for LIKE. It would expect next to no match, and plan a look-up for each
 * row.
 */
const withoutEstimate = (condition: Expression<SqlBool>): Expression<SqlBool> =>
  sql<SqlBool>`CASE WHEN ${condition} THEN true ELSE false END`;

/** The condition that the column contains any of the terms; no condition without terms. */
function text(column: 'prospect.address_search' | 'prospect.email_search', wanted = ''): Expression<SqlBool>[] {
  const terms = splitTerms(wanted);
  return terms.length === 0 ? [] : [eb.or(terms.map((term) => eb(column, 'like', containing(term))))];
}

/** The condition that the name or the e-mail address contains each word of the search. */
const search = (wanted = ''): Expression<SqlBool>[] =>
  searchTerms(wanted).map(({ inName, inEmail }) =>
    eb.or([
      sql<SqlBool>`prospect.name_search LIKE ${containing(inName)}`,
      eb('prospect.email_search', 'like', containing(inEmail)),
    ]),
  );

/**
 * The condition that the industry contains any of the terms. LIKE runs on the account's dictionary of industries, not
 * on the prospects.
 */
function industry(
  accountId: number,
  column: 'prospect.major_industry_id' | 'prospect.included_industry_id',
  wanted = '',
): Expression<SqlBool>[] {
  const terms = splitTerms(wanted);
  if (terms.length === 0) return [];
  const ids = eb
    .selectFrom('industry')
    .select('industry.id')
    .where('industry.account_id', '=', accountId)
    .where((where) => where.or(terms.map((term) => where('industry.name_search', 'like', containing(term)))));
  return [isInByHash(ids, eb.ref(column))];
}

const presence = (isPresent: Expression<SqlBool>, wanted: 'yes' | 'no' | undefined): Expression<SqlBool>[] => {
  if (wanted === undefined) return [];
  return [wanted === 'yes' ? isPresent : eb.not(isPresent)];
};

/** Both bounds are exclusive. Compared as bigint, because a bound may exceed the column's type. */
function range(column: (typeof RANGES)[number], filter: CheckedFilter): Expression<SqlBool>[] {
  const bound = (value: number) => sql<number>`${value}::bigint`;
  const from = filter[`${column}_from`];
  const to = filter[`${column}_to`];
  const conditions: Expression<SqlBool>[] = [];
  if (from !== undefined) conditions.push(eb(`prospect.${column}`, '>', bound(from)));
  if (to !== undefined) conditions.push(eb(`prospect.${column}`, '<', bound(to)));
  return conditions;
}
