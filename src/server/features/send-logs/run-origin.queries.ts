import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { viewRunOrigin as originCall } from '#contract/send-logs.ts';
import type { DeliveryReason } from '#domain/sending/delivery-state.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, type Problem } from '../../platform/problem.ts';

type Origin = CallAnswer<typeof originCall>;

/** Reads who sent a run, from which sender and to which list, and why mails were left out. @returns or 404 */
export function viewRunOrigin(account: AccountDb, sendLogId: number): Promise<Origin | Problem> {
  return account.snapshot(async (tx) => {
    const { rows } = await sql<Omit<Origin, 'left_out'>>`
      SELECT member.name AS member_name, l.sender_group_id, l.sender_id, l.days_from_lastday, l.list_conditions,
        json_build_object('name', l.mail #>> '{sender,person_in_charge}', 'address', l.mail #>> '{sender,email}')
          AS "from"
      FROM send_log l LEFT JOIN member ON member.account_id = l.account_id AND member.id = l.member_id
      WHERE l.account_id = ${account.id} AND l.id = ${sendLogId} AND l.sender_id IS NOT NULL`.execute(tx);
    const [run] = rows;
    return run === undefined ? notFound() : { ...run, left_out: await countLeftOut(tx, account.id, sendLogId) };
  });
}

/** Counts the mails that were not sent because of their company, when the run was accepted or later. */
async function countLeftOut(tx: Tx, accountId: number, sendLogId: number): Promise<Origin['left_out']> {
  const { rows } = await sql<{ readonly reason: DeliveryReason; readonly count: number }>`
    SELECT reason, count(*)::integer AS count FROM delivery
    WHERE account_id = ${accountId} AND send_log_id = ${sendLogId} AND state = 'cancelled'
      AND reason <> 'run_cancelled'
    GROUP BY reason ORDER BY count DESC, reason`.execute(tx);
  return rows;
}
