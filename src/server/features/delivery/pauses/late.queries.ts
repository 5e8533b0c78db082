import { sql } from 'kysely';
import { mayLeaveAt } from '#domain/sending/sending-hours.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { ClaimedRow } from '../leases/claim.ts';
import { type KeptHours, secondsUntilOpen } from './retry.ts';

/** Whether a mail must wait for the next open time of its group. @param now epoch milliseconds */
export const isOutsideHours = ({ reservedFor, calendar }: KeptHours, now: number): boolean =>
  mayLeaveAt(now, reservedFor, calendar) > now;

/**
 * Defers the unsent mails of late reserved runs to the next sending hours.
 * Defers all of a run, so that no claim finds the rest of it; rows that others have locked are left to the next claim.
 * @param claims of one account
 * @returns the claims that stay
 */
export async function deferLateRuns(
  tx: Tx,
  claims: readonly ClaimedRow[],
  now: number,
): Promise<readonly ClaimedRow[]> {
  const late = claims.filter((claim) => isOutsideHours(claim, now));
  const [first] = late;
  if (!first) return claims;
  const runs = [...new Set(late.map(({ sendLogId }) => sendLogId))];
  const opensAt = sql`now() + make_interval(secs => ${secondsUntilOpen(0, now, first)})`;
  await sql`
    WITH waiting AS (
      SELECT account_id, id FROM delivery
      WHERE account_id = ${first.accountId} AND send_log_id = ANY (${runs}::bigint[])
        AND (state = 'claimed' OR state = 'queued' AND not_before < ${opensAt})
      ORDER BY account_id, id
      FOR UPDATE SKIP LOCKED
    )
    UPDATE delivery d SET state = 'queued', not_before = ${opensAt}, lease_until = NULL, worker_id = NULL
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
  return claims.filter((claim) => !late.includes(claim));
}
