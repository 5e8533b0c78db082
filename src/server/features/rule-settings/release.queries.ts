import { type Expression, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

/**
 * Locks an account's throttle rows, as each claim locks one before its mails. Claims with the old rules have ended, and
 * none starts until this transaction ends.
 */
export const lockThrottles = (tx: Tx, accountId: number) =>
  tx
    .selectFrom('sender_throttle')
    .select(['account_id', 'profile_id', 'mails_per_minute'])
    .where('account_id', '=', accountId)
    .orderBy('profile_id')
    .forUpdate()
    .execute();

/**
 * Makes mails due that wait for an open time or the next day, after a change of rules. The next claim defers them again
 * if necessary. Mails without an attempt get the new date.
 * Locked by id, as in every statement that locks several deliveries, so that none of them deadlock.
 * @param why the changed rules: the next day after a used-up limit depends on the hours too
 * @param condition on a row `d` of `delivery`
 */
export async function bringForward(
  tx: Tx,
  accountId: number,
  why: 'hours' | 'limit',
  condition: Expression<SqlBool>,
): Promise<void> {
  // A separate statement, so that the next one sees what claims have deferred.
  await lockThrottles(tx, accountId);
  const isPutOff = why === 'hours' ? sql`d.put_off IS NOT NULL` : sql`d.put_off = 'limit'`;
  await sql`
    WITH waiting AS (
      SELECT d.account_id, d.id, d.send_log_id FROM delivery d
      WHERE d.account_id = ${accountId} AND d.state = 'queued' AND ${isPutOff} AND d.not_before < 'infinity'
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
