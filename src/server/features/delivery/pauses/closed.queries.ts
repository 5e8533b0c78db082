import { sql } from 'kysely';
import type { PausedBy } from '#domain/sending/delivery-state.ts';
import { type Calendar, mayLeaveAt } from '#domain/sending/sending-hours.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { ClaimedRow } from '../leases/claim.ts';
import { PAUSED } from '../leases/run-rows.queries.ts';

/** What decides when a mail may leave, as its claim has it. */
export interface KeptHours {
  readonly reservedFor: number | null;
  readonly calendar: Calendar | null;
}

/** Whether a mail must wait for the next open time of its group. @param now epoch milliseconds */
export const isOutsideHours = ({ reservedFor, calendar }: KeptHours, now: number): boolean =>
  mayLeaveAt(now, reservedFor, calendar) > now;

const DATES_OVER: PausedBy = 'dates_over';

/** While another transaction holds the run, its mails wait so long: a run is locked before its mails. */
const RUN_LOCKED_SECONDS = 5;

/**
 * Defers the unsent mails of runs whose group is closed to its next open time: all of a run, so that no claim finds the
 * rest of it. A mail that was never tried gets the date of that time. A run whose candidate dates would be over by then
 * is paused instead: a member decides. Rows that others have locked are left to the next claim.
 * @param claims of one account and group
 * @returns the claims that stay
 */
export async function deferClosedRuns(
  tx: Tx,
  claims: readonly ClaimedRow[],
  now: number,
): Promise<readonly ClaimedRow[]> {
  const closed = claims.filter((claim) => isOutsideHours(claim, now));
  const [first] = closed;
  if (!first) return claims;
  const runs = [...new Set(closed.map(({ sendLogId }) => sendLogId))];
  const seconds = (mayLeaveAt(now, first.reservedFor, first.calendar) - now) / 1000;
  const opensAt = sql`now() + make_interval(secs => ${Math.ceil(seconds)})`;
  await sql`
    WITH over AS MATERIALIZED (
      SELECT id FROM send_log
      WHERE account_id = ${first.accountId} AND id = ANY (${runs}::bigint[]) AND dates_until <= ${opensAt}
    ), locked AS MATERIALIZED (
      SELECT id FROM send_log
      WHERE account_id = ${first.accountId} AND id = ANY (ARRAY(SELECT id FROM over))
      ORDER BY id
      FOR NO KEY UPDATE SKIP LOCKED
    ), paused AS (
      UPDATE send_log SET paused_by = ${DATES_OVER}
      WHERE account_id = ${first.accountId} AND id IN (SELECT id FROM locked) AND paused_by IS NULL
    ), waiting AS (
      SELECT account_id, id,
        CASE WHEN send_log_id IN (SELECT id FROM locked) THEN ${PAUSED}
          WHEN send_log_id IN (SELECT id FROM over) THEN now() + make_interval(secs => ${RUN_LOCKED_SECONDS})
          ELSE ${opensAt} END AS until
      FROM delivery
      WHERE account_id = ${first.accountId} AND send_log_id = ANY (${runs}::bigint[])
        AND (state = 'claimed' OR state = 'queued' AND not_before < ${PAUSED}
          AND (not_before < ${opensAt} OR send_log_id IN (SELECT id FROM locked)))
      ORDER BY account_id, id
      FOR UPDATE SKIP LOCKED
    )
    UPDATE delivery d SET state = 'queued', not_before = waiting.until, lease_until = NULL, worker_id = NULL,
      put_off = CASE WHEN waiting.until < ${PAUSED} THEN 'hours' END,
      mail_date = CASE WHEN d.attempts = 0 AND NOT d.maybe_sent AND waiting.until < ${PAUSED} THEN waiting.until
        ELSE d.mail_date END
    FROM waiting WHERE d.account_id = waiting.account_id AND d.id = waiting.id`.execute(tx);
  return claims.filter((claim) => !closed.includes(claim));
}
