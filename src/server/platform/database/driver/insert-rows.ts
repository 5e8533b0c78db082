import { type Insertable, type InsertQueryBuilder, type InsertResult, sql } from 'kysely';
import type { Tx } from '../db.ts';
import type { DB } from '../db-types.ts';

/** Rows per slice: each slice is one statement, followed by a turn of the event loop. */
export const SLICE_ROWS = 1000;

/** Splits rows into slices. An iterator's rows are made when their slice is taken. */
export function* slicesOf<Row>(rows: Iterable<Row>): Generator<readonly Row[]> {
  let slice: Row[] = [];
  for (const row of rows) {
    slice.push(row);
    if (slice.length < SLICE_ROWS) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/** The most characters of the long texts of one statement: they are encoded in one turn of the event loop. */
const SLICE_CHARACTERS = 1_000_000;

/** Splits rows with long texts into slices. @param lengthOf the characters of a row */
export function* slicesByLength<Row>(rows: readonly Row[], lengthOf: (row: Row) => number): Generator<readonly Row[]> {
  let [from, characters] = [0, 0];
  for (const [at, row] of rows.entries()) {
    const length = lengthOf(row);
    characters += length;
    if (characters <= SLICE_CHARACTERS || at === from) continue;
    yield rows.slice(from, at);
    [from, characters] = [at, length];
  }
  if (from < rows.length) yield rows.slice(from);
}

/**
 * Inserts rows in order, one statement per slice. Each statement binds one array per column, because it may bind at
 * most 65,535 values (decisions/database-connections).
 * @param types of the columns, such as `bigint`. An undefined value becomes null, never the column's default
 * @param finish adds the end of the statement, such as `RETURNING`
 * @returns the rows that all statements return
 */
export async function insertRows<Table extends keyof DB, Row extends Partial<Insertable<DB[Table]>>, Output>(
  tx: Tx,
  table: Table,
  types: Readonly<Record<keyof Row & string, string>>,
  rows: Iterable<Row>,
  finish: (insert: InsertQueryBuilder<DB, Table, InsertResult>) => { execute(): Promise<Output[]> },
): Promise<Output[]> {
  const columns = Object.keys(types) as (keyof Row & string)[];
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const written: Output[] = [];
  for (const slice of slicesOf(rows)) {
    const arrays = columns.map((column) => sql`${slice.map((row) => row[column])}::${sql.raw(types[column])}[]`);
    const given = sql`
      (SELECT ${names} FROM unnest(${sql.join(arrays)}) WITH ORDINALITY AS given (${names}, place) ORDER BY place)`;
    const insert = tx.insertInto(table).columns(columns as never);
    written.push(...(await finish(insert.expression(given as never)).execute()));
  }
  return written;
}
