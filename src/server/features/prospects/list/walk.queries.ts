import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { FilteredList } from './list-definition.ts';
import type { PageRequest } from './page.queries.ts';
import { orderedParts } from './prospect-order.queries.ts';
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

/**
 * Plan 2 of list.queries.ts: reads a page along the index of its order and checks each prospect on the way.
 *
 * A probe counts the matches among the first PROBE_ROWS. The walk to the last row of the page then checks about
 * wanted × PROBE_ROWS / matches prospects, at LOOKUP_COST each. A scan collects about total × matches / PROBE_ROWS ids.
 * The cheaper one reads the page.
 * @returns null where the scan is likely cheaper, or the walk did not fill the page
 */
export async function readPageByWalk<Reason extends string>(
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
