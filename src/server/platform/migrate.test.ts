import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { eventually, untilBlocked } from '#test/sending.ts';
import { migrate } from './migrate.ts';
import { StartupError } from './startup-error.ts';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await testDatabase();
  await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-migrations-'));
  return () => rm(folder, { recursive: true });
});

const write = (name: string, sql: string) => writeFile(join(folder, name), sql);
const versions = async () =>
  (await database.pool.query<{ version: number }>('SELECT version FROM schema_migration ORDER BY version')).rows.map(
    ({ version }) => version,
  );

test('applies what is missing, once, in order', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  expect(await migrate(database.pool, { folder })).toStrictEqual([1]);
  await write('0002_second.sql', 'ALTER TABLE a ADD COLUMN m integer');
  expect(await migrate(database.pool, { folder })).toStrictEqual([2]);
  expect(await migrate(database.pool, { folder })).toStrictEqual([]);
  expect(await versions()).toStrictEqual([1, 2]);
});

test('ten processes at once apply each migration once', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(database.pool, { folder })));
  expect(applied.flat()).toStrictEqual([1]);
});

test('a process that comes while another migrates says so, waits, and goes on', async () => {
  await write('0001_slow.sql', 'SELECT pg_advisory_xact_lock(7)');
  const held = await database.pool.connect();
  await held.query('SELECT pg_advisory_lock(7)');
  const told: string[] = [];
  const first = migrate(database.pool, { folder, onWait: () => told.push('first') });
  await untilBlocked(database);
  const second = migrate(database.pool, { folder, onWait: () => told.push('second') });
  await eventually(
    () => told,
    ({ length }) => length > 0,
  );
  held.release(true);
  expect([await first, await second]).toStrictEqual([[1], []]);
  expect(told).toStrictEqual(['second']);
});

test('a migration that fails leaves nothing of itself', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  await write('0002_broken.sql', 'CREATE TABLE b (n integer); SELECT nonsense');
  await expect(migrate(database.pool, { folder })).rejects.toThrow('2_broken');
  expect(await versions()).toStrictEqual([1]);
  const { rows } = await database.pool.query(`SELECT to_regclass('b') AS b`);
  expect(rows).toStrictEqual([{ b: null }]);
});

test('a database newer than the program is refused', async () => {
  await write('0001_first.sql', 'CREATE TABLE a (n integer)');
  await migrate(database.pool, { folder });
  await database.pool.query(`INSERT INTO schema_migration (version, name) VALUES (7, 'later')`);
  await expect(migrate(database.pool, { folder })).rejects.toThrow(StartupError);
  await expect(migrate(database.pool, { folder })).rejects.toThrow('データベース 7');
});
