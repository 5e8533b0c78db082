import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';

/** A round takes some seconds. After this time its worker counts as dead. */
const ROUND_SECONDS = 60;
/** The pause between rounds of all processes. With it an account has no more checks a minute than a member may ask. */
const PAUSE_SECONDS = 8;

/** Begins a round of checks. @returns false: another process has one, or its pause is not over */
export async function beginRound(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set({ domain_round_at: inSeconds(ROUND_SECONDS) })
    .where('domain_round_at', '<=', sql<Date>`now()`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a round: the next one begins after a pause, in any process. */
export async function endRound(db: Db): Promise<void> {
  await db
    .updateTable('installation')
    .set({ domain_round_at: inSeconds(PAUSE_SECONDS) })
    .execute();
}

const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${sql.lit(seconds)})`;
