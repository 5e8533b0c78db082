import { type Expression, type SqlBool, sql } from 'kysely';
import type { ProspectFilter } from '#contract/prospect.ts';
import type { Db } from '../../platform/db.ts';
import { isOneOf } from './group-state.queries.ts';
import { countAll } from './prospect-counts.queries.ts';
import { keyOfSort, type SearchedKey, type SearchedProspects } from './prospect-filter.queries.ts';
import { type Among, type Gathered, type Order, type OrderedIds, orderedParts } from './prospect-order.queries.ts';
import { type GroupScope, isOwnGroup } from './sender-group.queries.ts';

/** A page of a list and how long the list is, by one statement that reads it once. */

export interface PageOf extends Order {
  readonly offset: number;
  readonly limit: number;
}

export interface FoundPage extends PageOf {
  /** What it is found by, which tells what is worth gathering (keyOfSort). */
  readonly filter: ProspectFilter;
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
/** A row met on the way takes so many times longer to look up than one that was found takes to be hashed. */
const LOOK_UP = 16;
/** The way to a page may be so many times longer than if what is found were spread evenly; then it is given up. */
const PATIENCE = 4;

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

/**
 * Nothing of a group that is not the account's. One scan, shared by the cores, counts what is found and gathers its ids; the page is
 * read in the order of an index, in the way that suits how much that is.
 */
export async function listFound<Reason extends string>(
  db: Db,
  scope: GroupScope,
  find: FindList<Reason>,
  { filter, ...page }: FoundPage,
): Promise<Listed & { readonly leftOut: Partial<Record<Reason, number>> }> {
  type Answer = Told & { readonly left_out: Partial<Record<Reason, number>> | null };
  const key = keyOfSort(filter, page.sort.sort);
  const answer = await readPage(scope, page, async (part, wanted) => {
    const value = wanted === 'count' ? numbersOf(part(isHeld), wanted) : pageOfFound(scope, find, key, part, wanted);
    const asked = sql<Answer>`
      WITH ${found(find({ scan: true }), key)}
      SELECT total, left_out, to_json(${value}) AS value FROM found WHERE ${isOwnGroup(scope)}`;
    return (await asked.execute(db)).rows[0];
  });
  return { ids: answer?.ids ?? [], total: answer?.total ?? 0, leftOut: answer?.left_out ?? {} };
}

/** The scan: `found` is one row of total, ids in no order, the keys of these, and left_out, the counts by reason. */
function found<Reason extends string>(
  { prospects, leftOut }: FoundList<Reason>,
  key: SearchedKey = 'id',
): Expression<unknown> {
  const hasKeys = key !== 'id';
  const rows = prospects.select(['prospect.id', sql.ref(`prospect.${key}`).as('key')]);
  const gather = (which: Expression<unknown>) =>
    sql`array_agg(id) ${which} AS ids, ${hasKeys ? sql`array_agg(key) ${which}` : sql`NULL::bigint[]`} AS keys`;
  if (!leftOut)
    return sql`found AS MATERIALIZED (
      SELECT count(*) AS total, ${gather(sql``)}, NULL AS left_out FROM (${rows}) AS prospect
    )`;
  // OFFSET NULL: the reason is found out once a row, and not again wherever it is named (OFFSET 0 would keep the cores from sharing).
  return sql`
    parted AS MATERIALIZED (
      SELECT left_out, count(*), ${gather(sql`FILTER (WHERE left_out IS NULL)`)}
      FROM (${rows.select(sql`${leftOut}`.as('left_out'))} OFFSET NULL) AS prospect GROUP BY left_out
    ),
    found AS MATERIALIZED (
      SELECT coalesce(sum(count) FILTER (WHERE left_out IS NULL), 0)::bigint AS total,
        (SELECT ids FROM parted WHERE left_out IS NULL) AS ids, (SELECT keys FROM parted WHERE left_out IS NULL) AS keys,
        json_object_agg(left_out, count) FILTER (WHERE left_out IS NOT NULL) AS left_out
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

/**
 * Few are looked up and sorted. What is frequent is met soon on the way along the index, whose rows are looked up one by one; where filter
 * and order go against each other, or far down the list, all that was found is sorted by what was gathered with it, or hashed for the way.
 */
function pageOfFound<Reason extends string>(
  scope: GroupScope,
  find: FindList<Reason>,
  key: SearchedKey | undefined,
  part: Part,
  wanted: Wanted & object,
): Expression<number[]> {
  const sorted = key === undefined ? part(isHeld) : part(() => sql`true`, gatheredBy(scope, key));
  const { prospects, leftOut = sql`NULL` } = find({ scan: false });
  const isListed = prospects
    .select(sql<SqlBool>`${leftOut} IS NULL`.as('is_listed'))
    .where('prospect.id', '=', sql.ref<number>('met.id'));
  const way = sql<number>`(${PATIENCE * (wanted.skip + wanted.limit)} * ${countAll(scope.accountId)} / total)`;
  const walk = sql<number[]>`array(
    SELECT id FROM (${part(() => sql`true`)} LIMIT ${way}) AS met WHERE (${isListed}) LIMIT ${wanted.limit} OFFSET ${wanted.skip})`;
  return sql`(
    SELECT CASE
      WHEN total <= ${sql.lit(FEW)} THEN ${numbersOf(part(isLookedUp), wanted)}
      WHEN cardinality(walked.ids) = ${wanted.limit} THEN walked.ids
      ELSE ${numbersOf(sorted, wanted)} END
    FROM (
      SELECT CASE WHEN total > ${sql.lit(FEW)} THEN CASE WHEN total > ${LOOK_UP} * ${way} THEN ${walk} END END AS ids OFFSET 0
    ) AS walked)`;
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
