import { sql } from 'kysely';
import { mayLeaveAt } from '#domain/open-time.ts';
import type { Tx } from '../../platform/db.ts';
import type { ClaimedRow } from './claim.ts';
import { secondsUntilOpen } from './retry.ts';

/** Of a reserved run that may not send at this hour any more. @param now epoch milliseconds */
export const isPutOff = ({ reservedFor }: Pick<ClaimedRow, 'reservedFor'>, now: number): boolean =>
  mayLeaveAt(now, reservedFor) > now;

/**
 * Has what has not begun of reserved runs that are late wait until mail may be reserved again; whole runs, so that no claim finds the rest
 * of them. Rows that others have locked are found by the next claim. @param claims of one account @returns the claims that stay
 */
export async function putOffLate(tx: Tx, claims: readonly ClaimedRow[], now: number): Promise<readonly ClaimedRow[]> {
  const late = claims.filter((claim) => isPutOff(claim, now));
  const [first] = late;
  if (!first) return claims;
  const runs = [...new Set(late.map(({ sendLogId }) => sendLogId))];
  const opens = sql`now() + make_interval(secs => ${secondsUntilOpen(0, now, first.reservedFor)})`;
  await sql`
    WITH waiting AS (
      SELECT account_id, id FROM delivery
      WHERE account_id = ${first.accountId} AND send_log_id = ANY (${runs}::bigint[])
        AND (state = 'claimed' OR state = 'queued' AND not_before < ${opens})
      ORDER BY account_id, id
      FOR UPDATE SKIP LOCKED
    )
    UPDATE delivery d SET state = 'queued', not_before = ${opens}, lease_until = NULL, worker_id = NULL
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
  return claims.filter((claim) => !late.includes(claim));
}
