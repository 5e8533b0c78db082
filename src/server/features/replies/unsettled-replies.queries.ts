import { type Expression, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

/** An answer whose mails are still to be settled (delivery/cancel-replied.queries.ts). */
export interface UnsettledReply {
  readonly accountId: number;
  readonly id: number;
  readonly prospectId: number;
  /** The address that waits besides, or has waited; null: the answer is clear. */
  readonly doubtedAddress: string | null;
}

/** Locks answers of an account whose mails are still to be settled. Waits for other processes. */
export const lockUnsettledReplies = (tx: Tx, accountId: number, ids: readonly number[]) =>
  selectUnsettled(
    tx,
    sql`account_id = ${accountId} AND id = ANY (${ids}::bigint[])
    ORDER BY account_id, id FOR UPDATE`,
  );

/** Locks such answers of any account, but for those that another process has locked. */
export const lockSomeUnsettledReplies = (tx: Tx, limit: number) =>
  selectUnsettled(tx, sql`true ORDER BY account_id, id LIMIT ${limit} FOR UPDATE SKIP LOCKED`);

async function selectUnsettled(tx: Tx, chosen: Expression<unknown>): Promise<readonly UnsettledReply[]> {
  const { rows } = await sql<UnsettledReply>`
    SELECT account_id AS "accountId", id, prospect_id AS "prospectId", doubted_address AS "doubtedAddress" FROM reply
    WHERE cancels_mails AND ${chosen}`.execute(tx);
  return rows;
}

/** Notes that the mails of locked answers are settled. Called after the mails were locked, as for suppressions. */
export async function noteRepliesSettled(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    UPDATE reply SET cancels_mails = false
    -- The condition of reply_cancels_idx.
    WHERE cancels_mails AND account_id = ${accountId} AND id = ANY (${ids}::bigint[])`.execute(tx);
}
