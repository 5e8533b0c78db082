import { expressionBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { ProspectSort, SortColumn } from '#contract/prospects-filter.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { archivedIds } from './group-state.queries.ts';
import { isInByHash } from './membership.queries.ts';
import { fromRowsOr, type OrderedIds, type PartContext } from './order-part.ts';
import { scanKeyOf, searchTable } from './prospect-filter.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/* The orders by a column of the companies themselves. */

const eb = expressionBuilder<DB, never>();

/**
 * Columns without an index of values and ids, so that plan 2 is not tried: hardly anybody sorts by them, and each index
 * makes imports slower (decisions/list-storage).
 */
const UNINDEXED: ReadonlySet<SortColumn | undefined> = new Set([
  'ceo',
  'major_industry_type',
  'included_industry_type',
  'ordinary_profit',
  'year_of_establishment',
  'company_url',
  'contact_url',
] as const);

/**
 * Those of UNINDEXED with an index of their values alone. PostgreSQL reads it group by group, and sorts each by id.
 * It is small, since few values have many companies each (decisions/list-storage).
 */
const GROUPED: ReadonlySet<SortColumn | undefined> = new Set([
  'major_industry_type',
  'included_industry_type',
] as const);

/** Returns whether a list can be read along an index of this order. */
export const isIndexed = ({ sort }: ProspectSort): boolean => !UNINDEXED.has(sort);

/** The columns that a prospect has itself. */
type OwnColumn = Exclude<SortColumn, 'active' | 'remarks' | 'sent_at' | 'send_at'>;

const NUMBERS: readonly OwnColumn[] = [
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
];

/** Archived companies, as a set whose size the planner does not estimate: it would not hash a large one. */
const archivedSet = (scope: GroupScope) => sql`SELECT unnest(array(${archivedIds(scope)}))`;

/**
 * Selects from the table in which a column is sorted. Indexes of orders are on prospect, and have its condition.
 * Without an index the narrow table is the cheaper one to scan, and has no archived companies. A scan of prospect does
 * not read archived_at: it lies behind all texts of a row, and finding it there doubles the time of the scan.
 */
function tableToSort(scope: GroupScope, sort: OwnColumn): SelectQueryBuilder<DB, 'prospect', object> {
  const prospect = eb.selectFrom('prospect');
  if (isIndexed({ sort })) return prospect.where('prospect.archived_at', 'is', null);
  if (scanKeyOf(sort) === undefined) return prospect.where(eb.not(isInByHash(archivedSet(scope))));
  return searchTable() as never;
}

/** Returns the parts of an order: companies with a value in the column, then those without. */
export function byColumn(context: PartContext, sort: OwnColumn): OrderedIds[] {
  const { scope, isListed, direction, blankDirection } = context;
  const column = sort === 'company_email' ? 'prospect.email_search' : (`prospect.${sort}` as const);
  const isNumber = NUMBERS.includes(sort);
  const isWalked = isIndexed({ sort }) || GROUPED.has(sort);
  const key = isNumber ? sql.ref(column) : sql`${sql.ref(column)} COLLATE "C"`;
  const listed = fromRowsOr(context, () => tableToSort(scope, sort))
    .select('prospect.id')
    .where('prospect.account_id', '=', scope.accountId)
    .where((where) => isListed(where.ref('prospect.id')));
  const filled = listed
    // Not <> '' with an index: descending, its walk would begin with all the blanks. A scan compares faster by <>.
    .where((where) => (isNumber ? where(column, 'is not', null) : where(key, isWalked ? '>' : '<>', '')))
    .orderBy(key, direction)
    .orderBy('prospect.id', direction);
  const blank = listed
    .where((where) =>
      isNumber ? where(column, 'is', null) : where.or([where(column, 'is', null), where(column, '=', '')]),
    )
    .orderBy('prospect.id', blankDirection);
  return [filled, blank];
}
