import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { type AccountDb, accountDbOf } from '#server/platform/account-db.ts';
import { ROLES } from '#server/platform/database-roles.ts';
import { type Database, type Db, openDatabase } from '#server/platform/db.ts';
import { openAs } from './open-as.ts';

/**
 * A database for tests.
 * `db` and `pool` belong to the owner, whom row level security does not limit: for setting up a scene and checking its
 * result.
 */
export interface TestDatabase extends Database {
  readonly url: string;
  /** The pools as the program opens them, one for each role. */
  readonly api: Db;
  readonly login: Db;
  readonly service: Database;
  /** The database as a request of this member gets it; without a member, as a worker or an event does. */
  readonly account: (accountId: number, memberId?: number) => AccountDb;
  /** Closes the pools and drops the database. */
  drop(): Promise<void>;
}

/** Creates a copy of the migrated template database. */
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

/** Creates such a copy for one test, and drops it at the end. */
export async function testDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database;
}

let shared: Promise<TestDatabase> | undefined;

/**
 * Returns the database that all tests of a worker share, emptied each time; test/global-setup.ts drops it.
 * The first use of a database takes most of a second. For tests that leave nothing running and do not change the
 * schema.
 */
export async function emptyDatabase(): Promise<TestDatabase> {
  shared ??= createTestDatabase();
  const database = await shared;
  await empty(database);
  return database;
}

/**
 * Deletes all rows of accounts from a migrated database, and resets the transport.
 * Called as its owner while a program may be running on it. The database gets a new identity, so that receipts of
 * deleted mails do not apply to it.
 */
export async function empty({ pool }: Pick<Database, 'pool'>): Promise<void> {
  // The trigger would truncate tables that this statement already truncates.
  const statement = `
    ALTER TABLE prospect DISABLE TRIGGER keep_search_truncated;
    TRUNCATE account, prospect_search, rate_limit CASCADE;
    ALTER TABLE prospect ENABLE TRIGGER keep_search_truncated;
    UPDATE transport SET faults = 0, pauses = 0, paused_until = NULL, last_fault = NULL;
    UPDATE installation SET id = gen_random_uuid(), rewound_at = NULL, server_since = '-infinity'`;
  try {
    await pool.query(statement);
  } catch (error) {
    // An idle worker still looks for mails: after a deadlock the one that was rolled back tries again.
    if ((error as { code?: unknown }).code !== DEADLOCK) throw error;
    await pool.query(statement);
  }
}

const DEADLOCK = '40P01';

async function admin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('adminUrl') });
  await client.connect();
  try {
    // A template can be copied only while nobody is connected to it: files that start together take turns.
    await client.query('SELECT pg_advisory_lock(4202612)');
    await client.query(sql);
  } finally {
    await client.end();
  }
}
