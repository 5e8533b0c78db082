import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { DB } from '../../../platform/database/db-types.ts';
import type { GroupScope } from './sender-group.queries.ts';

/** The condition that the prospect with this id is on the list. */
export type IsListed = (id: Expression<number>) => Expression<SqlBool>;

/** A query for the ids of one part, in order. */
export type OrderedIds = SelectQueryBuilder<DB, never, { id: number }>;

export type Direction = 'asc' | 'desc';

/** What the parts of every order need. */
export interface PartContext {
  readonly scope: GroupScope;
  readonly isListed: IsListed;
  /** The direction of the rows with a value. */
  readonly direction: Direction;
  /** The direction, by id, of the rows without a value, and of all rows where no column is sorted. */
  readonly blankDirection: Direction;
  /**
   * A table of account_id, id and the sorted column that replaces the tables of prospects: what a scan collected
   * (plan 4), or the archived companies.
   */
  readonly rows: Expression<unknown> | undefined;
}

const eb = expressionBuilder<DB, never>();

/**
 * Selects from `table`, or from the rows that replace it. Which table it was does not matter to the rest of the query.
 */
export const fromRowsOr = <Query>({ rows }: PartContext, table: () => Query): Query =>
  rows === undefined ? table() : (eb.selectFrom(sql<never>`${rows}`.as('prospect')) as never);
