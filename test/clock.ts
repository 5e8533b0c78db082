import { basename } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect } from 'vitest';
import { createTestDatabase, empty, type TestDatabase } from './db.ts';

/**
 * Makes new connections use a clock that the test sets: its `now()` and `clock_timestamp()` replace PostgreSQL's. The
 * clock runs on from the set instant (epoch milliseconds), or stands still, so that no test depends on the speed of
 * the machine.
 */
export async function databaseClock(
  { db, pool, url }: TestDatabase,
  { stands = false } = {},
): Promise<(instant: number) => Promise<void>> {
  await pool.query(`
    CREATE SCHEMA clock;
    CREATE TABLE clock.setting AS SELECT interval '0' AS shift, NULL::timestamptz AS stands_at;
    CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE SECURITY DEFINER
      RETURN (SELECT coalesce(stands_at, pg_catalog.now() + shift) FROM clock.setting);
    CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE SECURITY DEFINER
      RETURN (SELECT coalesce(stands_at, pg_catalog.clock_timestamp() + shift) FROM clock.setting);
    GRANT USAGE ON SCHEMA clock TO PUBLIC;
    ALTER DATABASE ${basename(new URL(url).pathname)} SET search_path = clock, public, pg_catalog`);
  return async (instant) => {
    const value = stands
      ? sql`stands_at = to_timestamp(${instant / 1000})`
      : sql`shift = make_interval(secs => ${instant / 1000} - extract(epoch FROM pg_catalog.now()))`;
    await sql`UPDATE clock.setting SET ${value}`.execute(db);
  };
}

/** Reads a time in Tokyo, as `2026-11-20T20:00:00`. @returns epoch milliseconds */
export const tokyo = (text: string): number => Date.parse(`${text}+09:00`);

/** Matches an instant within a few seconds of a time in Tokyo. */
export const near = (text: string): unknown => expect.closeTo(tokyo(text), -4);

interface SharedClock {
  readonly database: TestDatabase;
  /** The time of the program and the database, epoch milliseconds. */
  readonly now: number;
  /** Sets both clocks to a time in Tokyo, and stops them. */
  goTo(text: string): Promise<void>;
}

/** Gives the tests of a file a database, emptied before each, and one clock for both it and the program. */
export function shareClock(): SharedClock {
  let database: TestDatabase;
  let setDatabaseClock: (instant: number) => Promise<void>;
  let now = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    setDatabaseClock = await databaseClock(database, { stands: true });
    return () => database.drop();
  });
  beforeEach(() => empty(database));
  return {
    get database() {
      return database;
    },
    get now() {
      return now;
    },
    async goTo(text) {
      now = tokyo(text);
      await setDatabaseClock(now);
    },
  };
}
