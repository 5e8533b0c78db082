import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db.ts';
import {
  lockSomeUnsettledReplies,
  lockUnsettledReplies,
  noteRepliesSettled,
  type UnsettledReply,
} from '../replies/unsettled-replies.queries.ts';
import { cancelledState } from './run-rows.queries.ts';

/*
 * What an answer stops is cancelled as what a suppression stops (cancel-suppressed.queries.ts): the answer is committed
 * before, so a claim that began earlier is waited for here, and a later one finds the answer itself.
 */

/** Cancels the unsent real mails to the companies that answered. @param ids of answers of the account */
export async function settleReplies(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await settle(tx, accountId, await lockUnsettledReplies(tx, accountId, ids));
}

/** Settles what processes that have died left. @returns how many */
export function sweepReplies(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const rows = await lockSomeUnsettledReplies(tx, limit);
    for (const [accountId, ofAccount] of Map.groupBy(rows, (row) => row.accountId)) {
      await settle(tx, accountId, ofAccount);
    }
    return rows.length;
  });
}

async function settle(tx: Tx, accountId: number, rows: readonly UnsettledReply[]): Promise<void> {
  if (rows.length === 0) return;
  const prospects = rows.map(({ prospectId }) => prospectId);
  await sql`
    WITH unsent AS (
      SELECT d.account_id, d.id FROM delivery d
      WHERE d.account_id = ${accountId} AND d.prospect_id = ANY (${prospects}::bigint[]) AND NOT d.test_send_mode
        AND d.state IN ('queued', 'claimed')
        -- Somebody may have handled the answer meanwhile.
        AND EXISTS (
          SELECT FROM reply WHERE reply.account_id = d.account_id AND reply.prospect_id = d.prospect_id
            AND reply.kind <> 'auto_reply' AND reply.handled_at IS NULL)
      -- By id, as in every statement that locks several deliveries, so that none of them deadlock.
      ORDER BY d.account_id, d.id
      FOR NO KEY UPDATE OF d
    )
    UPDATE delivery d
    SET state = ${cancelledState}, reason = 'replied', lease_until = NULL, worker_id = NULL, finished_at = now()
    FROM unsent WHERE d.account_id = unsent.account_id AND d.id = unsent.id`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await noteRepliesSettled(tx, accountId, ids);
}
