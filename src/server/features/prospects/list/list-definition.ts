import type { Expression, SqlBool } from 'kysely';
import type { SearchQuery } from './prospect-filter.queries.ts';

/**
 * Where conditions are checked: in a scan of the whole table, or for single rows along an index.
 * The SQL of a condition differs between the two.
 */
export type Access = 'scan' | 'lookup';

/** Why prospects that pass the filter are left out of the list. */
export interface LeftOut<Reason extends string> {
  /** What decides the reason, as SQL on a row. In a scan each has few values: it counts the rows by them. */
  readonly facts: readonly Expression<unknown>[];
  /** The reason from these facts; NULL, for one combination of them only: the prospect is on the list. */
  readonly reason: (facts: readonly Expression<unknown>[]) => Expression<Reason | null>;
}

/** A list in the SQL of one kind of access. */
export interface FilteredList<Reason extends string = never> {
  /** The account's prospects that pass the filter. */
  readonly prospects: SearchQuery;
  /** The table that holds these prospects, where they are not in prospect_search: the archived ones. */
  readonly rows?: Expression<unknown>;
  /** undefined: all that pass the filter are on the list. */
  readonly leftOut?: LeftOut<Reason>;
  /** For a list of all prospects but the left-out ones: these as sets. */
  readonly leftOutSets?: LeftOutSets;
}

export interface LeftOutSets {
  /**
   * `left_out` has a row (reason, count) for each reason. `excluded` has one row of arrays: `ids` of all left-out
   * prospects, and `others`, which may lack those that meet `isLeftOutByRow`.
   */
  readonly ctes: Expression<unknown>;
  /** The condition of the one reason that a row of prospect_search decides alone. */
  readonly isLeftOutByRow: Expression<SqlBool>;
}

/** Returns the SQL of a list for one kind of access. The engine asks for `lookup` in plan 2, and else for `scan`. */
export type DefineList<Reason extends string = never> = (access: Access) => FilteredList<Reason>;
