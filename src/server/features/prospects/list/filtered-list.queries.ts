import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { type Access, isInByHash } from './membership.queries.ts';
import type { IsListed, OrderedIds } from './order-parts.queries.ts';
import { type ScanKey, type SearchQuery, scanKeyOf } from './prospect-filter.queries.ts';
import {
  numbersOf,
  type Order,
  orderedParts,
  type PageRequest,
  readPage,
  type Slice,
  type SliceAnswer,
} from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';

/** Why prospects that pass the filter are left out of the list. */
export interface LeftOut<Reason extends string> {
  /** SQL on a row from which the reason follows. A scan counts rows by these facts, so each must have few values. */
  readonly facts: readonly Expression<unknown>[];
  /** The reason from these facts; NULL, for exactly one combination: the prospect is on the list. */
  readonly reason: (facts: readonly Expression<unknown>[]) => Expression<Reason | null>;
}

/** A list in the SQL of one kind of access. */
export interface FilteredList<Reason extends string = never> {
  /** The account's prospects that pass the filter. */
  readonly prospects: SearchQuery;
  /** The table of these prospects if not prospect_search: the archived ones. */
  readonly rows?: Expression<unknown>;
  /** undefined: all that pass the filter are on the list. */
  readonly leftOut?: LeftOut<Reason>;
  /** The left-out prospects as sets, for a list of all other prospects. */
  readonly leftOutSets?: LeftOutSets;
}

export interface LeftOutSets {
  /**
   * `left_out` has a row (reason, count) for each reason. `excluded` has one row of arrays: `ids` of all left-out
   * prospects, and `others`, which may omit those that meet `isLeftOutByRow`.
   */
  readonly ctes: Expression<unknown>;
  /** The condition of the one reason that needs only a row of prospect_search. */
  readonly isLeftOutByRow: Expression<SqlBool>;
}

/** Returns the SQL of a list for one kind of access. The engine requests `lookup` in plan 2, otherwise `scan`. */
export type DefineList<Reason extends string = never> = (access: Access) => FilteredList<Reason>;

/** A slice of a list, with the number of left-out prospects by reason. */
export interface CountedSlice<Reason extends string> extends SliceAnswer {
  readonly left_out: Partial<Record<Reason, number>> | null;
}

/*
 * Scans prospect_search, and reads a page by plans 3 to 5 from the result. The scan is the CTE `found` with one row:
 * total, left_out (counts by reason, or NULL), and where it collects also ids and keys (arrays in the same, unknown
 * order). Only aggregates are used, so that all cores share the scan without passing rows between processes.
 */

/** Reads a page of a list by a scan. @param walked the page, if a walk has read it: the scan then only counts */
export async function readByScan<Reason extends string>(
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
  // Without a key the scan collects only ids, for plan 5.
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

/** Makes the scan that counts the list. */
const countScan = <Reason extends string>(list: FilteredList<Reason>): Expression<unknown> => foundBy(list, {});

/** Makes the scan that counts the list and collects its ids, each with the column `key`. */
const collectScan = <Reason extends string>(list: FilteredList<Reason>, key: ScanKey): Expression<unknown> =>
  foundBy(list, key === 'id' ? { ids: key } : { ids: 'id', keys: key });

/** @param collected the collected columns of prospect_search, by the name of their array in `found` */
function foundBy<Reason extends string>(
  { prospects, leftOut }: FilteredList<Reason>,
  collected: { readonly [name: string]: ScanKey },
): Expression<unknown> {
  const names = Object.keys(collected).map((name) => sql.ref(name));
  const collect = (arrayOf: (name: Expression<unknown>) => Expression<unknown>) =>
    sql.join(
      names.map((name) => sql`, ${arrayOf(name)} AS ${name}`),
      sql``,
    );
  const rows = prospects.select(
    Object.entries(collected).map(([name, column]) => sql.ref(`prospect.${column}`).as(name)),
  );
  if (!leftOut) {
    return sql`
    found AS MATERIALIZED (
      SELECT count(*) AS total, NULL AS left_out${collect((name) => sql`array_agg(${name})`)}
      FROM (${rows}) AS prospect
    )`;
  }
  const { facts, reason } = leftOut;
  const columns = facts.map((_, index) => sql.ref(`fact_${index}`));
  const withFacts = rows.select(facts.map((fact, index) => sql`${fact}`.as(`fact_${index}`)));
  const isListed = sql`${reason(columns)} IS NULL`;
  // Grouped by the facts, not by the reason: for an expression over several columns the planner expects many values,
  // and would gather all rows in one process before counting.
  return sql`
    by_facts AS MATERIALIZED (
      SELECT ${sql.join(columns)}, count(*)${collect((name) => sql`array_agg(${name}) FILTER (WHERE ${isListed})`)}
      FROM (${withFacts}) AS prospect GROUP BY ${sql.join(columns)}
    ),
    by_reason AS (SELECT ${reason(columns)} AS left_out, sum(count)::bigint AS count FROM by_facts GROUP BY 1),
    found AS MATERIALIZED (
      SELECT coalesce(sum(count) FILTER (WHERE left_out IS NULL), 0)::bigint AS total,
        json_object_agg(left_out, count) FILTER (WHERE left_out IS NOT NULL) AS left_out
        ${collect((name) => sql`(SELECT ${name} FROM by_facts WHERE ${isListed})`)}
      FROM by_reason
    )`;
}

/** Plan 3: fetches the found ids one by one. */
const isFetchedById: IsListed = (id) => sql`${id} = any((SELECT ids FROM found)::bigint[])`;

/** Plan 5: looks ids up in a hash of the found ids. */
const isInFound: IsListed = (id) => isInByHash(sql`SELECT unnest(ids) FROM found`, id);

/** Plan 4: the found ids as a table sorted by the collected key. */
const collectedRows = ({ accountId }: GroupScope, key: ScanKey): Expression<unknown> => {
  const keys = key === 'id' ? sql`` : sql`, unnest(keys) AS ${sql.ref(key)}`;
  return sql`(SELECT ${accountId}::bigint AS account_id, unnest(ids) AS id${keys} FROM found)`;
};

/** The most found ids that are fetched by id and sorted. Above this, plans 4 and 5 are faster. */
const SORT_BY_ID_MAX = 2000;

/**
 * Reads a slice of one part of an order from `found`.
 * Plan 3 for few ids; for more, plan 4 if there is a key, otherwise plan 5.
 * @param ownRows the table of the list's prospects, if not prospect_search
 */
function sliceOfScan(
  scope: GroupScope,
  key: ScanKey | undefined,
  { part, ...order }: Order & { readonly part: number },
  slice: Slice,
  ownRows?: Expression<unknown>,
): Expression<number[]> {
  const partOf = (isListed: IsListed, rows = ownRows) => orderedParts(scope, isListed, order, rows)[part] as OrderedIds;
  const byHash = () => partOf(isInFound);
  if (slice === 'count') return numbersOf(byHash(), slice);
  const ofMany = key === undefined ? byHash() : partOf(() => sql`true`, collectedRows(scope, key));
  return sql`CASE WHEN total <= ${sql.lit(SORT_BY_ID_MAX)}
    THEN ${numbersOf(partOf(isFetchedById), slice)} ELSE ${numbersOf(ofMany, slice)} END`;
}
