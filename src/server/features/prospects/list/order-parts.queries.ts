import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { ProspectSort, SortColumn } from '#contract/companies/prospects-filter.ts';
import type { DB } from '../../../platform/database/db-types.ts';
import { archivedIds } from './group-state.queries.ts';
import { isInByHash, isInByLookup } from './membership.queries.ts';
import { scanKeyOf, searchTable } from './prospect-filter.queries.ts';
import { type ReservationFilter, reservationTimes } from './reserved-prospects.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/*
 * Makes the queries for the parts of an order (prospect-order.queries.ts joins them): by a column of the companies, or
 * by their state in the group.
 */

const eb = expressionBuilder<DB, never>();

/** Returns the condition that the prospect with this id is on the list. */
export type IsListed = (id: Expression<number>) => Expression<SqlBool>;

/** A query for the ids of one part, in order. */
export type OrderedIds = SelectQueryBuilder<DB, never, { id: number }>;

export type Direction = 'asc' | 'desc';

/** The common inputs of all orders' parts. */
export interface PartContext {
  readonly scope: GroupScope;
  readonly isListed: IsListed;
  /** The direction of the rows with a value. */
  readonly direction: Direction;
  /** The direction, by id, of rows without a value, and of all rows if no column is sorted. */
  readonly blankDirection: Direction;
  /**
   * A table that replaces the tables of prospects, with account_id, id and the sorted column: what a scan collected
   * (plan 4), or the archived companies.
   */
  readonly rows: Expression<unknown> | undefined;
}

/** Selects from `table`, or from the rows that replace it. */
export const fromRowsOr = <Query>({ rows }: PartContext, table: () => Query): Query =>
  rows === undefined ? table() : (eb.selectFrom(sql<never>`${rows}`.as('prospect')) as never);

/**
 * Columns without an index of values and ids, so that plan 2 is not tried. They are seldom sorted, and each index makes
 * imports slower (decisions/company-list).
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
 * Columns of UNINDEXED with an index of their values only. PostgreSQL reads it group by group, and sorts each group by
 * id. The index is small, because few values have many companies each (decisions/company-list).
 */
const GROUPED: ReadonlySet<SortColumn | undefined> = new Set([
  'major_industry_type',
  'included_industry_type',
] as const);

/** Returns whether a list can be read along an index of this order. */
export const isIndexed = ({ sort }: ProspectSort): boolean => !UNINDEXED.has(sort);

/** Sort columns of the prospect itself. */
type OwnColumn = Exclude<SortColumn, 'active' | 'remarks' | 'sent_at' | 'send_at'>;

const NUMBERS: readonly OwnColumn[] = [
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
];

/** Archived companies, as a set of unknown size to the planner, which would not hash a large one. */
const archivedSet = (scope: GroupScope) => sql`SELECT unnest(array(${archivedIds(scope)}))`;

/**
 * Selects from the table in which a column is sorted. Sort indexes are on prospect, and have its condition. Without an
 * index, prospect_search is cheaper to scan, and has no archived companies. A scan of prospect does not read
 * archived_at, which is behind all texts of a row: reading it would double the scan's time.
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
    // With an index not <> '': a descending walk would start with all blanks. In a scan <> is faster.
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

/**
 * Selects the group's rows about prospects on the list. Such rows stay when a company is archived; a list of archived
 * companies has its own rows.
 */
const isOnList = (context: PartContext, id: Expression<number>): Expression<SqlBool> =>
  context.rows === undefined
    ? eb.and([context.isListed(id), eb.not(isInByLookup(archivedIds(context.scope), id))])
    : context.isListed(id);

/** The group's rows about prospects on the list. */
const activeProspects = (context: PartContext) =>
  eb
    .selectFrom('active_prospect as own')
    .select('own.prospect_id as id')
    .where('own.account_id', '=', context.scope.accountId)
    .where('own.sender_group_id', '=', context.scope.senderGroupId)
    .where((where) => isOnList(context, where.ref('own.prospect_id')));

/** The companies that the group has deactivated. */
export const inactiveById = (context: PartContext): OrderedIds =>
  activeProspects(context).where('own.active', '=', false).orderBy('own.prospect_id', context.direction);

/** The companies with remarks. Their index has the first 100 characters, so only equal ones are sorted. */
export const byRemarks = (context: PartContext): OrderedIds =>
  activeProspects(context)
    .where('own.remarks', '<>', '')
    .orderBy(sql`left(own.remarks, 100)`, context.direction)
    .orderBy(sql`own.remarks COLLATE "C"`, context.direction)
    .orderBy('own.prospect_id', context.direction);

/** The companies that the group has mailed. */
export const bySentAt = (context: PartContext): OrderedIds =>
  eb
    .selectFrom('contact_state as contact')
    .select('contact.prospect_id as id')
    .where('contact.account_id', '=', context.scope.accountId)
    .where('contact.sender_group_id', '=', context.scope.senderGroupId)
    // The condition of the index, which all rows meet.
    .where(sql<SqlBool>`contact.last_sent_at > '-infinity'`)
    .where((where) => isOnList(context, where.ref('contact.prospect_id')))
    .orderBy('contact.last_sent_at', context.direction)
    .orderBy('contact.prospect_id', context.direction);

/** The companies with a reservation of the group. */
export const bySendAt = (context: PartContext, reservations: ReservationFilter | undefined): OrderedIds =>
  eb
    .selectFrom(reservationTimes(context.scope, reservations).as('reserved'))
    .select('reserved.prospect_id as id')
    .where((where) => isOnList(context, where.ref('reserved.prospect_id')))
    .orderBy('reserved.send_at', context.direction)
    .orderBy('reserved.prospect_id', context.direction);
