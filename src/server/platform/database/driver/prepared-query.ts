import { CompiledQuery, type RawBuilder } from 'kysely';
import type { Db } from '../db.ts';
import { withHint } from './driver-hints.ts';

/*
 * Prepared statements: a connection plans their text once. That helps where planning takes longer than the work, and
 * where a plan for any values is as good as one for these (no LIMIT, LIKE or range).
 */

/**
 * Makes a function that runs `text` as a prepared statement.
 * For queries of every request: building such a query takes Kysely as long as running it takes PostgreSQL.
 * @param text SQL with $1, $2 … for the values
 */
export const preparedQuery =
  <Row>(name: string, text: string) =>
  async (db: Db, ...values: unknown[]): Promise<Row[]> =>
    (await db.executeQuery<Row>(withHint(CompiledQuery.raw(text, values), { kind: 'prepared', name }))).rows;

/**
 * Runs a query as a prepared statement.
 * Its text must be the same each time: the server refuses another text under the same name.
 */
export const runPrepared = async <Row>(db: Db, name: string, query: RawBuilder<Row>): Promise<Row[]> =>
  (await db.executeQuery(withHint(query.compile(db), { kind: 'prepared', name }))).rows;
