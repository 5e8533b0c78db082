import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import { isOneOf } from './group-state.queries.ts';
import { type Listed, numbersOf, type PageOf, readPage, type Told, type Wanted } from './page.queries.ts';
import { keyOfSort, type SearchedKey, type SearchedProspects } from './prospect-filter.queries.ts';
import { type Among, type Gathered, type OrderedIds, orderedParts } from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';
import { countAll } from './sending-status.queries.ts';

/** A list that takes a scan to find: a page of it and how long it is, each read once. */

export interface FoundList<Reason extends string = never> {
  /** Of the account alone. */
  readonly prospects: SearchedProspects;
  /** Why one of them is not on the list; NULL: it is. */
  readonly leftOut?: Expression<Reason | null>;
}

/**
 * How the list is found.
 * @param scan whether the whole list is asked, not some rows of it: see group-state.queries.ts
 */
export type FindList<Reason extends string = never> = (asked: { readonly scan: boolean }) => FoundList<Reason>;

/** Up to here what was found is looked up and sorted; of more a page is met soon enough on the way along an index. */
const FEW = 2000;
/** So many companies from the beginning of the list tell how many of them a page of what is looked for will take. */
const PROBE = 200;
/** To look a company up takes so many times longer than to gather one that a scan has found. */
const LOOK_UP = 32;
/** The way to a page may be so many times longer than it seemed; then it is given up. */
const PATIENCE = 2;

/** One part of the order, given what the list holds. */
type Part = (among: Among, gathered?: Gathered) => OrderedIds;

/** Beside the page: of those not on the list, how many for which reason. */
interface Found<Reason extends string> extends Listed {
  readonly leftOut: Partial<Record<Reason, number>>;
}

/**
 * Nothing of a group that is not the account's. Where companies of the list are frequent, its beginning is met soon along the index of its
 * order, and one scan, shared by the cores, counts them all. Else that scan gathers what it finds too, and the page is made of this.
 */
export async function listFound<Reason extends string>(
  db: Db,
  scope: GroupScope,
  find: FindList<Reason>,
  page: PageOf,
): Promise<Found<Reason>> {
  type Answer = Told & { readonly left_out: Partial<Record<Reason, number>> | null };
  const scanned = find({ scan: true });
  const ask = async (scan: Expression<unknown>, value: Expression<number[]>) => {
    const asked = sql<Answer>`
      WITH ${scan} SELECT total, left_out, to_json(${value}) AS value FROM found WHERE ${isOwnGroup(scope)}`;
    return (await asked.execute(db)).rows[0];
  };
  const key = keyOfSort(page.sort.sort);
  const met = await meetPage(db, scope, find({ scan: false }), page);
  const answer =
    met === null
      ? await readPage(page, (at, wanted) => {
          const part: Part = (among, gathered) => orderedParts(scope, among, page, gathered)[at] as OrderedIds;
          return ask(found(scanned, key ?? 'id'), pageOfFound(scope, key, part, wanted));
        })
      : { ids: met, ...(await ask(found(scanned), sql`array[]::bigint[]`)) };
  return { ids: answer?.ids ?? [], total: answer?.total ?? 0, leftOut: answer?.left_out ?? {} };
}

/**
 * Looks companies up one by one along the index of the order, where they promise to fill the page before a scan could gather what it finds.
 * @returns the ids of the page, if it is filled
 */
