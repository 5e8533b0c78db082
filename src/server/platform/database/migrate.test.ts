import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/db.ts';
import { makeInstallation } from '#test/installation.ts';
import { eventually, untilBlocked } from '#test/sending.ts';
import { StartupError } from '../startup-error.ts';
import { type Database, openDatabase } from './db.ts';
import { isBeginning, MigrationFault, migrate, newestVersion, readApplied } from './migrate.ts';
import { ensureRoles } from './roles/ensure-roles.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  return () => database.drop();
});

beforeEach(async () => {
  await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-migrations-'));
  return () => rm(folder, { recursive: true });
});

const write = (name: string, sql: string) => writeFile(join(folder, name), sql);
const versions = async () =>
  (await database.pool.query<{ version: number }>('SELECT version FROM schema_migration ORDER BY version')).rows.map(
    ({ version }) => version,
  );

test('applies each missing migration once, in order', async () => {
  await write('0001_baseline.sql', 'CREATE TABLE a (n integer)');
  expect(await migrate(database.pool, { folder })).toStrictEqual([1]);
  await write('0002_second.sql', 'ALTER TABLE a ADD COLUMN m integer');
  expect(await migrate(database.pool, { folder })).toStrictEqual([2]);
  expect(await migrate(database.pool, { folder })).toStrictEqual([]);
  expect(await versions()).toStrictEqual([1, 2]);
});

test('stops at the requested version', async () => {
  for (const n of [1, 2, 3])
    await write(`000${n}_${n === 1 ? 'baseline' : 'next'}.sql`, `CREATE TABLE t${n} (n integer)`);
  expect(await migrate(database.pool, { folder, to: 2 })).toStrictEqual([1, 2]);
  expect(await migrate(database.pool, { folder })).toStrictEqual([3]);
});

test('bad-inputs 130: ten processes at once apply each migration once', async () => {
  await write('0001_baseline.sql', 'CREATE TABLE a (n integer)');
  const applied = await Promise.all(Array.from({ length: 10 }, () => migrate(database.pool, { folder })));
  expect(applied.flat()).toStrictEqual([1]);
});

test('a process that starts while another migrates reports the wait, and then continues', async () => {
  await write('0001_baseline.sql', 'SELECT pg_advisory_xact_lock(7)');
  const held = await database.pool.connect();
  await held.query('SELECT pg_advisory_lock(7)');
  const waiters: string[] = [];
  const first = migrate(database.pool, { folder, onWait: () => waiters.push('first') });
  await untilBlocked(database);
  const second = migrate(database.pool, { folder, onWait: () => waiters.push('second') });
  await eventually(
    () => waiters,
    ({ length }) => length > 0,
  );
  held.release(true);
  expect([await first, await second]).toStrictEqual([[1], []]);
  expect(waiters).toStrictEqual(['second']);
});

test('a migration that a deadlock with an old program ends is applied again', async () => {
  await database.pool.query('CREATE TABLE a (n integer); CREATE TABLE b (n integer)');
  await write('0001_baseline.sql', 'LOCK TABLE a; SELECT pg_advisory_xact_lock(7); LOCK TABLE b');
  const [held, old] = [await database.pool.connect(), await database.pool.connect()];
  await held.query('SELECT pg_advisory_lock(7)');
  // The old program never looks for a deadlock: the migration is the one that is ended.
  await old.query(`BEGIN; SET LOCAL deadlock_timeout = '1h'; LOCK TABLE b`);
  const migrated = migrate(database.pool, { folder });
  await untilBlocked(database);
  const locked = old.query('LOCK TABLE a');
  await untilBlocked(database, 2);
  held.release(true);
  await locked;
  await old.query('COMMIT');
  old.release();
  expect(await migrated).toStrictEqual([1]);
});

