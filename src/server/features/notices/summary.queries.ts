import { sql } from 'kysely';
import { addDays } from '#domain/time/calendar.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { readTotal } from '../reports/report.queries.ts';

/** An account's events of yesterday, and its reservations of today. */
export interface Summary {
  /** Today in Tokyo, YYYY-MM-DD. */
  readonly day: string;
  readonly sent: number;
  readonly failed: number;
  readonly replies: number;
  readonly refusals: number;
  readonly reservations: number;
}

/**
 * Reads the summary of the day before `day` in Tokyo. Only real mails count.
 * @returns null if nothing happened and nothing is reserved
 */
export async function readSummary(
  tx: Tx,
  { accountId }: { readonly accountId: number },
  day: string,
): Promise<Summary | null> {
  const start = sql`((${day}::date - 1)::timestamp AT TIME ZONE 'Asia/Tokyo')`;
  const end = sql`(${day}::date::timestamp AT TIME ZONE 'Asia/Tokyo')`;
  const nextEnd = sql`((${day}::date + 1)::timestamp AT TIME ZONE 'Asia/Tokyo')`;
  const { rows } = await sql<Omit<Summary, 'day' | 'sent' | 'failed'>>`
    SELECT
      (SELECT count(*)::integer FROM reply
        WHERE account_id = ${accountId} AND kind <> 'auto_reply' AND at >= ${start} AND at < ${end}) AS replies,
      (SELECT count(*)::integer FROM suppression
        WHERE account_id = ${accountId} AND kind = 'address' AND class = 'refused' AND member_id IS NULL
          AND created_at >= ${start} AND created_at < ${end}) AS refusals,
      (SELECT count(*)::integer FROM reservation
        WHERE account_id = ${accountId} AND active AND NOT is_sent AND NOT test_send_mode
          AND send_at >= ${end} AND send_at < ${nextEnd}) AS reservations`.execute(tx);
  const yesterday = addDays(day, -1);
  const { sent, failed } = await readTotal(tx, { accountId, query: {}, period: { from: yesterday, to: yesterday } });
  const counts = { sent, failed, ...onlyRow(rows) };
  return Object.values(counts).some((count) => count > 0) ? { day, ...counts } : null;
}
