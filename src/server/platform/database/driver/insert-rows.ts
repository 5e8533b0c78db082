import { type Insertable, type InsertQueryBuilder, type InsertResult, sql } from 'kysely';
import type { Tx } from '../db.ts';
import type { DB } from '../db-types.ts';

/** Work on many rows is cut into slices of this size: a statement each, and a turn of the event loop between two. */
export const SLICE_ROWS = 1000;

/** Cuts rows into slices. Rows of an iterator are made when their slice is taken. */
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

/**
 * Inserts rows in their order, a slice a statement. A statement binds an array a column, because it may bind no more
 * than 65,535 values (decisions/database-connections).
 * @param types of the columns, such as `bigint`. A value that is undefined becomes null, never the column's default
 * @param finish adds the end of the statement, such as `RETURNING`
 * @returns what all statements return
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
