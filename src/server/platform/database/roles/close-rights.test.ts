import { basename } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { createTestDatabase, testDatabase } from '#test/db.ts';
import { importerOf } from '#test/imports.ts';
import { asAdmin, ask, makeInstallation } from '#test/installation.ts';
import { accessTo } from '#test/open-as.ts';
import { startProgram } from '#test/program.ts';
import { addTenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { untilBlocked } from '#test/sending.ts';
import { openDatabase } from '../db.ts';
import { closeRights, type OpenRights } from './close-rights.ts';
import type { DatabaseAccess } from './database-access.ts';
import { ROLES } from './database-roles.ts';

/** Prepares a database as a start does. @returns what was reported to an administrator, each time */
async function reportsOf(access: DatabaseAccess): Promise<OpenRights[]> {
  const reports: OpenRights[] = [];
  await prepareDatabase(access, { onOpenRights: (open) => void reports.push(open) });
  return reports;
}

/** The large-object functions of every supported version, each with arguments that it would take. */
const LARGE_OBJECTS = [
  'lo_creat(-1)',
  'lo_create(0)',
  `lo_from_bytea(0, 'x')`,
  `lo_put(1, 0, 'x')`,
  'lo_get(1)',
  'lo_get(1, 0, 1)',
  'lo_open(1, 131072)',
  'lo_close(0)',
  'loread(0, 1)',
  `lowrite(0, 'x')`,
  'lo_lseek(0, 0, 0)',
  'lo_lseek64(0, 0, 0)',
  'lo_tell(0)',
  'lo_tell64(0)',
  'lo_truncate(0, 0)',
  'lo_truncate64(0, 0)',
  'lo_unlink(1)',
  `lo_import('/etc/hostname')`,
  `lo_export(1, '/tmp/x')`,
].map((call) => `SELECT ${call}`);

const OBJECTS = [
  'CREATE TEMPORARY TABLE prospect (id bigint)',
  'SELECT 1 AS id INTO TEMPORARY prospect',
  'CREATE TEMPORARY VIEW prospect AS SELECT 1',
  'CREATE TEMPORARY SEQUENCE numbers',
  'CREATE FUNCTION pg_temp.now() RETURNS timestamptz LANGUAGE sql RETURN NULL',
  'CREATE TABLE public.stolen (data text)',
  'CREATE FUNCTION public.stolen() RETURNS text LANGUAGE sql RETURN NULL',
  'CREATE SCHEMA stolen',
];

test('an injected statement makes no temporary table, large object, table or schema', async () => {
  const { url, pool } = await testDatabase();
  // As in a database that comes from PostgreSQL 14, with rights that somebody gave to single roles.
  await pool.query(`
    GRANT CREATE ON SCHEMA public TO PUBLIC;
    GRANT ALL ON DATABASE ${basename(url)} TO PUBLIC, kaitaku_api, kaitaku_login;
    GRANT EXECUTE ON FUNCTION lo_create(oid) TO kaitaku_api, kaitaku_service`);
  expect(await reportsOf(accessTo(url))).toStrictEqual([]);
  for (const role of ROLES) {
    const client = new pg.Client({ connectionString: accessTo(url).urlOf(role) });
    await client.connect();
    const statements = role === 'service' ? LARGE_OBJECTS : [...LARGE_OBJECTS, ...OBJECTS];
    for (const statement of statements) {
      await expect(client.query(statement), `${role}: ${statement}`).rejects.toMatchObject({ code: '42501' });
    }
    await client.end();
  }
  const { rows } = await pool.query<{ name: string }>(
    `SELECT DISTINCT proname AS name FROM pg_proc
     WHERE pronamespace = 'pg_catalog'::regnamespace AND prosrc ~ '^be_lo'`,
  );
  for (const { name } of rows)
    expect(
      LARGE_OBJECTS.some((call) => call.includes(`${name}(`)),
      name,
    ).toBe(true);
});

test('an import and its undo work, and a temporary table hides no table', async () => {
  const database = await testDatabase();
  await prepareDatabase(accessTo(database.url));
  const tenant = await addTenant(database.db);
  const by = await importerOf(database, tenant);
  const id = await by.importText('会社名,代表者\n甲,田中\n');
  expect(await by.job(`/import/${id}/undo`)).toMatchObject({ state: 'done' });
  expect((await by.read(id)).undone).toMatchObject({ removed: 1 });
  const service = await database.service.pool.connect();
  await service.query('CREATE TEMPORARY TABLE prospect (id bigint)');
  const { rows } = await service.query(
    `SELECT relnamespace::regnamespace::text AS schema FROM pg_class WHERE oid = 'prospect'::regclass`,
  );
  service.release();
  expect(rows).toStrictEqual([{ schema: 'public' }]);
});

describe('the search path of the service', () => {
  let url: string;
  let pool: pg.Pool;

  beforeAll(async () => {
    const database = await createTestDatabase();
    ({ url, pool } = database);
    return () => database.drop();
  });

  /** Sets search paths on a connection of its own. @param statements `d` stands for the database */
  async function setPaths(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const statement of statements)
      await client.query(statement.replace('DATABASE d', `DATABASE ${basename(url)}`));
    await client.end();
  }

  const RESET = ['ALTER DATABASE d RESET search_path', 'ALTER ROLE kaitaku_service IN DATABASE d RESET search_path'];
  const ROLE_HERE = 'ALTER ROLE kaitaku_service IN DATABASE d SET search_path =';
  const DATABASE = 'ALTER DATABASE d SET search_path =';
  const close = async () => {
    const { open, reset } = await closeRights(pool, accessTo(url));
    expect(open).toBeNull();
    return reset;
  };

  async function pathOfService(): Promise<string | undefined> {
    const [row] = await ask<{ search_path: string }>(accessTo(url).urlOf('service'), 'SHOW search_path');
    return row?.search_path;
  }

  test.each<[string, string[], string]>([
    ['the server', [], '"$user", public, pg_temp'],
    [
      'the database',
      ['ALTER DATABASE d SET search_path = clock, public, pg_catalog'],
      'clock, public, pg_catalog, pg_temp',
    ],
    [
      'the database, not those that the role has stored with itself',
      ['ALTER DATABASE d SET search_path = three, public', `${ROLE_HERE} one, two, pg_temp`],
      'three, public, pg_temp',
    ],
    ['a path with pg_temp first', [`${DATABASE} pg_temp, public`], 'public, pg_temp'],
    ['a path with pg_temp last', [`${DATABASE} public, pg_temp`], 'public, pg_temp'],
    ['names in quotes', [`${DATABASE} "My ""Own"", schema", public`], '"My ""Own"", schema", public, pg_temp'],
    ['an empty path', [`${DATABASE} ''`], '"", pg_temp'],
    [
      'a text that would be SQL',
      [
        `SELECT set_config('search_path', 'public;ALTER/**/ROLE/**/kaitaku_api/**/SUPERUSER', false)`,
        'ALTER DATABASE d SET search_path FROM CURRENT',
      ],
      '"public;alter/**/role/**/kaitaku_api/**/superuser", pg_temp',
    ],
  ])('keeps the schemas of %s, and ends in pg_temp', async (_, statements, expected) => {
    await setPaths(...RESET, ...statements);
    for (const _time of ['first', 'second']) {
      await close();
      expect(await pathOfService()).toBe(expected);
    }
  });

  test('follows a path that the database gets later', async () => {
    await setPaths(...RESET);
    await close();
    await setPaths('ALTER DATABASE d SET search_path = clock, public');
    // The log has the one that was replaced.
    const before = { role: 'kaitaku_service', name: 'search_path', value: `"$user", public, pg_temp` };
    expect(await close()).toStrictEqual([before]);
    expect(await pathOfService()).toBe('clock, public, pg_temp');
    expect(await close()).toStrictEqual([]);
  });

  test('is set by the role itself where the process does not know the owner', async () => {
    await setPaths(...RESET);
    const worker = { owner: null, rolePrefix: 'kaitaku', roles: ['service'], urlOf: accessTo(url).urlOf } as const;
    expect(await reportsOf(worker)).toStrictEqual([]);
    expect(await pathOfService()).toBe('"$user", public, pg_temp');
  });
});