test('a failed migration leaves no change', async () => {
  await write('0001_baseline.sql', 'CREATE TABLE a (n integer)');
  await write('0002_broken.sql', 'CREATE TABLE b (n integer); SELECT nonsense');
  await expect(migrate(database.pool, { folder })).rejects.toThrow('2_broken');
  expect(await versions()).toStrictEqual([1]);
  const { rows } = await database.pool.query(`SELECT to_regclass('b') AS b`);
  expect(rows).toStrictEqual([{ b: null }]);
});

test('two migrations with one number are both named, and none is applied', async () => {
  await write('0001_baseline.sql', 'CREATE TABLE a (n integer)');
  await write('0002_mine.sql', 'CREATE TABLE b (n integer)');
  await write('0002_yours.sql', 'CREATE TABLE c (n integer)');
  for (const ask of [() => migrate(database.pool, { folder }), () => newestVersion(folder)]) {
    const asked = ask();
    await expect(asked).rejects.toThrow(MigrationFault);
    await expect(asked).rejects.toThrow('0002_mine.sql and 0002_yours.sql have the same number');
  }
  expect((await database.pool.query(`SELECT to_regclass('a') AS a`)).rows).toStrictEqual([{ a: null }]);
});

test('a migration that comes after a newer one was applied is refused, not skipped', async () => {
  await write('0001_baseline.sql', 'CREATE TABLE a (n integer)');
  await write('0003_third.sql', 'CREATE TABLE c (n integer)');
  await migrate(database.pool, { folder });
  await write('0002_second.sql', 'CREATE TABLE b (n integer)');
  await expect(migrate(database.pool, { folder })).rejects.toThrow('2_second is older than 3');
});

test('bad-inputs 129: a database newer than the program is refused', async () => {
  await write('0001_baseline.sql', 'CREATE TABLE a (n integer)');
  await migrate(database.pool, { folder });
  await database.pool.query(`INSERT INTO schema_migration (version, name) VALUES (7, 'later')`);
  await expect(migrate(database.pool, { folder })).rejects.toThrow(StartupError);
  await expect(migrate(database.pool, { folder })).rejects.toThrow('データベース 7');
});

test('a database from before the first release is refused by its first migration, whatever its version', async () => {
  await write('0001_baseline.sql', 'CREATE TABLE a (n integer)');
  await migrate(database.pool, { folder });
  await database.pool.query(`UPDATE schema_migration SET name = 'accounts'`);
  await write('0002_next.sql', 'CREATE TABLE b (n integer)');
  for (const newest of [1, 77]) {
    await database.pool.query(`INSERT INTO schema_migration VALUES ($1, 'later') ON CONFLICT DO NOTHING`, [newest]);
    const refused = migrate(database.pool, { folder });
    await expect(refused).rejects.toThrow(StartupError);
    await expect(refused).rejects.toThrow('DATA_DIR に別のフォルダーを指定するか');
  }
  expect((await database.pool.query(`SELECT to_regclass('b') AS b`)).rows).toStrictEqual([{ b: null }]);
});

