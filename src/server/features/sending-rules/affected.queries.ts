import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import { AFFECTED_MAX, type updateSendingRules as updateCall } from '#contract/sending-rules-hours.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { Tx } from '../../platform/database/db.ts';
import { mapInSlices } from '../../platform/turns.ts';

/** What a change of rules says of the reservations that it falls on. */
export type Affected = Pick<CallAnswer<typeof updateCall>, 'affected' | 'affected_count' | 'unchecked'>;

/** So many reservations a statement reads, and so many an answer judges: the rest is counted. */
const SLICE_ROWS = 1000;
const JUDGED_MAX = 10_000;

interface PendingRow {
  readonly id: number;
  readonly groupId: number;
  readonly sendAt: Date;
}

/**
 * Finds the real reservations of groups that begin while their group is closed. They stay at their times.
 * @param reasonOf why a reservation is affected; null: it is not
 */
export async function affectedReservations(
  tx: Tx,
  accountId: number,
  groups: readonly number[],
  reasonOf: (groupId: number, instant: number) => string | null,
): Promise<Affected> {
  const affected: Affected['affected'] = [];
  let found = 0;
  let last: PendingRow | undefined;
  const pending = (row: PendingRow | undefined) => sql`FROM reservation
    WHERE account_id = ${accountId} AND sender_group_id = ANY (${groups}::bigint[])
      AND active AND NOT is_sent AND NOT test_send_mode AND send_at > now()
      AND (send_at, id) > (${row?.sendAt ?? sql`now()`}, ${row?.id ?? 0}::bigint)`;
  for (let judged = 0; judged < JUDGED_MAX; judged += SLICE_ROWS) {
    const { rows } = await sql<PendingRow>`
      SELECT id, sender_group_id AS "groupId", send_at AS "sendAt" ${pending(last)}
      ORDER BY send_at, id LIMIT ${SLICE_ROWS}`.execute(tx);
    const reasons = await mapInSlices(rows, ({ groupId, sendAt }) => reasonOf(groupId, sendAt.getTime()));
    for (const [at, { id, sendAt }] of rows.entries()) {
      const reason = reasons[at] ?? null;
      if (reason === null) continue;
      found += 1;
      if (found > AFFECTED_MAX) continue;
      affected.push({ reservation_id: id, send_at: formatSecond(sendAt.getTime()), reason });
    }
    if (rows.length < SLICE_ROWS) return { affected, affected_count: found, unchecked: 0 };
    last = rows.at(-1);
  }
  const { rows } = await sql<{ count: number }>`SELECT count(*)::integer AS count ${pending(last)}`.execute(tx);
  return { affected, affected_count: found, unchecked: rows[0]?.count ?? 0 };
}
