import { CompiledQuery, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { openAs } from '#test/open-as.ts';
import type { Db } from '../db.ts';
import type { Role } from '../roles/database-roles.ts';
import { withHint } from './driver-hints.ts';
import { compiledQuery, runPrepared } from './prepared-query.ts';

test('only a prepared query stays planned on its connection', async () => {
  const { db } = await emptyDatabase();
  await db.connection().execute(async (connection) => {
    const plain = sql`SELECT id FROM account WHERE id = ${1}`;
    await plain.execute(connection);
    await runPrepared(connection, 'one_account', plain);
    await runPrepared(connection, 'one_account', plain);
    // Other files have used the connection.
    const known = await sql<{ name: string }>`
      SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT id FROM account%'`.execute(connection);
    expect(known.rows).toStrictEqual([{ name: 'one_account' }]);
  });
});

test('one name of a prepared query cannot have two texts', async () => {
  const { db } = await emptyDatabase();
  await db.connection().execute(async (connection) => {
    await runPrepared(connection, 'same_name', sql`SELECT id FROM account`);
    await expect(runPrepared(connection, 'same_name', sql`SELECT company FROM account`)).rejects.toThrow('unique');
  });
});

test('a query that is compiled once takes the values of each call, in any order, beside its own', async () => {
  const { db } = await emptyDatabase();
  let builds = 0;
  const pair = compiledQuery<{ text: string }>('one_pair', 2, ([first, second]) => {
    builds += 1;
    return sql`SELECT concat(${second}::text, ${'-'}::text, ${first}::text, ${second}::text) AS text`;
  });
  expect(await pair(db, ['a', 'b'])).toStrictEqual([{ text: 'b-ab' }]);
  expect(await pair(db, ['c', null])).toStrictEqual([{ text: '-c' }]);
  expect(builds).toBe(1);
});

/** Runs `work` on one connection of a role. `state` returns the state of the connection in pg_stat_activity. */
async function oneConnection(
  { url, pool }: TestDatabase,
  role: Role,
  work: (connection: Db, state: () => Promise<string>) => Promise<void>,
) {
  const { db, close } = openAs(role, url, 1);
  onTestFinished(close);
  await db.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(connection);
    await work(connection, async () => {
      const activity = await pool.query('SELECT state FROM pg_stat_activity WHERE pid = $1', [rows[0]?.pid]);
      return activity.rows[0].state;
    });
  });
}

const one = sql<{ n: number }>`SELECT 1 AS n`;
const withNext = (text: string) => withHint(CompiledQuery.raw(text), { kind: 'with-next' });
const unawaited = (text: string) => withHint(CompiledQuery.raw(text), { kind: 'unawaited' });

test('with-next: the query is sent with the next one, not before', async () => {
  await oneConnection(await emptyDatabase(), 'api', async (connection, state) => {
    await connection.executeQuery(withNext('BEGIN'));
    expect(await state()).toBe('idle');
    expect((await one.execute(connection)).rows).toStrictEqual([{ n: 1 }]);
    expect(await state()).toBe('idle in transaction');
  });
});

test('with-next: a failing query fails the next one, with its own message', async () => {
  await oneConnection(await emptyDatabase(), 'api', async (connection) => {
    await connection.executeQuery(withNext('BEGIN; SELECT 1 / 0'));
    await expect(one.execute(connection)).rejects.toThrow('division by zero');
    await connection.executeQuery(CompiledQuery.raw('ROLLBACK'));
    expect((await one.execute(connection)).rows).toStrictEqual([{ n: 1 }]);
  });
});

test('unawaited: the query runs before the next one, whether it fails or not', async () => {
  const database = await emptyDatabase();
  const holder = await database.pool.connect();
  onTestFinished(() => holder.release());
  await holder.query('SELECT pg_advisory_lock(1)');
  await oneConnection(database, 'api', async (connection) => {
    await connection.executeQuery(unawaited('SELECT 1 / 0'));
    await connection.executeQuery(unawaited('SELECT pg_advisory_lock(1)'));
    const next = one.execute(connection);
    await holder.query('SELECT pg_advisory_unlock(1)');
    expect((await next).rows).toStrictEqual([{ n: 1 }]);
  });
});

test('a connection that cannot pipeline sends each query and waits, whatever the hint', async () => {
  await oneConnection(await emptyDatabase(), 'service', async (connection, state) => {
    await connection.executeQuery(withNext('BEGIN'));
    expect(await state()).toBe('idle in transaction');
    await expect(connection.executeQuery(unawaited('SELECT 1 / 0'))).rejects.toThrow('division by zero');
  });
});
