import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';

/** A larger difference causes a warning. */
export const DIFFERENCE_SECONDS_MAX = 60;

/**
 * Returns by how many seconds the database's clock is ahead of this process's.
 * Leases, due times and open hours follow the database's clock; log-ins and screens the clock of `web`.
 */
export async function clockDifference(db: Db, now: () => number = Date.now): Promise<number> {
  const asked = now();
  const { rows } = await sql<{ at: number }>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS at`.execute(db);
  return (onlyRow(rows).at - (asked + now()) / 2) / 1000;
}

/** Returns a function that compares the clocks. It warns when they start to differ, and logs when they agree again. */
export function clockLook(db: Db, log: Pick<Logger, 'warn' | 'info'>, now = Date.now): () => Promise<void> {
  let differs = false;
  return async () => {
    const seconds = Math.round(await clockDifference(db, now));
    const before = differs;
    differs = Math.abs(seconds) > DIFFERENCE_SECONDS_MAX;
    if (differs && !before) log.warn({ secondsAhead: seconds }, CLOCKS_DIFFER);
    if (!differs && before) log.info({ secondsAhead: seconds }, "the database's clock and this machine's agree again");
  };
}

const CLOCKS_DIFFER =
  "the database's clock differs from this machine's; mails leave by the database's: set both by NTP";
