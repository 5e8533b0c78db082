import { Readable } from 'node:stream';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import type { Call } from '#contract/call.ts';
import { TARGET_COLUMNS } from '#contract/list.ts';
import { MAX_WHOLE_LIST_ROWS, MAX_WHOLE_LIST_TARGETS } from '#domain/limits.ts';
import type { AccountDb } from '../database/account-db.ts';
import type { Tx } from '../database/db.ts';
import type { DB } from '../database/db-types.ts';
import { countRows, pageOf, wantsColumn } from '../database/list-rows.ts';
import { ListText, type ListWindow } from '../http/answers.ts';
import { Problem } from '../problem.ts';

/* The lists of the specification, which its client reads whole (decisions/api). */

/** The most rows that one snapshot reads of a whole list, and the most targets unless one row has more. */
const SLICE_ROWS = 500;
const SLICE_TARGETS = 5000;

/** Which rows are read: those that meet a condition, in list order. */
export interface Part extends ListWindow {
  readonly where: Expression<SqlBool>;
}

type ListCall = Call & { readonly isList: true; readonly response: z.ZodArray<z.ZodObject> };

/** A row as in its contract. Its attack list is JSON text of PostgreSQL, which is passed on unparsed. */
export type TextRow<C extends ListCall> = Omit<z.output<C['response']>[number], 'attack_list'> & {
  readonly attack_list?: string;
};

interface ListSource<C extends ListCall> {
  readonly table: keyof DB;
  /** The condition of ownRows. */
  readonly own: Expression<SqlBool>;
  /** The key's columns besides the account's: numbers that never change. */
  readonly key?: readonly string[];
  readonly order: RawBuilder<unknown>;
  readonly query: {
    readonly limit?: number | undefined;
    readonly offset: number;
    readonly columns?: readonly string[] | undefined;
  };
  readonly read: (tx: Tx, part: Part) => Promise<TextRow<C>[]>;
  /** Counts the whole list; default: by its condition. */
  readonly count?: (tx: Tx) => Promise<number>;
  /** Selects the row's `id` for each target of these rows, if the list has one of TARGET_COLUMNS. */
  readonly targetsOf?: (ids: readonly number[]) => RawBuilder<unknown>;
  /** The paged call for the same rows; null: none. */
  readonly view: string | null;
}

/** A row's key. */
type Key = readonly number[];

/**
 * Answers a list of the specification: with `limit` a page, otherwise all rows or 422.
 * A whole list is read by keys found in one snapshot, slice by slice as the client reads it. So no row is repeated by
 * concurrent changes, and no connection waits for a slow client.
 */
export async function answerList<C extends ListCall>(
  account: AccountDb,
  call: C,
  source: ListSource<C>,
): Promise<ListText | Problem> {
  const { own, query, read, table } = source;
  const { limit, offset } = query;
  const count = source.count ?? ((tx) => countRows(tx, table, own));
  const hasTargets = source.targetsOf !== undefined && TARGET_COLUMNS.some((name) => wantsColumn(query.columns, name));
  const textOf = rowsAsText(call);
  if (limit !== undefined && !hasTargets) {
    const page = await account.snapshot(async (tx) =>
      pageOf(await read(tx, { where: own, limit, offset }), { limit, offset }, () => count(tx)),
    );
    return new ListText(page, `[${textOf(page.rows)}]`);
  }
  const readSlice = (tx: Tx, keys: readonly Key[]) =>
    read(tx, { where: sql`(${own} AND ${isOneOf(source, keys)})`, limit: keys.length, offset: 0 });
  const begun = await account.snapshot(async (tx) => {
    const isWhole = limit === undefined;
    const window = { limit: limit ?? MAX_WHOLE_LIST_ROWS + 1, offset };
    const keys = await pageOf(await readKeys(tx, source, window), window, () => count(tx));
    if (isWhole && keys.rows.length > MAX_WHOLE_LIST_ROWS) return tooManyRows(keys.total - offset, source.view);
    const targets = hasTargets ? await countTargets(tx, source, keys.rows, isWhole) : new Map<number, number>();
    const all = targets.values().reduce((sum, ofRow) => sum + ofRow, 0);
    if (isWhole && all > MAX_WHOLE_LIST_TARGETS) return tooManyTargets(keys.rows.length, query.columns, source.view);
    const [first = [], ...others] = slicesOf(keys.rows, targets);
    return { keys, others, rows: first.length === 0 ? [] : await readSlice(tx, first) };
  });
  if (begun instanceof Problem) return begun;
  const { keys, others } = begun;
  const begin = textOf(begun.rows);
  if (others.length === 0) return new ListText(keys, `[${begin}]`);
  const texts = textsOf(begin, others, async (slice) => textOf(await account.snapshot((tx) => readSlice(tx, slice))));
  return new ListText(keys, Readable.from(texts, { objectMode: false }));
}

