import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { ProspectFilter, ProspectSort } from '#contract/prospect.ts';
import { splitTerms } from '#domain/text-filter.ts';
import type { DB } from '../../../platform/db-types.ts';
import { isOneOf } from './group-state.queries.ts';

/**
 * The filters of the list in SQL; src/domain/text-filter.ts and range-filter.ts say the same in words of their own. Conditions name
 * `prospect` and use columns of prospect_search alone, so that they may be asked of either table (searchedProspects).
 */

const eb = expressionBuilder<DB, 'prospect'>();

/** A LIKE pattern for "contains", in which the term's own % and _ mean themselves. */
const containing = (term: string): string => `%${term.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * A condition that may hold for many. Behind row level security the planner sees no statistics for LIKE, takes it for rare and would
 * look up row by row what else is asked of the rows; of a CASE it expects half.
 */
const perhapsMany = (condition: Expression<SqlBool>): Expression<SqlBool> =>
  sql<SqlBool>`CASE WHEN ${condition} THEN true ELSE false END`;

const anyTerm = (column: 'prospect.address_search' | 'prospect.email_search', terms: string[]): Expression<SqlBool> =>
  eb.or(terms.map((term) => eb(column, 'like', containing(term))));

/** Numbers of the account's industry values that contain any of the words: those are read, not the prospects. */
const industryIds = (accountId: number, terms: string[]) =>
  eb
    .selectFrom('industry')
    .select('industry.id')
    .where('industry.account_id', '=', accountId)
    .where((where) => where.or(terms.map((term) => where('industry.name_search', 'like', containing(term)))));

const presence = (has: Expression<SqlBool>, wanted: 'yes' | 'no' | undefined): Expression<SqlBool>[] => {
  if (wanted === undefined) return [];
  return [wanted === 'yes' ? has : eb.not(has)];
};

const RANGES = ['amount_of_sales', 'ordinary_profit', 'number_of_employees', 'year_of_establishment'] as const;

/** Both bounds are exclusive. Compared as bigint: a bound may be beyond the column's own type. */
function range(column: (typeof RANGES)[number], filter: ProspectFilter): Expression<SqlBool>[] {
  const bound = (value: number) => sql<number>`${value}::bigint`;
  const from = filter[`${column}_from`];
  const to = filter[`${column}_to`];
  const conditions: Expression<SqlBool>[] = [];
  if (from !== undefined) conditions.push(eb(`prospect.${column}`, '>', bound(from)));
  if (to !== undefined) conditions.push(eb(`prospect.${column}`, '<', bound(to)));
  return conditions;
}

/**
 * `prospect` as the narrow table of what filters look at: for queries that read the whole list and want ids or counts.
 * PostgreSQL reads it in less than half of the time, and in all orders but id the wide table is no better.
 */
export const searchedProspects = () => expressionBuilder<DB, never>().selectFrom('prospect_search as prospect');
export type SearchedProspects = ReturnType<typeof searchedProspects>;

/** Whether a filter asks for nothing: all of the account's prospects pass it. */
export const passesAll = (filter: ProspectFilter): boolean =>
  Object.values(filter).every(
    (wanted) => wanted === undefined || (typeof wanted === 'string' && splitTerms(wanted).length === 0),
  );

/** A column of the narrow table by which a list may be sorted. */
export type SearchedKey = 'id' | 'email_search' | (typeof RANGES)[number];

/** What a scan of the narrow table can bring along for what it finds to be sorted. */
export function keyOfSort(sort: ProspectSort['sort']): SearchedKey | undefined {
  if (sort === undefined) return 'id';
  if (sort === 'company_email') return 'email_search';
  return RANGES.find((column) => column === sort);
}

/** The condition that a prospect of the account passes the filter, for any query from `prospect`. It holds the account's scope. */
export function prospectCondition(accountId: number, filter: ProspectFilter): Expression<SqlBool> {
  const industry = (column: 'prospect.major_industry_id' | 'prospect.included_industry_id', text = '') => {
    const words = splitTerms(text);
    return words.length === 0 ? [] : [isOneOf(industryIds(accountId, words), eb.ref(column))];
  };
  const text = (column: 'prospect.address_search' | 'prospect.email_search', wanted = '') => {
    const words = splitTerms(wanted);
    return words.length === 0 ? [] : [anyTerm(column, words)];
  };
  // In this order: a number is found among others in less time than it takes to compare a text.
  const unforeseen = [
    ...industry('prospect.major_industry_id', filter.major_industry_type),
    ...industry('prospect.included_industry_id', filter.included_industry_type),
    ...text('prospect.address_search', filter.address),
    ...text('prospect.email_search', filter.company_email),
  ];
  return eb.and([
    eb('prospect.account_id', '=', accountId),
    ...(unforeseen.length === 0 ? [] : [perhapsMany(eb.and(unforeseen))]),
    ...presence(eb.ref('prospect.has_company_url'), filter.has_company_url),
    ...presence(eb.ref('prospect.has_contact_url'), filter.has_contact_url),
    ...presence(eb(eb.fn.coalesce('prospect.email_search', eb.val('')), '<>', ''), filter.has_company_email),
    ...RANGES.flatMap((column) => range(column, filter)),
  ]);
}
