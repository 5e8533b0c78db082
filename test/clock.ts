import { basename } from 'node:path';
import { sql } from 'kysely';
import type { TestDatabase } from './db.ts';

/**
 * Makes new connections read a clock that the test sets: the program's statements find this `now()` first.
 * The clock runs on from the instant that it was set to (epoch milliseconds), or stands still, so that no test depends
 * on the speed of the machine.
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
    GRANT USAGE ON SCHEMA clock TO PUBLIC;
    ALTER DATABASE ${basename(new URL(url).pathname)} SET search_path = clock, public, pg_catalog`);
  return async (instant) => {
    const value = stands
      ? sql`stands_at = to_timestamp(${instant / 1000})`
      : sql`shift = make_interval(secs => ${instant / 1000} - extract(epoch FROM pg_catalog.now()))`;
    await sql`UPDATE clock.setting SET ${value}`.execute(db);
  };
}
