import { basename } from 'node:path';
import { sql } from 'kysely';
import type { TestDatabase } from './db.ts';

/**
 * From here on whoever connects reads a clock that the test sets; statements of the program find this `now()` first. It
 * goes on by itself from the instant it was set to (epoch milliseconds).
 */
export async function databaseClock({ db, pool, url }: TestDatabase): Promise<(instant: number) => Promise<void>> {
  await pool.query(`
    CREATE SCHEMA clock;
    CREATE TABLE clock.shift AS SELECT interval '0' AS shift;
    CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE SECURITY DEFINER
      RETURN pg_catalog.now() + (SELECT shift FROM clock.shift);
    GRANT USAGE ON SCHEMA clock TO PUBLIC;
    ALTER DATABASE ${basename(new URL(url).pathname)} SET search_path = clock, public, pg_catalog`);
  return async (instant) => {
    const shift = sql`make_interval(secs => ${instant / 1000} - extract(epoch FROM pg_catalog.now()))`;
    await sql`UPDATE clock.shift SET shift = ${shift}`.execute(db);
  };
}
