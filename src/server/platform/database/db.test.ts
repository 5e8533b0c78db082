import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { isDatabaseUnavailable, openDatabase, openListeningClient } from './db.ts';

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

test('an unreachable database is distinguished from a fault of ours', async () => {
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

test('a log-in that we break off for want of a password leaves no connection open', async () => {
  const authentication = (kind: number, text: string) => {
    const message = Buffer.alloc(9 + text.length, 'R');
    message.writeInt32BE(8 + text.length, 1);
    message.writeInt32BE(kind, 5);
    message.write(text, 9);
    return message;
  };
  // As PostgreSQL, which waits a minute for the answer.
  const answers = [authentication(10, 'SCRAM-SHA-256\0\0'), authentication(11, 'r=x,s=eA==,i=4096')];
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    const left = [...answers];
    socket.on('data', () => socket.write(left.shift() ?? '')).once('close', () => closed.resolve());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const url = `postgres://kaitaku@127.0.0.1:${(server.address() as AddressInfo).port}/kaitaku`;
  const { pool, close } = openDatabase(url);
  await expect(pool.query('SELECT 1')).rejects.toThrow('client password must be a string');
  await closed.promise;
  await close();
  await expect(openListeningClient(url).connect()).rejects.toThrow('client password must be a string');
});

/** Starts a server that answers the first message of a connection with an error, as a pooler does. */
async function pooler(severity: string, code: string): Promise<string> {
  const fields = Buffer.from(`S${severity}\0C${code}\0Mserver conn crashed?\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, fields])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `postgres://kaitaku@127.0.0.1:${(server.address() as AddressInfo).port}/kaitaku`;
}

describe('SQLSTATE 08P01', () => {
  test.each([
    ['FATAL', '08P01', true],
    ['ERROR', '08P01', false],
    ['FATAL', '08006', true],
    ['ERROR', '08006', true],
    ['FATAL', '57P01', true],
    ['ERROR', '42601', false],
  ])('of a pooler that says %s %s: unavailable %s', async (severity, code, isUnavailable) => {
    const { pool, close } = openDatabase(await pooler(severity, code));
    const error: unknown = await pool.query('SELECT 1').catch((fault: unknown) => fault);
    await close();
    expect(error).toMatchObject({ severity, code });
    expect(isDatabaseUnavailable(error)).toBe(isUnavailable);
  });

  test.each([65_536, 70_000])('of a statement with %i values is our fault', async (count) => {
    const { pool } = await emptyDatabase();
    const places = Array.from({ length: count }, (_, n) => `$${n + 1}`);
    const values = places.map(() => 1);
    const error: unknown = await pool.query(`SELECT 1 IN (${places.join()})`, values).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(pg.DatabaseError);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(08P01|54\d\d\d)$/) });
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