describe('a user who may not change all rights', () => {
  const installation = async () => {
    const made = await makeInstallation();
    onTestFinished(made.drop);
    return made;
  };

  /** Runs what was reported as an administrator of the database. */
  const runAsAdmin = async (adminUrl: string, [open]: OpenRights[]) => {
    for (const statement of open?.statements ?? []) await ask(adminUrl, statement);
  };

  test('starts with one line of the log, and without one after the SQL of migrate', async () => {
    const { url, adminUrl, owner } = await installation();
    const env = { DATABASE_URL: url, DATABASE_ROLE_PREFIX: owner };
    const { code, out } = await runCommand(['migrate'], env);
    expect([code, out.split('\n')]).toStrictEqual([
      0,
      [
        expect.stringContaining('REVOKE EXECUTE ON FUNCTION lo_'),
        expect.stringMatching(/^データベースは版 \d+ です。$/),
        '',
      ],
    ]);
    expect(out).not.toContain('取り込み');
    // The owner of the database may change the rest.
    expect(out).not.toMatch(/TEMPORARY|search_path/);

    const worker = startProgram(['worker'], { ...env, SMTP_URL: 'smtp://127.0.0.1:1', DATA_DIR: '/nowhere' });
    onTestFinished(() => void worker.child.kill('SIGKILL'));
    await worker.until('worker started');
    const lines = worker
      .output()
      .split('\n')
      .filter((line) => line.includes('REVOKE'));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        level: 40,
        sql: expect.stringContaining('REVOKE EXECUTE ON FUNCTION lo_'),
        msg: expect.stringContaining('administrator'),
      },
    ]);

    await ask(adminUrl, out.slice(out.indexOf('REVOKE'), out.indexOf('\n')));
    expect((await runCommand(['migrate'], env)).out).toMatch(/^データベースは版 \d+ です。\n$/);
  });

  test('who does not own the database is told all of it, and that imports fail', async () => {
    const { access, adminUrl, owner, prefix } = await installation();
    await prepareDatabase(access);
    // As on a server whose administrator owns the database, and has closed it already.
    await ask(adminUrl, `ALTER DATABASE ${owner} OWNER TO CURRENT_USER; GRANT CREATE ON SCHEMA public TO ${owner}`);
    await asAdmin(`REVOKE TEMPORARY ON DATABASE ${owner} FROM PUBLIC, ${prefix}_service`);
    const reports = await reportsOf(access);
    expect(reports).toMatchObject([{ importsFail: true, error: undefined }]);
    expect(reports[0]?.statements.map((statement) => statement.split(' ', 2).join(' ')).toSorted()).toStrictEqual([
      'GRANT TEMPORARY',
      'REVOKE EXECUTE',
    ]);
    await runAsAdmin(adminUrl, reports);
    expect(await reportsOf(access)).toStrictEqual([]);
    await ask(access.urlOf('service'), 'CREATE TEMPORARY TABLE import_batch (id bigint)');
  });

  test('an error that the catalog does not foretell is reported, and the start continues', async () => {
    const { access, url } = await installation();
    await prepareDatabase(access);
    await ask(url, `GRANT TEMPORARY ON DATABASE ${access.rolePrefix} TO PUBLIC`);
    const readOnly = new URL(url);
    readOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    const { pool, close } = openDatabase(readOnly.href, { connections: 1 });
    onTestFinished(close);
    expect(await closeRights(pool, access)).toMatchObject({ open: { error: { code: '25006' } } });
  });
});

test('a start waits for another that changes the same rights, and continues', async () => {
  const { url, pool } = await testDatabase();
  const other = await pool.connect();
  await other.query(`BEGIN; REVOKE TEMPORARY ON DATABASE ${basename(url)} FROM PUBLIC`);
  const start = reportsOf(accessTo(url));
  await untilBlocked({ pool });
  await other.query('COMMIT');
  other.release();
  expect(await start).toStrictEqual([]);
});
