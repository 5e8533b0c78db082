import { type Expression, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { DefineList, FilteredList } from './list-definition.ts';
import { isIndexed } from './order-by-column.queries.ts';
import { type PageOfIds, type PageRequest, readPage } from './page.queries.ts';
import { scanKeyOf } from './prospect-filter.queries.ts';
import { collectScan, countScan, sliceOfScan } from './scan.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';
import { type CountedSlice, readBySets } from './sets.queries.ts';
import { readPageByWalk } from './walk.queries.ts';

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
