import { type Expression, sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import type { DefineList, FilteredList } from './list-definition.ts';
import { type PageOfIds, type PageRequest, readPage, type SliceAnswer } from './page.queries.ts';
import { scanKeyOf } from './prospect-filter.queries.ts';
import { isIndexed } from './prospect-order.queries.ts';
import { collectScan, countScan, sliceOfScan } from './scan.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';
import { readPageByWalk } from './walk.queries.ts';

/** Plans 2 to 5 of list.queries.ts: a list whose members are known only when each prospect has been checked. */

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
  // After a walk, the scan only counts and returns no ids.
  const answer =
    ids === null
      ? await readPageByScan(db, scope, define('scan'), page)
      : { ids, ...(await runScan(db, scope, countScan(define('scan')), sql`array[]::bigint[]`)) };
  return { ids: answer?.ids ?? [], total: answer?.total ?? 0, leftOut: answer?.left_out ?? {} };
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

interface ScanAnswer<Reason extends string> extends SliceAnswer {
  readonly left_out: Partial<Record<Reason, number>> | null;
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
): Promise<ScanAnswer<Reason> | undefined> {
  const { rows } = await sql<ScanAnswer<Reason>>`
    WITH ${scan} SELECT total, left_out, to_json(${numbers}) AS numbers FROM found WHERE ${isOwnGroup(scope)}`.execute(
    db,
  );
  return rows[0];
}