type Named = Pick<ListSource<ListCall>, 'table' | 'key' | 'own' | 'order' | 'targetsOf'>;

const keyOf = ({ table, key = ['id'] }: Named) => sql.join(key.map((name) => sql.ref(`${table}.${name}`)));

async function readKeys(tx: Tx, source: Named, { limit, offset }: ListWindow): Promise<Key[]> {
  const { rows } = await sql<Record<string, number>>`
    SELECT ${keyOf(source)} FROM ${sql.table(source.table)} WHERE ${source.own}
    ORDER BY ${source.order} LIMIT ${limit} OFFSET ${offset}`.execute(tx);
  return rows.map((row) => Object.values(row));
}

function isOneOf(source: Named, keys: readonly Key[]): RawBuilder<SqlBool> {
  const columns = (source.key ?? ['id']).map((_, place) => sql`${keys.map((key) => key[place])}::bigint[]`);
  return sql`(${keyOf(source)}) IN (SELECT * FROM unnest(${sql.join(columns)}))`;
}

/** Counts the targets of each row. For a whole list it counts only until the limit is exceeded. */
async function countTargets(
  tx: Tx,
  { targetsOf }: Named,
  keys: readonly Key[],
  isWhole: boolean,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; count: number }>`
    SELECT id, count(*)::integer AS count
    FROM (${targetsOf?.(keys.flat())} LIMIT ${isWhole ? MAX_WHOLE_LIST_TARGETS + 1 : null}) AS target
    GROUP BY id`.execute(tx);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

function slicesOf(keys: readonly Key[], targets: ReadonlyMap<number, number>): Key[][] {
  const slices: Key[][] = [];
  let [rows, inSlice] = [SLICE_ROWS, 0];
  for (const key of keys) {
    const more = targets.get(key[0] ?? 0) ?? 0;
    if (rows >= SLICE_ROWS || inSlice + more > SLICE_TARGETS) {
      slices.push([]);
      [rows, inSlice] = [0, 0];
    }
    slices.at(-1)?.push(key);
    rows += 1;
    inSlice += more;
  }
  return slices;
}

async function* textsOf(
  begin: string,
  others: readonly (readonly Key[])[],
  readSlice: (keys: readonly Key[]) => Promise<string>,
): AsyncGenerator<string> {
  yield `[${begin}`;
  let isFirst = begin === '';
  for (const keys of others) {
    const text = await readSlice(keys);
    // All rows of the slice may have left the list meanwhile.
    if (text === '') continue;
    yield isFirst ? text : `,${text}`;
    isFirst = false;
  }
  yield ']';
}

/** Returns a function that writes rows by their call's schema, without the brackets of the array. */
function rowsAsText<C extends ListCall>({ response }: C): (rows: readonly TextRow<C>[]) => string {
  const { element } = response;
  const schema = z.array('attack_list' in element.shape ? element.omit({ attack_list: true }) : element);
  return (rows) => {
    const encoded = z.encode(schema, rows as never) as readonly object[];
    return encoded.map((row, place) => withText(JSON.stringify(row), rows[place]?.attack_list)).join();
  };
}

function withText(row: string, attackList: string | undefined): string {
  if (attackList === undefined) return row;
  return `${row.slice(0, -1)}${row === '{}' ? '' : ','}"attack_list":${attackList}}`;
}

const numberOf = (count: number) => count.toLocaleString('ja-JP');

const wayOf = (view: string | null) =>
  view === null
    ? 'limit と offset を指定して、分けて読んでください。'
    : `limit と offset を指定して分けて読むか、GET ${view} を使ってください。`;

const tooManyRows = (rows: number, view: string | null) =>
  new Problem(
    'too_many_rows',
    `${numberOf(rows)}件あり、一度に返せる${numberOf(MAX_WHOLE_LIST_ROWS)}件を超えています。${wayOf(view)}`,
  );

function tooManyTargets(rows: number, columns: readonly string[] | undefined, view: string | null): Problem {
  const asked = TARGET_COLUMNS.find((name) => wantsColumn(columns, name));
  return new Problem(
    'too_many_rows',
    `${numberOf(rows)}件の ${asked} の宛先が、一度に返せる${numberOf(MAX_WHOLE_LIST_TARGETS)}件を超えています。${wayOf(view)}`,
  );
}
