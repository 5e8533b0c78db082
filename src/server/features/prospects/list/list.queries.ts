import type { Db } from '../../../platform/database/db.ts';
import { type FilteredPage, readFilteredList } from './filtered-list.queries.ts';
import type { DefineList } from './list-definition.ts';
import type { PageRequest } from './page.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';
import type { SendingStatus } from './sending-status.queries.ts';
import { readUnfilteredList } from './unfiltered-list.queries.ts';

/*
 * The list engine: reads one page of a list of prospects, and the length of the list.
 *
 * A list has up to a million prospects. A page of a screen has at most 1,000 of their ids, in the order of the id or of
 * one of 17 columns; exports and acts on all (../all-prospects.queries.ts) ask for a whole list at once. The callers
 * then read the rows of these ids: the prospect tab (../prospects.queries.ts), and in features/attack-list the preview
 * of an attack list and the prospects behind each left-out reason.
 *
 * PostgreSQL's planner cannot choose how to read a list. With row level security it uses no statistics for LIKE, and
 * expects ten matches where there are ten thousand (decisions/list-storage). So this folder chooses a plan, and writes
 * its query in a form that leaves the planner no choice. Each plan is measured by cases of `npm run bench -- api`.
 *
 * Plan 1, index (unfiltered-list.queries.ts). When: there is no filter; a sending status may be given.
 *   Page: along the index of the order, from the nearer end of the list. Length: from prospect_total, or by
 *   counting the group's own rows. Why: it costs 2 ms at any size. Bench: "page 1", "sort …", "middle page",
 *   "sent", "unsent".
 *
 *   Seven columns have no index of their order (UNINDEXED in order-by-column). Pages of five are sorted by a scan that
 *   keeps only the rows up to the page; those of the two industries are read value by value, along an index of values.
 *   Why: an index of each would make imports slower (decisions/list-storage). Bench: "sort ceo …".
 *
 * Other lists (a filter, a preview, the archived companies) check each company. filtered-list.queries.ts chooses
 * plan 2, plan 6 or a scan of prospect_search; the scan's own statement chooses plan 3, 4 or 5 by how many it found:
 *
 * Plan 2, walk (walk.queries.ts). When: the order has an index, and matches are frequent enough among its first 200.
 *   Page: along the index of the order, checking each prospect, before the scan. Why: the scan then only counts, and
 *   does not collect ids. Bench: "with mail", "mail, frequent", "preview by sales" (decisions/list-queries).
 * Plan 3, sort by id (scan.queries.ts). When: the scan found at most 2,000 prospects.
 *   Page: these rows are fetched by id and sorted. Why: it is the cheapest for few rows. Bench: "… rare".
 * Plan 4, sort by key (scan.queries.ts). When: it found more, and the sorted column is in prospect_search.
 *   Page: the scan collects this column with the ids, and they are sorted by it. Why: plan 5 would read most of the
 *   index where the matches are at the far end of the order. Bench: "range and another sort", "region by sales".
 * Plan 5, hash (scan.queries.ts). When: it found more, and the list has another order.
 *   Page: along the index of the order, looking each id up in a hash of the found ids. Without an index it is a scan of
 *   prospect and a sort. Why: its worst case is one pass, whatever the filter. Bench: "region by address".
 *
 * Plan 6, sets (sets.queries.ts). When: the list has all companies but those of some sets, a preview without a filter.
 *   Length: the sets are counted; no other company is read. Page: by plan 2, else along the index of the order past a
 *   hash of the sets; in the order of the ids, one reason is checked in the row (decisions/previews). Why: two fifths
 *   of the scan's CPU (decisions/previews). Bench: "preview", "preview, 90 days".
 *
 * Other files: page (a page from the parts of an order), prospect-order (the orders and their parts, from order-part,
 * order-by-column and order-by-group-state), list-definition (what a filtered list is). Conditions: prospect-filter,
 * sending-status, reserved-prospects, group-state, and membership (three ways to check an id against a set).
 * sender-group is the scope of every list.
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
