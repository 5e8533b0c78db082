import { sql } from 'kysely';

/** Selects ended mails, of the row `d` of delivery. */
export const isCountedState = sql<boolean>`d.finished_at IS NOT NULL AND d.state IN ('sent', 'failed', 'unknown')`;

/** Selects the mails that reports count: ended ones that are no tests. */
export const isCounted = sql<boolean>`${isCountedState} AND NOT d.test_send_mode`;

/** The lock's key: a fold and a rebuild of the sums exclude each other. Any fixed number. */
const SUMS_LOCK = 4_202_615;

/** Locks the sums until the transaction ends, unless another process has. */
export const tryLockSums = sql<{ isLocked: boolean }>`
  SELECT pg_try_advisory_xact_lock(${sql.lit(SUMS_LOCK)}) AS "isLocked"`;
