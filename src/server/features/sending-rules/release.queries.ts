import { type Expression, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

/**
 * Lets the mails that wait for an open time, or for the next day, wait no more: rules were changed. The next claim
 * defers them anew if they must wait still. Where a mail was never tried its date follows.
 * Locked by id, as in every statement that locks several deliveries, so that none of them deadlock.
 * @param condition on a row `d` of `delivery`
 */
export async function bringForward(
  tx: Tx,
  accountId: number,
  why: 'hours' | 'limit',
  condition: Expression<SqlBool>,
): Promise<void> {
  await sql`
    WITH waiting AS (
      SELECT d.account_id, d.id, d.send_log_id FROM delivery d
      WHERE d.account_id = ${accountId} AND d.state = 'queued' AND d.put_off = ${why} AND d.not_before < 'infinity'
        AND ${condition}
      ORDER BY d.account_id, d.id
      FOR UPDATE
    )
    UPDATE delivery d SET put_off = NULL, not_before = greatest(now(), run.starts_at),
      mail_date = CASE WHEN d.attempts = 0 AND NOT d.maybe_sent THEN greatest(now(), run.starts_at)
        ELSE d.mail_date END
    FROM waiting, send_log run
    WHERE d.account_id = waiting.account_id AND d.id = waiting.id
      AND run.account_id = waiting.account_id AND run.id = waiting.send_log_id`.execute(tx);
}