async function meetPage<Reason extends string>(
  db: Db,
  scope: GroupScope,
  { prospects, leftOut = sql`NULL` }: FoundList<Reason>,
  { offset, limit, ...order }: PageOf,
): Promise<number[] | null> {
  const [way] = orderedParts(scope, () => sql`true`, order);
  if (way === undefined) return null;
  const isListed = prospects
    .select(sql<SqlBool>`${leftOut} IS NULL`.as('is_listed'))
    .where('prospect.id', '=', sql.ref<number>('met.id'));
  const met = (lookUps: Expression<unknown>) => sql`(${way} LIMIT ${lookUps}) AS met WHERE (${isListed})`;
  const wanted = sql`${offset + limit}::bigint`;
  // hits of PROBE are listed: the way to the page takes wanted * PROBE / hits, and the scan finds hits / PROBE of all.
  const { rows } = await sql<{ ids: number[] | null }>`
    SELECT to_json(
      CASE WHEN hits * hits * ${countAll(scope.accountId)} > ${LOOK_UP * PROBE ** 2} * ${wanted} THEN array(
        SELECT id FROM ${met(sql`${PATIENCE * PROBE} * ${wanted} / hits`)} LIMIT ${limit} OFFSET ${offset}
      ) END) AS ids
    FROM (SELECT count(*) AS hits FROM ${met(sql.lit(PROBE))}) AS probe
    WHERE ${isOwnGroup(scope)}`.execute(db);
  const ids = rows[0]?.ids;
  return ids?.length === limit ? ids : null;
}

/**
 * The scan. `found` is one row of total and left_out, the counts by reason; with `key` of the ids that are found too, in no order, and of
 * the keys of these if the key is another.
 */
function found<Reason extends string>(
  { prospects, leftOut }: FoundList<Reason>,
  key?: SearchedKey,
): Expression<unknown> {
  const columns = { ...(key && { ids: 'id' }), ...(key && key !== 'id' && { keys: key }) };
  const gather = (write: (name: Expression<unknown>) => Expression<unknown>) =>
    sql.join(
      Object.keys(columns).map((name) => sql`, ${write(sql.ref(name))} AS ${sql.ref(name)}`),
      sql``,
    );
  const rows = prospects.select(
    Object.entries(columns).map(([name, column]) => sql.ref(`prospect.${column}`).as(name)),
  );
  if (!leftOut)
    return sql`found AS MATERIALIZED (
      SELECT count(*) AS total, NULL AS left_out${gather((name) => sql`array_agg(${name})`)} FROM (${rows}) AS prospect
    )`;
  // OFFSET NULL: the reason is found out once a row, and not again wherever it is named (OFFSET 0 would keep the cores from sharing).
  return sql`
    parted AS MATERIALIZED (
      SELECT left_out, count(*)${gather((name) => sql`array_agg(${name}) FILTER (WHERE left_out IS NULL)`)}
      FROM (${rows.select(sql`${leftOut}`.as('left_out'))} OFFSET NULL) AS prospect GROUP BY left_out
    ),
    found AS MATERIALIZED (
      SELECT coalesce(sum(count) FILTER (WHERE left_out IS NULL), 0)::bigint AS total,
        json_object_agg(left_out, count) FILTER (WHERE left_out IS NOT NULL) AS left_out
        ${gather((name) => sql`(SELECT ${name} FROM parted WHERE left_out IS NULL)`)}
      FROM parted
    )`;
}

/** Looked up by id, for few. */
const isLookedUp: Among = (id) => sql`${id} = any((SELECT ids FROM found)::bigint[])`;
/** Held against what was found, for many. */
const isHeld: Among = (id) => isOneOf(sql`SELECT unnest(ids) FROM found`, id);

/** What was found, as a table to be sorted by what was gathered with it. */
const gatheredBy = ({ accountId }: GroupScope, key: SearchedKey): Gathered =>
  sql`(SELECT ${accountId}::bigint AS account_id, unnest(ids) AS id${key === 'id' ? sql`` : sql`, unnest(keys) AS ${sql.ref(key)}`} FROM found)`;

/** Of what was found few are looked up and sorted; else all is sorted by what was gathered with it, or hashed for the way along the index. */
function pageOfFound(
  scope: GroupScope,
  key: SearchedKey | undefined,
  part: Part,
  wanted: Wanted,
): Expression<number[]> {
  if (wanted === 'count') return numbersOf(part(isHeld), wanted);
  const sorted = key === undefined ? part(isHeld) : part(() => sql`true`, gatheredBy(scope, key));
  return sql`CASE WHEN total <= ${sql.lit(FEW)} THEN ${numbersOf(part(isLookedUp), wanted)} ELSE ${numbersOf(sorted, wanted)} END`;
}
