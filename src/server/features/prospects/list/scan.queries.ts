import { type Expression, sql } from 'kysely';
import type { FilteredList } from './list-definition.ts';
import { isInByHash } from './membership.queries.ts';
import type { IsListed, OrderedIds } from './order-part.ts';
import { numbersOf, type Slice } from './page.queries.ts';
import type { ScanKey } from './prospect-filter.queries.ts';
import { type Order, orderedParts } from './prospect-order.queries.ts';
import type { GroupScope } from './sender-group.queries.ts';

/*
 * The scan of prospect_search, and plans 3 to 5 of list.queries.ts, which read a page from what it found. The scan is
 * the CTE `found` with one row: total, left_out (counts by reason, or NULL), and where it collects also ids and keys
 * (arrays in the same, unknown order). Aggregates let all cores share it: no row is passed from one process to another.
 */

/** The scan that counts the list. */
export const countScan = <Reason extends string>(list: FilteredList<Reason>): Expression<unknown> => foundBy(list, {});

/** The scan that counts the list and collects its ids, with the column `key` of each. */
export const collectScan = <Reason extends string>(list: FilteredList<Reason>, key: ScanKey): Expression<unknown> =>
  foundBy(list, key === 'id' ? { ids: key } : { ids: 'id', keys: key });

/** @param collected the columns of prospect_search that are collected, by the name of their array in `found` */
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
  // By the facts, not by the reason: of an expression over several columns the planner expects so many values that it
  // would gather all rows in one process before it counts them.
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

/** Up to so many found ids are fetched by id and sorted. Above it, plans 4 and 5 are faster. */
const SORT_BY_ID_MAX = 2000;

/** Plan 3: fetches the found ids one by one. */
const isFetchedById: IsListed = (id) => sql`${id} = any((SELECT ids FROM found)::bigint[])`;

/** Plan 5: looks ids up in a hash of the found ids. */
const isInFound: IsListed = (id) => isInByHash(sql`SELECT unnest(ids) FROM found`, id);

/** Plan 4: the found ids as a table that is sorted by the collected key. */
const collectedRows = ({ accountId }: GroupScope, key: ScanKey): Expression<unknown> => {
  const keys = key === 'id' ? sql`` : sql`, unnest(keys) AS ${sql.ref(key)}`;
  return sql`(SELECT ${accountId}::bigint AS account_id, unnest(ids) AS id${keys} FROM found)`;
};

/**
 * Reads a slice of one part of an order from `found`.
 * Plan 3 for few ids; of more, plan 4 where there is a key, else plan 5.
 * @param ownRows the table of the list's prospects, where it is not prospect_search
 */
export function sliceOfScan(
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
