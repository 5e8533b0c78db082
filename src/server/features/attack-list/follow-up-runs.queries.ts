import { sql } from 'kysely';
import type { listFollowUpRuns as listCall } from '#contract/attack-list.ts';
import type { CallAnswer } from '#contract/call.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';

const RUNS_MAX = 50;

interface Wanted {
  /** undefined: those of all groups. */
  readonly sender_group_id?: number | undefined;
  /** undefined: all runs. */
  readonly send_log_id?: number | undefined;
  /** How old the runs must be, at least. */
  readonly days_from_lastday: number;
}

/**
 * Reads the latest runs that may be followed up: real ones of active groups, with a first mail that was sent.
 * @param now epoch milliseconds
 */
export async function readFollowUpRuns(
  account: AccountDb,
  { sender_group_id, send_log_id, days_from_lastday }: Wanted,
  now: number,
): Promise<CallAnswer<typeof listCall>> {
  const only = (column: string, id: number | undefined) =>
    id === undefined ? sql`` : sql`AND log.${sql.ref(column)} = ${id}::bigint`;
  const { rows } = await account.snapshot((tx) =>
    sql<{ id: number; sender_group_id: number; sent_at: Date; subject: string }>`
      SELECT log.id, log.sender_group_id, log.sent_at, log.mail ->> 'subject' AS subject
      FROM send_log AS log
      JOIN sender_group ON sender_group.account_id = log.account_id AND sender_group.id = log.sender_group_id
      WHERE log.account_id = ${account.id} ${only('sender_group_id', sender_group_id)} ${only('id', send_log_id)}
        AND NOT log.test_send_mode AND log.sender_id IS NOT NULL
        AND log.blanked_at IS NULL AND sender_group.account_id = ${account.id}
        AND sender_group.active AND log.sent_at <= ${new Date(now - days_from_lastday * DAY_MS)} AND EXISTS (
          SELECT FROM delivery
          WHERE delivery.account_id = log.account_id AND delivery.send_log_id = log.id AND delivery.state = 'sent'
            AND delivery.blanked_at IS NULL AND delivery.follows_id IS NULL)
      ORDER BY log.id DESC LIMIT ${RUNS_MAX}`.execute(tx),
  );
  return { rows: rows.map((row) => ({ ...row, sent_at: formatSecond(row.sent_at.getTime()) })) };
}
