import type { Db } from '../../../platform/db.ts';
import { type FilteredPage, readFilteredList } from './filtered-list.queries.ts';
import type { DefineList } from './list-definition.ts';
import type { PageRequest } from './page.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';
import type { SendingStatus } from './sending-status.queries.ts';
import { readUnfilteredList } from './unfiltered-list.queries.ts';

/*
 * The list engine: reads one page of a list of prospects, and the length of the list.
 *
 * A list has up to a million prospects. A page has at most 1,000 of their ids, in one of 17 orders (each sortable
 * column up or down) or by id. The engine returns ids; its callers then read the rows of these ids. Its callers are the
 * prospect tab (../prospects.queries.ts), the preview of an attack list, and the prospects behind each left-out reason
 * (both in features/attack-list).
 *
 * PostgreSQL's planner cannot choose a plan here. With row level security it uses no statistics for LIKE, and expects
 * ten matches where there are ten thousand (decision 0036). So this folder chooses, and writes each query in a form
 * that leaves the planner one way.
 *
 * | Plan | Used when | How the page is read | How the length is read |
 * | --- | --- | --- | --- |
 * | 1. index | no filter; any sending status | along the index of the order, from its nearer end | prospect_total, or the group's history |
 * | 2. walk | a probe of 200 rows finds matches often enough | along the index; the filter is checked row by row | scan that only counts |
 * | 3. sort by id | the scan found at most 2,000 | rows are fetched by id and sorted | the same scan |
 * | 4. sort by key | more, and prospect_search has the sorted column | ids are sorted by the key that the scan collected | the same scan |
 * | 5. hash | more, and another order | along the index of the order; each id is looked up in a hash of the found ids | the same scan |
 *
 * Why: plan 1 costs 2 ms at any size. A filter needs a scan of prospect_search in any case, for the length. Plan 2
 * spares that scan the work of collecting ids. Plan 3 is the cheapest for few ids. Plan 4 avoids a walk that meets no
 * match for long, when filter and order concern the same or related columns. Plan 5 has the index walk as its worst
 * case, whatever the filter.
 *
 * `npm run bench -- api` measures each plan. Cases of plan 1: "page 1", "sort …", "middle page", "sent". Plan 2: "with
 * mail", "region, frequent", "preview". Plan 3: "… rare", "… no match". Plan 4: "range and another sort", "region by
 * sales". Plan 5: "region by address".
 *
 * Files: unfiltered-list (plan 1), filtered-list (chooses 2 to 5), walk (plan 2), scan (plans 3 to 5). page puts a page
 * together from the parts of an order; prospect-order defines the orders. Conditions: prospect-filter, sending-status,
 * reserved-prospects, group-state and membership (the three ways to check an id against a set). sender-group is the
 * scope of every list.
 */

/** A list: of the prospects with a sending status, or of those that a filter finds. */
export type List<Reason extends string> =
  | { readonly kind: 'unfiltered'; readonly status: SendingStatus | undefined }
  | { readonly kind: 'filtered'; readonly define: DefineList<Reason> };

/**
 * Reads a page of a list and the list's length; both are empty for a sender group of another account.
 * @param db a snapshot: a filtered list takes more than one statement
 */
export async function readList<Reason extends string = never>(
  db: Db,
  scope: GroupScope,
  list: List<Reason>,
  page: PageRequest,
): Promise<FilteredPage<Reason>> {
  if (list.kind === 'filtered') return readFilteredList(db, scope, list.define, page);
  return { ...(await readUnfilteredList(db, scope, list.status, page)), leftOut: {} };
}
