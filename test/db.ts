import pg from 'pg';
import { afterAll, inject, onTestFinished } from 'vitest';
import { type AccountDb, accountDbOf } from '#server/platform/account-db.ts';
import { ROLES } from '#server/platform/database-roles.ts';
import { type Database, type Db, openDatabase } from '#server/platform/db.ts';
import { openAs } from './open-as.ts';

let serial = 0;

/**
 * `db` and `pool` are the owner's, whom row level security does not hold: for setting a scene and looking behind it.
 */
export interface TestDatabase extends Database {
  readonly url: string;
  /** As the program opens them, one a role. */
  readonly api: Db;
  readonly login: Db;
  readonly service: Database;
  /** What a request of this account gets; without a member, what a worker or an event gets. */
  readonly account: (accountId: number, memberId?: number) => AccountDb;
  /** Closes the pools and drops the database. */
  drop(): Promise<void>;
}

/** A fresh copy of the migrated template database. Made once a file (beforeAll) or once a test. */
export async function createTestDatabase(): Promise<TestDatabase> {
  serial += 1;
  const name = `kaitaku_test_${process.pid}_${serial}`;
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

/** The same for one test: dropped when it ends. */
export async function testDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database;
}

let ofFile: Promise<TestDatabase> | undefined;
afterAll(async () => (await ofFile)?.drop());

/**
 * One for all tests of a file, emptied each time it is asked for: the first use of a database takes most of a second.
 * For tests that leave nothing running and the schema as it is.
 */
export async function emptyDatabase(): Promise<TestDatabase> {
  ofFile ??= createTestDatabase();
  const database = await ofFile;
  await empty(database);
  return database;
}

/**
 * Takes all that belongs to any account out of a migrated database, and opens the way for mails. Asked by its owner; a
 * program may be running on it, and has no receipts of mails that are gone: it is another database from now on.
 */
export async function empty({ pool }: Pick<Database, 'pool'>): Promise<void> {
  // The trigger would empty tables that are being emptied.
  const statement = `
    ALTER TABLE prospect DISABLE TRIGGER keep_search_truncated;
    TRUNCATE account, prospect_search, rate_limit CASCADE;
    ALTER TABLE prospect ENABLE TRIGGER keep_search_truncated;
    UPDATE transport SET faults = 0, pauses = 0, paused_until = NULL, last_fault = NULL;
    UPDATE installation SET id = gen_random_uuid(), rewound_at = NULL, server_since = '-infinity'`;
  try {
    await pool.query(statement);
  } catch (error) {
    // A worker looks for mails while nobody sends any: whoever of the two is refused because they wait for each other
    // asks again.
    if ((error as { code?: unknown }).code !== DEADLOCK) throw error;
    await pool.query(statement);
  }
}

const DEADLOCK = '40P01';

async function admin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('adminUrl') });
  await client.connect();
  try {
    // Copying a template waits for nobody else to be connected to it: files that start together take turns.
    await client.query('SELECT pg_advisory_lock(4202612)');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
