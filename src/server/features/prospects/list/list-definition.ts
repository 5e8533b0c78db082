import type { Expression } from 'kysely';
import type { SearchQuery } from './prospect-filter.queries.ts';

/**
 * Where conditions are checked: in a scan of the whole table, or for single rows along an index.
 * The SQL of a condition differs between the two.
 */
export type Access = 'scan' | 'lookup';

/** A list in the SQL of one kind of access. */
export interface FilteredList<Reason extends string = never> {
  /** The account's prospects that pass the filter. */
  readonly prospects: SearchQuery;
  /** The table that holds these prospects, where they are not in prospect_search: the archived ones. */
  readonly rows?: Expression<unknown>;
  /** Why a prospect that passes the filter is left out of the list; NULL: it is on the list. */
  readonly leftOutReason?: Expression<Reason | null>;
}

/** Returns the SQL of a list for one kind of access. The engine asks for `lookup` in plan 2, and else for `scan`. */
export type DefineList<Reason extends string = never> = (access: Access) => FilteredList<Reason>;
