import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '#server/platform/db.ts';

let serial = 0;

export interface TestDatabase extends Database {
  readonly url: string;
  /** Closes the pool and drops the database. */
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
  const drop = async () => {
    await database.close();
    await admin(`DROP DATABASE ${name} WITH (FORCE)`);
  };
  return { ...database, url: url.href, drop };
}

/** The same for one test: dropped when it ends. */
export async function testDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  return database;
}

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
