import { sql } from 'kysely';

/** Mails that have ended, of the row `d` of delivery. */
export const isCountedState = sql<boolean>`d.finished_at IS NOT NULL AND d.state IN ('sent', 'failed', 'unknown')`;

/** Mails that reports count: those of them that are no tests. */
export const isCounted = sql<boolean>`${isCountedState} AND NOT d.test_send_mode`;

/** Identifies the fold and the rebuild of the sums: they take turns. Any fixed number. */
const SUMS_LOCK = 4_202_615;

/** Locks the sums until the transaction ends, unless somebody else has. */
export const tryLockSums = sql<{ isLocked: boolean }>`
  SELECT pg_try_advisory_xact_lock(${sql.lit(SUMS_LOCK)}) AS "isLocked"`;
