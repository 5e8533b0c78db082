import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { type AccountDb, accountDbOf } from '#server/platform/database/account-db.ts';
import { type Database, type Db, openDatabase } from '#server/platform/database/db.ts';
import { ROLES } from '#server/platform/database/roles/database-roles.ts';
import { openAs } from './open-as.ts';

/**
 * A database for tests.
 * `db` and `pool` belong to the owner, who bypasses row level security: for set-up, and for checking results.
 */
export interface TestDatabase extends Database {
  readonly url: string;
  /** The pools that the program opens, one for each role. */
  readonly api: Db;
  readonly login: Db;
  readonly service: Database;
  /** Returns the database for a request of this member; without a member, for a worker or an event. */
  readonly account: (accountId: number, memberId?: number) => AccountDb;
  /** Closes the pools and drops the database. */
  drop(): Promise<void>;
}

/** Creates a database as a copy of the migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = inject('testDatabases') + randomUUID().replaceAll('-', '');
  await admin(`CREATE DATABASE ${name} TEMPLATE ${inject('template')}`);
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${name}`;
  const database = openDatabase(url.href);
  await database.pool.query('UPDATE installation SET id = gen_random_uuid()');
  const [api, login, service] = ROLES.map((role) => openAs(role, url.href, 4)) as [Database, Database, Database];
  const drop = async () => {
    for (const opened of [database, api, login, service]) await opened.close();
    await admin(`DROP DATABASE ${name} WITH (FORCE)`);
  };
  const account = (accountId: number, memberId?: number) => accountDbOf(api.db)(accountId, memberId ?? null);
  return { ...database, url: url.href, api: api.db, login: login.db, service, account, drop };
}

/** Creates a database for one test, and drops it at the end. */
export async function testDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database;
}

let shared: Promise<TestDatabase> | undefined;

/**
 * Returns the database that all tests of a worker share, emptied each time; test/global-setup.ts drops it.
 * Shared because the first use of a database takes most of a second. For tests that leave nothing running and do not
 * change the schema.
 */
export async function emptyDatabase(): Promise<TestDatabase> {
  shared ??= createTestDatabase();
  const database = await shared;
  await empty(database);
  return database;
}

/**
 * Deletes all rows of accounts from a migrated database, and resets the transport.
 * Needs the owner's pool; a program may be running on the database. The database gets a new identity, so that receipts
 * of deleted mails do not apply to it.
 */
export async function empty({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const truncation = truncationOf(await prepareDeletion(pool));
  let statement = (await mustTruncate(pool)) ? truncation : DELETION;
  for (let tries = 1; ; tries += 1) {
    try {
      await pool.query(statement);
      return;
    } catch (error) {
      // An idle worker may query meanwhile, at each try: after a deadlock, or a row that was inserted during the
      // deletion, try again.
      const code = (error as { code?: string }).code ?? '';
      if (tries === TRIES || ![DEADLOCK, STILL_REFERENCED].includes(code)) throw error;
      statement = truncation;
    }
  }
}

const RESET = `
  UPDATE transport SET faults = 0, pauses = 0, limit_suspected = false, limited_until = NULL, connections_max = NULL,
    connections_at = NULL, paused_until = NULL, last_fault = NULL, max_mail_bytes = NULL, max_mail_bytes_of = NULL,
    probe_account_id = NULL, probe_delivery_id = NULL, probe_claim_no = NULL;
  UPDATE installation SET id = gen_random_uuid(), rewound_at = NULL, server = NULL, server_since = '-infinity',
    held_at = NULL, domain_round_at = 'epoch', secret_key = NULL;`;

/** Returns a TRUNCATE of these tables. Some have no foreign key for CASCADE, so the statement names all of them. */
const truncationOf = (names: readonly string[]) => `
  ALTER TABLE prospect DISABLE TRIGGER keep_search_truncated;
  TRUNCATE ${names.join(', ')};
  ALTER TABLE prospect ENABLE TRIGGER keep_search_truncated;
  ${RESET}`;

/** At a load of many, the second try can meet a deadlock too. */
const TRIES = 10;
const DEADLOCK = '40P01';
const STILL_REFERENCED = '23503';

/** TRUNCATE from this size on. DELETE takes 3 ms instead of 45 (decisions/tests), but leaves the pages. */
const LARGE_BYTES = 2 * 2 ** 20;

const DELETION = 'SELECT testing.delete_accounts()';

/** Caches the tables of accounts by pool: they do not change, and finding them costs as much as deleting their rows. */
const tablesOf = new WeakMap<pg.Pool, readonly string[]>();

/**
 * Creates the function of DELETION once a pool.
 * A connection plans the statements of a function once, and planning takes longer than deleting a few rows.
 * @returns the tables of accounts
 */
async function prepareDeletion(pool: pg.Pool): Promise<readonly string[]> {
  const known = tablesOf.get(pool);
  if (known) return known;
  const names = await accountTables(pool);
  await pool.query(`
    CREATE SCHEMA IF NOT EXISTS testing;
    CREATE OR REPLACE FUNCTION testing.delete_accounts() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      ${names.map((name) => `DELETE FROM ${name};`).join('\n')}
      ${RESET}
    END $$`);
  tablesOf.set(pool, names);
  return names;
}

/** Tables without rows of accounts. */
const KEPT = `'installation', 'schema_migration', 'transport'`;

/** Returns the tables of accounts, each before the tables that it references. */
async function accountTables(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    WITH RECURSIVE referring (id, depth) AS (
      SELECT oid, 0 FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      UNION
      SELECT conrelid, depth + 1 FROM referring
      JOIN pg_constraint ON confrelid = id AND contype = 'f' AND conrelid <> confrelid
    )
    SELECT relname AS name
    FROM referring JOIN pg_class ON oid = id
    WHERE relname NOT IN (${KEPT})
    GROUP BY oid ORDER BY max(depth) DESC`);
  return rows.map(({ name }) => name);
}

/** Whether tables are large, or have planner statistics: TRUNCATE resets these, DELETE does not. */
async function mustTruncate(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ must: boolean }>(
    `SELECT sum(pg_relation_size(oid)) > $1 OR bool_or(reltuples > 0) AS must FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND relname NOT IN (${KEPT})`,
    [LARGE_BYTES],
  );
  return rows[0]?.must === true;
}

async function admin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('adminUrl') });
  await client.connect();
  try {
    // A template can be copied only while it has no connections, so files that start together take turns.
    await client.query('SELECT pg_advisory_lock(4202612)');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
