import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { DefineList, FilteredList, LeftOutSets } from './list-definition.ts';
import { isInByHash } from './membership.queries.ts';
import { isIndexed } from './order-by-column.queries.ts';
import type { IsListed, OrderedIds } from './order-part.ts';
import { numbersOf, type PageOfIds, type PageRequest, readPage, type SliceAnswer } from './page.queries.ts';
import { scanKeyOf } from './prospect-filter.queries.ts';
import { orderedParts } from './prospect-order.queries.ts';
import { collectScan, countScan, sliceOfScan } from './scan.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';
import { countAll } from './sending-status.queries.ts';

/** So many prospects from the start of the order are checked, to estimate which share of them is on the list. */
const PROBE_ROWS = 200;

/**
 * Cost of a check by id, in units of what a scan takes to collect one id that it found. Measured on 1,000,000
 * prospects.
 */
const LOOKUP_COST = 32;

/** A walk ends without a page after so many times the rows that the probe promised. */
const WALK_OVERRUN_MAX = 2;

/** A slice of a list, with the number of left-out prospects by reason. */
interface CountedSlice<Reason extends string> extends SliceAnswer {
  readonly left_out: Partial<Record<Reason, number>> | null;
}

/** Plans 2 to 6 of list.queries.ts: a list whose members are known only when each prospect has been checked. */

export interface FilteredPage<Reason extends string> extends PageOfIds {
  /** How many prospects are left out of the list for each reason. */
  readonly leftOut: Partial<Record<Reason, number>>;
}

/**
 * Reads a page of the list, its length, and the number of left-out prospects by reason. Tries plan 2 before the scan
 * where the order has an index.
 */
export async function readFilteredList<Reason extends string>(
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

/** @param walked the page, where a walk has read it: the scan then only counts */
async function readByScan<Reason extends string>(
  db: Db,
  scope: GroupScope,
  list: FilteredList<Reason>,
  page: PageRequest,
  walked: number[] | null,
) {
  if (walked === null) return readPageByScan(db, scope, list, page);
  return { ids: walked, ...(await runScan(db, scope, countScan(list), sql`array[]::bigint[]`)) };
}

function readPageByScan<Reason extends string>(
  db: Db,
  scope: GroupScope,
  list: FilteredList<Reason>,
  page: PageRequest,
) {
  const key = scanKeyOf(page.sort.sort);
  // Without a key the scan collects ids only, for plan 5.
  const scan = collectScan(list, key ?? 'id');
  return readPage(page, (part, slice) =>
    runScan<Reason>(db, scope, scan, sliceOfScan(scope, key, { ...page, part }, slice, list.rows)),
  );
}

/**
 * Runs the scan and evaluates `numbers` on its result `found`.
 * @returns undefined for a sender group of another account
 */
async function runScan<Reason extends string>(
  db: Db,
  scope: GroupScope,
  scan: Expression<unknown>,
  numbers: Expression<number[]>,
): Promise<CountedSlice<Reason> | undefined> {
  const { rows } = await sql<CountedSlice<Reason>>`
    WITH ${scan} SELECT total, left_out, to_json(${numbers}) AS numbers FROM found WHERE ${isOwnGroup(scope)}`.execute(
    db,
  );
  return rows[0];
}

/**
 * Plan 6 of list.queries.ts: counts what is left out of a list of all prospects, and reads none of the others.
 * A page is read along the index of its order, past a hash of the left-out ids. In the order of the ids it reads the
 * rows of prospect_search in their order, so one reason is checked in the row and its ids are not hashed.
 * @param walked the page, where a walk has read it: the sets are then only counted
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

/**
 * Plan 2 of list.queries.ts: reads a page along the index of its order and checks each prospect on the way.
 *
 * A probe counts the matches among the first PROBE_ROWS. The walk to the last row of the page then checks about
 * wanted × PROBE_ROWS / matches prospects, at LOOKUP_COST each. A scan collects about total × matches / PROBE_ROWS ids.
 * The cheaper one reads the page.
 * @returns null where the scan is likely cheaper, or the walk did not fill the page
 */
async function readPageByWalk<Reason extends string>(
  db: Db,
  scope: GroupScope,
  { prospects, leftOut }: FilteredList<Reason>,
  { offset, limit, ...order }: PageRequest,
): Promise<number[] | null> {
  // Only the first part of the order: a page that reaches into the second is left to the scan.
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