describe('a pre-release', () => {
  const COLUMNS = 'ALTER TABLE schema_migration ADD COLUMN prerelease text, ADD COLUMN hash text';
  const PRERELEASE = { program: '1.1.0-dev.52' };
  const stored = async () =>
    (await database.pool.query('SELECT version, prerelease, length(hash) AS hash FROM schema_migration ORDER BY 1'))
      .rows;

  beforeEach(async () => {
    await write('0001_baseline.sql', 'CREATE TABLE a (n integer)');
    await write('0002_first.sql', 'CREATE TABLE b (n integer)');
    await write('0003_prereleases.sql', COLUMNS);
  });

  test('writes down the hash of each migration, also of those before the columns; a release writes none', async () => {
    await migrate(database.pool, { folder, program: '1.1.0' });
    const bare = [1, 2, 3].map((version) => ({ version, prerelease: null, hash: null }));
    expect(await stored()).toStrictEqual(bare);
    await migrate(database.pool, { folder, ...PRERELEASE });
    const written = [1, 2, 3].map((version) => ({ version, prerelease: '1.1.0-dev.52', hash: 64 }));
    expect(await stored()).toStrictEqual(written);
    await write('0004_next.sql', 'CREATE TABLE d (n integer)');
    await migrate(database.pool, { folder, program: '1.1.0-dev.60' });
    expect(await stored()).toStrictEqual([...written, { version: 4, prerelease: '1.1.0-dev.60', hash: 64 }]);
  });

  test('before its database has the columns it writes nothing down', async () => {
    expect(await migrate(database.pool, { folder, to: 2, ...PRERELEASE })).toStrictEqual([1, 2]);
    expect(await migrate(database.pool, { folder, ...PRERELEASE })).toStrictEqual([3]);
    expect((await stored()).every(({ hash }) => hash === 64)).toBe(true);
  });

  test.each(['1.1.0', '1.1.0-dev.61'])('is named to %s, whose file of a number differs', async (program) => {
    await migrate(database.pool, { folder, ...PRERELEASE });
    await write('0004_next.sql', 'CREATE TABLE d (n integer)');
    await migrate(database.pool, { folder, program: '1.1.0-dev.60' });
    // The same files are the same schema.
    expect(await migrate(database.pool, { folder, program })).toStrictEqual([]);
    await write('0002_first.sql', 'CREATE TABLE b (n integer, more text)');
    await write('0005_last.sql', 'CREATE TABLE e (n integer)');
    const refused = migrate(database.pool, { folder, program });
    await expect(refused).rejects.toThrow(StartupError);
    await expect(refused).rejects.toThrow(/リリース前の版 1\.1\.0-dev\.52 .*マイグレーション 2）/);
    expect(await versions()).toStrictEqual([1, 2, 3, 4]);
  });

  test('is the same beginning as a release with its files, of a backup or another cell, and no other', async () => {
    await migrate(database.pool, { folder, program: '1.1.0' });
    const release = await readApplied(database.pool);
    await migrate(database.pool, { folder, ...PRERELEASE });
    const prerelease = await readApplied(database.pool);
    expect([isBeginning(release, prerelease), isBeginning(prerelease, release)]).toStrictEqual([true, true]);
    const other = prerelease.map((one) => ({ ...one, hash: 'of another file' }));
    expect([isBeginning(other, prerelease), isBeginning(prerelease, other)]).toStrictEqual([false, false]);
  });
});

test('the next migration changes the rows of a database of the first release', async () => {
  const { url, adminUrl, access, prefix, drop } = await makeInstallation();
  const [owner, admin] = [url, adminUrl].map((one) => openDatabase(one, { connections: 1 })) as [Database, Database];
  onTestFinished(async () => {
    for (const opened of [owner, admin]) await opened.close();
    await drop();
  });
  await ensureRoles(owner.pool, access);
  await cp(join(import.meta.dirname, '../../../../migrations/0001_baseline.sql'), join(folder, '0001_baseline.sql'));
  expect(await migrate(owner.pool, { folder, rolePrefix: prefix })).toStrictEqual([1]);
  // As a superuser: forced row level security hides all rows from the owner, who migrates.
  await admin.pool.query(`INSERT INTO account (company) VALUES ('甲')`);
  await write(
    '0002_next.sql',
    `ALTER TABLE account ADD COLUMN next text;
    ALTER TABLE account NO FORCE ROW LEVEL SECURITY;
    UPDATE account SET next = company;
    ALTER TABLE account FORCE ROW LEVEL SECURITY;
    GRANT UPDATE (next) ON account TO kaitaku_api;`,
  );
  expect(await migrate(owner.pool, { folder, rolePrefix: prefix })).toStrictEqual([2]);
  const { rows } = await admin.pool.query(
    `SELECT next, has_column_privilege($1, 'account', 'next', 'UPDATE') AS granted FROM account`,
    [`${prefix}_api`],
  );
  expect(rows).toStrictEqual([{ next: '甲', granted: true }]);
});
