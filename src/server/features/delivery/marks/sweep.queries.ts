import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import { insertContacts } from './contact.queries.ts';

/** The most rows of one statement. */
const SWEPT_ROWS_MAX = 1000;

/** Returns the seconds until the first lease ends; 0 or less: it is over. Infinity: no mail is held. */
export async function secondsUntilLeaseEnds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT extract(epoch FROM min(lease_until) - now())::double precision AS seconds
    FROM delivery WHERE lease_until IS NOT NULL`.execute(db);
  return onlyRow(rows).seconds ?? Number.POSITIVE_INFINITY;
}

/**
 * Takes mails whose lease is over: claimed ones are queued again, sending ones become unknown.
 * Nobody can say whether the server took an unknown mail, so its company counts as contacted. Any number of processes
 * may sweep at once.
 */
export async function sweepLostClaims(db: Db): Promise<{ requeued: number; unknown: number }> {
  const { rows } = await sql<{ requeued: number; unknown: number }>`
    WITH lost AS (
      SELECT account_id, id FROM delivery
      WHERE lease_until < now()
      ORDER BY account_id, id
      LIMIT ${sql.lit(SWEPT_ROWS_MAX)}
      FOR UPDATE SKIP LOCKED
    ), swept AS (
      UPDATE delivery d
      SET state = CASE d.state WHEN 'claimed' THEN 'queued' ELSE 'unknown' END, lease_until = NULL, worker_id = NULL,
        smtp_reply = CASE d.state WHEN 'sending' THEN '送信中に処理が途絶えました' ELSE d.smtp_reply END,
        attempts = CASE d.state WHEN 'sending' THEN d.attempts + 1 ELSE d.attempts END,
        finished_at = CASE d.state WHEN 'sending' THEN now() END
      FROM lost WHERE d.account_id = lost.account_id AND d.id = lost.id
      RETURNING d.account_id, d.sender_group_id, d.prospect_id, d.finished_at, d.state,
        d.state = 'unknown' AND NOT d.test_send_mode AS is_contact
    ), contacts AS (${insertContacts(sql`swept WHERE is_contact`)}
    )
    SELECT count(*) FILTER (WHERE state = 'queued')::integer AS requeued,
      count(*) FILTER (WHERE state = 'unknown')::integer AS unknown
    FROM swept`.execute(db);
  return onlyRow(rows);
}
