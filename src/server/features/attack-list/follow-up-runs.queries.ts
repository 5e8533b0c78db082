import { sql } from 'kysely';
import type { listFollowUpRuns as listCall } from '#contract/attack-list.ts';
import type { CallAnswer } from '#contract/call.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { formatSecond } from '#domain/tokyo-time.ts';
import type { AccountDb } from '../../platform/account-db.ts';

const RUNS_MAX = 50;

/**
 * Reads the latest runs of a sender group that may be followed up: real ones with a first mail that was sent.
 * @param days how old they must be, at least
 * @param now epoch milliseconds
 */
export async function readFollowUpRuns(
  account: AccountDb,
  senderGroupId: number,
  days: number,
  now: number,
): Promise<CallAnswer<typeof listCall>> {
  const { rows } = await account.snapshot((tx) =>
    sql<{ id: number; sent_at: Date; subject: string }>`
      SELECT id, sent_at, mail ->> 'subject' AS subject FROM send_log AS log
      WHERE account_id = ${account.id} AND sender_group_id = ${senderGroupId}::bigint AND NOT test_send_mode
        AND sender_id IS NOT NULL AND sent_at <= ${new Date(now - days * DAY_MS)} AND EXISTS (
          SELECT FROM delivery
          WHERE delivery.account_id = log.account_id AND delivery.send_log_id = log.id AND delivery.state = 'sent'
            AND delivery.follows_id IS NULL)
      ORDER BY id DESC LIMIT ${RUNS_MAX}`.execute(tx),
  );
  return { rows: rows.map((row) => ({ ...row, sent_at: formatSecond(row.sent_at.getTime()) })) };
}
