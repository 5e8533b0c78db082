import type { Expression } from 'kysely';
import type { SearchQuery } from './prospect-filter.queries.ts';

/**
 * Where conditions are checked: in a scan of the whole table, or for single rows along an index.
 * The SQL of a condition differs between the two.
 */
export type Access = 'scan' | 'lookup';

export interface FilteredList<Reason extends string = never> {
  /** The account's prospects that pass the filter. */
  readonly prospects: SearchQuery;
  /** Why a prospect that passes the filter is left out of the list; NULL: it is on the list. */
  readonly leftOutReason?: Expression<Reason | null>;
}

/** A list whose members are known only once each prospect has been checked. */
export type DefineList<Reason extends string = never> = (access: Access) => FilteredList<Reason>;
