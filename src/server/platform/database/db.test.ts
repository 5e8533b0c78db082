import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { isDatabaseUnavailable, openDatabase } from './db.ts';

test('a connection that the server ends within a transaction fails the next query and nothing else', async () => {
  const { service, pool } = await emptyDatabase();
  await service.db.connection().execute(async (connection) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(connection);
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await sleep(100);
    await expect(sql`SELECT 1`.execute(connection)).rejects.toThrow();
  });
  await expect(sql`SELECT 1`.execute(service.db)).resolves.toMatchObject({ rows: [{}] });
});

test('a database that is not there is told from a fault of ours', async () => {
  const away = openDatabase('postgres://kaitaku@127.0.0.1:1/kaitaku');
  const refused: unknown = await away.pool.query('SELECT 1').catch((error: unknown) => error);
  await away.close();
  expect(isDatabaseUnavailable(refused)).toBe(true);
  const { pool } = await emptyDatabase();
  const killed: unknown = await pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch((error) => error);
  expect(isDatabaseUnavailable(killed)).toBe(true);
  const wrong: unknown = await pool.query('SELECT nonsense').catch((error: unknown) => error);
  expect(isDatabaseUnavailable(wrong)).toBe(false);
  expect(isDatabaseUnavailable(new TypeError('x is not a function'))).toBe(false);
});
