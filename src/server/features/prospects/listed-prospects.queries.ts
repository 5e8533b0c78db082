import { type Expression, type SqlBool, sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { isOneOf } from './group-state.queries.ts';
import { countAll } from './prospect-counts.queries.ts';
import { keyOfSort, type SearchedKey, type SearchedProspects } from './prospect-filter.queries.ts';
import { type Among, type Gathered, type Order, type OrderedIds, orderedParts } from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';

/** A page of a list and how long the list is, each read once. */

export interface PageOf extends Order {
  readonly offset: number;
  readonly limit: number;
}

export interface Listed {
  readonly ids: number[];
  readonly total: number;
}

/** A list whose length is known without reading it. */
export interface KnownList {
  readonly among: Among;
  readonly total: Expression<number>;
}

export interface FoundList<Reason extends string = never> {
  /** Of the account alone. */
  readonly prospects: SearchedProspects;
  /** Why one of them is not on the list; NULL: it is. */
  readonly leftOut?: Expression<Reason | null>;
}

/**
 * A list that takes a scan to find.
 * @param scan whether the whole list is asked, not some rows of it: see group-state.queries.ts
 */
export type FindList<Reason extends string = never> = (asked: { readonly scan: boolean }) => FoundList<Reason>;

/** From this row on a list's length is asked first, for its end may be nearer than its beginning. */
const FAR = 1000;
/** Up to here what was found is looked up and sorted; of more a page is met soon enough on the way along an index. */
const FEW = 2000;
/** So many companies from the beginning of the list tell how many of them a page of what is looked for will take. */
const PROBE = 200;
/** To look a company up takes so many times longer than to gather one that a scan has found. */
const LOOK_UP = 32;
/** The way to a page may be so many times longer than it seemed; then it is given up. */
const PATIENCE = 2;

/** What one statement tells: the list's length, and the numbers that were asked for. */
interface Told {
  readonly total: number;
  readonly value: number[];
}

/** What is asked of a part of the order, given what it holds: some of its ids, or how many there are. */
type Wanted = { readonly skip: number; readonly limit: number } | 'count';
type Part = (among: Among, gathered?: Gathered) => OrderedIds;

const numbersOf = (ids: OrderedIds, wanted: Wanted): Expression<number[]> =>
  wanted === 'count'
    ? sql`array(SELECT count(*) FROM (${ids}) AS part)`
    : sql`array(${ids.limit(wanted.limit).offset(wanted.skip)})`;

/** Nothing of a group that is not the account's. What is far down the list is read from its end. */
export async function listKnown(db: Db, scope: GroupScope, known: KnownList, page: PageOf): Promise<Listed> {
  if (page.offset < FAR) return readKnown(db, scope, known, page);
  const { rows } = await sql<{ total: number }>`SELECT ${known.total} AS total WHERE ${isOwnGroup(scope)}`.execute(db);
  const length = rows[0]?.total ?? 0;
  const limit = Math.min(page.limit, length - page.offset);
  if (limit <= 0) return { ids: [], total: length };
  const behind = length - page.offset - limit;
  if (behind > page.offset) return readKnown(db, scope, known, page);
  const fromEnd = { ...page, backwards: true, offset: behind, limit };
  const { ids, total } = await readKnown(db, scope, known, fromEnd);
  return { ids: ids.toReversed(), total };
}

async function readKnown(db: Db, scope: GroupScope, { among, total }: KnownList, page: PageOf): Promise<Listed> {
  const listed = await readPage(scope, page, async (part, wanted) => {
    const asked = sql<Told>`
      SELECT ${total} AS total, to_json(${numbersOf(part(among), wanted)}) AS value WHERE ${isOwnGroup(scope)}`;
    return (await asked.execute(db)).rows[0];
  });
  return listed ?? { ids: [], total: 0 };
}

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
      ? await readPage(scope, page, (part, wanted) =>
          ask(found(scanned, key ?? 'id'), pageOfFound(scope, key, part, wanted)),
        )
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

/**
 * @param ask for what is wanted of a part of the order, and for the list's length
 * @returns the page's ids, the blanks of its order last, with the answer to the last question; undefined as `ask` does
 */
async function readPage<Answer extends Told>(
  scope: GroupScope,
  { offset, limit, ...order }: PageOf,
  ask: (part: Part, wanted: Wanted) => Promise<Answer | undefined>,
): Promise<(Answer & { readonly ids: number[] }) | undefined> {
  const ids: number[] = [];
  let skip = offset;
  for (let at = 0; ; at += 1) {
    const part: Part = (among, gathered) => orderedParts(scope, among, order, gathered)[at] as OrderedIds;
    const answer = await ask(part, { skip, limit: limit - ids.length });
    if (answer === undefined) return undefined;
    ids.push(...answer.value);
    const isFull = ids.length === limit || offset + ids.length >= answer.total;
    if (isFull || at === orderedParts(scope, () => sql`true`, order).length - 1) return { ...answer, ids };
    // Nothing found beyond an offset: how much of it was this part's share takes counting.
    if (answer.value.length > 0 || skip === 0) skip = 0;
    else skip -= (await ask(part, 'count'))?.value[0] ?? 0;
  }
}
