import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import {
  type CountedSlice,
  type DefineList,
  type FilteredList,
  type LeftOutSets,
  readByScan,
} from './filtered-list.queries.ts';
import { isInByHash } from './membership.queries.ts';
import { type IsListed, isIndexed, type OrderedIds } from './order-parts.queries.ts';
import { numbersOf, orderedParts, type PageOfIds, type PageRequest, readPage } from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';
import { countAll, type SendingStatus } from './sending-status.queries.ts';
import { readUnfilteredList } from './unfiltered-list.queries.ts';

/*
 * The list engine: reads one page of a list of prospects, and the length of the list.
 *
 * A list has up to a million prospects. A page of a screen has at most 1,000 of their ids, in the order of the id or of
 * one of 17 columns; exports and bulk changes (../all-prospects.queries.ts) need a whole list at once. The callers
 * then read the rows of these ids: the prospect tab (../prospects.queries.ts), and in features/attack-list the preview
 * of an attack list and the prospects behind each left-out reason.
 *
 * PostgreSQL's planner cannot choose how to read a list. With row level security it uses no statistics for LIKE, and
 * expects ten matches where there are ten thousand (decisions/company-list). So this folder chooses a plan, and writes
 * its query in a form that leaves the planner no choice. Each plan is measured by cases of `npm run bench -- api`.
 *
 * Plan 1, index (unfiltered-list.queries.ts). When: there is no filter; a sending status may be given.
 *   Page: along the index of the order, from the nearer end of the list. Length: from prospect_total, or by
 *   counting the group's own rows. Why: it costs 2 ms at any size. Bench: "page 1", "sort …", "middle page",
 *   "sent", "unsent".
 *
 *   Seven columns have no index of their order (UNINDEXED in order-parts). Pages of five are sorted by a scan that
 *   keeps only the rows up to the page; those of the two industries are read value by value, along an index of values.
 *   Why: an index of each would make imports slower (decisions/company-list). Bench: "sort ceo …".
 *
 * Other lists (a filter, a preview, the archived companies) check each company. readFilteredList chooses plan 2,
 * plan 6 or a scan of prospect_search; the scan's own statement chooses plan 3, 4 or 5 by how many it found:
 *
 * Plan 2, walk (below). When: the order has an index, and matches are frequent enough among its first 200.
 *   Page: along the index of the order, checking each prospect, before the scan. Why: the scan then only counts, and
 *   does not collect ids. Bench: "with mail", "mail, frequent", "preview by sales" (decisions/company-list).
 * Plan 3, sort by id (filtered-list.queries.ts). When: the scan found at most 2,000 prospects.
 *   Page: these rows are fetched by id and sorted. Why: it is the cheapest for few rows. Bench: "… rare".
 * Plan 4, sort by key (filtered-list.queries.ts). When: it found more, and the sorted column is in prospect_search.
 *   Page: the scan collects this column with the ids, and they are sorted by it. Why: plan 5 would read most of the
 *   index where the matches are at the far end of the order. Bench: "range and another sort", "region by sales".
 * Plan 5, hash (filtered-list.queries.ts). When: it found more, and the list has another order.
 *   Page: along the index of the order, looking each id up in a hash of the found ids. Without an index it is a scan of
 *   prospect and a sort. Why: its worst case is one pass, whatever the filter. Bench: "region by address".
 *
 * Plan 6, sets (below). When: the list has all companies but those of some sets, a preview without a filter.
 *   Length: the sets are counted; no other company is read. Page: by plan 2, else along the index of the order past a
 *   hash of the sets; in the order of the ids, one reason is checked in the row (decisions/previews). Why: two fifths
 *   of the scan's CPU (decisions/previews). Bench: "preview", "preview, 90 days".
 *
 * Other files: filtered-list (what such a list is, and its scan), prospect-order (the orders, and a page from their
 * parts, which order-parts makes). Conditions: prospect-filter, sending-status, reserved-prospects, group-state, and
 * membership (three ways to check an id against a set). sender-group is the scope of every list.
 */

/** A list of the prospects with a sending status, or of those that a filter finds. */
export type List<Reason extends string> =
  | { readonly kind: 'unfiltered'; readonly status: SendingStatus | undefined }
  | { readonly kind: 'filtered'; readonly define: DefineList<Reason> };

export interface FilteredPage<Reason extends string> extends PageOfIds {
  /** The number of left-out prospects by reason. */
  readonly leftOut: Partial<Record<Reason, number>>;
}

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

/**
 * Reads a page of the list, its length, and the number of left-out prospects by reason. Tries plan 2 before the scan
 * where the order has an index.
 */
async function readFilteredList<Reason extends string>(
  db: Db,
  scope: GroupScope,
  define: DefineList<Reason>,
  page: PageRequest,
): Promise<FilteredPage<Reason>> {
  const list = define('lookup');
  // The archived companies are in no sort index.
  const hasIndex = list.rows === undefined && isIndexed(page.sort);
  const ids = hasIndex ? await readPageByWalk(db, scope, list, page) : null;
  const scan = define('scan');
  const answer = scan.leftOutSets
    ? await readBySets<Reason>(db, scope, scan.leftOutSets, page, ids)
    : await readByScan(db, scope, scan, page, ids);
  return { ids: answer?.ids ?? [], total: answer?.total ?? 0, leftOut: answer?.left_out ?? {} };
}

/** The first prospects of the order that are checked, to estimate the share of them on the list. */
const PROBE_ROWS = 200;

/** The cost of a check by id, relative to collecting one id in a scan. Measured on 1,000,000 prospects. */
const LOOKUP_COST = 32;

/** A walk ends without a page after this multiple of the rows that the probe predicted. */
const WALK_OVERRUN_MAX = 2;

/**
 * Plan 2: reads a page along the index of its order, and checks each prospect on the way.
 *
 * A probe counts the matches among the first PROBE_ROWS. The walk to the last row of the page then checks about wanted
 * × PROBE_ROWS / matches prospects, at LOOKUP_COST each. A scan collects about total × matches / PROBE_ROWS ids. The
 * cheaper one reads the page.
 * @returns null if the scan is likely cheaper, or the walk did not fill the page
 */
async function readPageByWalk<Reason extends string>(
  db: Db,
  scope: GroupScope,
  { prospects, leftOut }: FilteredList<Reason>,
  { offset, limit, ...order }: PageRequest,
): Promise<number[] | null> {
  // Only the first part of the order: the scan reads pages that extend into the second part.
  const [part] = orderedParts(scope, () => sql`true`, order);
  if (part === undefined) return null;
  const isListed = prospects
    .select(sql<SqlBool>`${leftOut ? leftOut.reason(leftOut.facts) : sql`NULL`} IS NULL`.as('is_listed'))
    .where('prospect.id', '=', sql.ref<number>('walk.id'));
  const firstMatches = (rows: Expression<unknown>) => sql`(${part} LIMIT ${rows}) AS walk WHERE (${isListed})`;
  const wanted = sql`${offset + limit}::bigint`;
  const isCheaper = sql`
    matches * matches * ${countAll(scope.accountId)} > ${LOOKUP_COST * PROBE_ROWS ** 2} * ${wanted}`;
  const { rows } = await sql<{ ids: number[] | null }>`
    SELECT to_json(
      CASE WHEN ${isCheaper} THEN array(
        SELECT id FROM ${firstMatches(sql`${WALK_OVERRUN_MAX * PROBE_ROWS} * ${wanted} / matches`)}
        LIMIT ${limit} OFFSET ${offset}
      ) END) AS ids
    FROM (SELECT count(*) AS matches FROM ${firstMatches(sql.lit(PROBE_ROWS))}) AS probe
    WHERE ${isOwnGroup(scope)}`.execute(db);
  const ids = rows[0]?.ids;
  return ids?.length === limit ? ids : null;
}

/**
 * Plan 6: counts the left-out prospects of a list of all, without reading the others.
 * A page is read along the index of its order, skipping a hash of the left-out ids. In the order of the ids, the rows
 * of prospect_search are read, so that one reason is checked in the row instead of hashing its ids.
 * @param walked the page, if a walk has read it: the sets are then only counted
 */
async function readBySets<Reason extends string>(
  db: Db,
  scope: GroupScope,
  { ctes, isLeftOutByRow }: LeftOutSets,
  page: PageRequest,
  walked: number[] | null,
) {
  const run = async (numbers: Expression<number[]>) => {
    const { rows } = await sql<CountedSlice<Reason>>`
      WITH ${ctes}
      SELECT ${countAll(scope.accountId)} - coalesce(sum(count), 0)::bigint AS total,
        json_object_agg(reason, count) FILTER (WHERE reason IS NOT NULL) AS left_out,
        (SELECT to_json(${numbers})) AS numbers
      FROM left_out HAVING ${isOwnGroup(scope)}`.execute(db);
    return rows[0];
  };
  if (walked !== null) return { ids: walked, ...(await run(sql`array[]::bigint[]`)) };
  const isNotIn = (ids: string, id: Expression<number>) =>
    sql<boolean>`NOT ${isInByHash(sql`SELECT unnest(${sql.ref(ids)}) FROM excluded`, id)}`;
  const isListed: IsListed =
    page.sort.sort === undefined
      ? (id) => sql<boolean>`NOT ${isLeftOutByRow} AND ${isNotIn('others', id)}`
      : (id) => isNotIn('ids', id);
  const parts = orderedParts(scope, isListed, page);
  return readPage(page, (part, slice) => run(numbersOf(parts[part] as OrderedIds, slice)));
}
