import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { addressKeyOf, companiesOfEither, sendToOf } from '../../attack-list/chosen-address.queries.ts';
import {
  lockSomeUnsettledReplies,
  lockUnsettledReplies,
  noteRepliesSettled,
  type UnsettledReply,
} from '../../replies/insert-reply.queries.ts';
import { isDoubted } from '../../suppressions/suppression.queries.ts';
import { afterWindow, cancelledState, HELD, PAUSED } from '../queue/run-rows.queries.ts';

/*
 * Cancels mails after a reply, as cancel-suppressed.queries.ts does after a suppression. The reply is committed first:
 * this waits for earlier claims, and later claims find the reply themselves.
 * An unclear reply holds the mails instead, also those of other companies at its address, until a member decides
 * (decisions/replies).
 */

/** Cancels, holds or releases the unsent real mails that replies concern. @param ids of replies of the account */
export async function settleReplies(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await settle(tx, accountId, await lockUnsettledReplies(tx, accountId, ids));
}

/** Settles replies that a dead process left unsettled. @returns how many */
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
  await cancelAnswered(tx, accountId, rows);
  const inDoubt = rows.filter(({ doubtedAddress }) => doubtedAddress !== null);
  if (inDoubt.length > 0) await holdOrRelease(tx, accountId, inDoubt);
  const ids = rows.map(({ id }) => id);
  await noteRepliesSettled(tx, accountId, ids);
}

async function cancelAnswered(tx: Tx, accountId: number, rows: readonly UnsettledReply[]): Promise<void> {
  const prospects = rows.map(({ prospectId }) => prospectId);
  await sql`
    WITH unsent AS (
      SELECT d.account_id, d.id FROM delivery d
      WHERE d.account_id = ${accountId} AND d.prospect_id = ANY (${prospects}::bigint[]) AND NOT d.test_send_mode
        AND d.state IN ('queued', 'claimed')
        -- Somebody may have handled the answer meanwhile. One in doubt cancels nothing.
        AND EXISTS (
          SELECT FROM reply WHERE reply.account_id = d.account_id AND reply.prospect_id = d.prospect_id
            AND reply.kind <> 'auto_reply' AND reply.handled_at IS NULL AND reply.doubted_address IS NULL)
      -- By id, as in every statement that locks several deliveries, so that none of them deadlock.
      ORDER BY d.account_id, d.id
      FOR NO KEY UPDATE OF d
    )
    UPDATE delivery d
    SET state = ${cancelledState}, reason = 'replied', lease_until = NULL, worker_id = NULL, finished_at = now()
    FROM unsent WHERE d.account_id = unsent.account_id AND d.id = unsent.id`.execute(tx);
}

/**
 * Holds unsent mails to companies and addresses with an unclear reply, and releases those whose reply is clear now.
 * The runs are locked before their mails: a paused run's released mail keeps waiting.
 */
async function holdOrRelease(tx: Tx, accountId: number, rows: readonly UnsettledReply[]): Promise<void> {
  const mails = await findConcerned(tx, accountId, rows);
  const ids = mails.map(({ id }) => id);
  await sql`
    SELECT FROM send_log WHERE account_id = ${accountId} AND id = ANY (${mails.map(({ run }) => run)}::bigint[])
    ORDER BY id FOR NO KEY UPDATE`.execute(tx);
  await sql`
    WITH unsent AS (
      SELECT d.account_id, d.id, run.paused_by IS NOT NULL AS is_paused, run.starts_at,
        ${isInDoubt(accountId)} AS is_doubted
      FROM delivery d
      JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
      JOIN send_log AS run ON run.account_id = d.account_id AND run.id = d.send_log_id
      WHERE d.account_id = ${accountId} AND d.id = ANY (${ids}::bigint[]) AND d.state IN ('queued', 'claimed')
      ORDER BY d.account_id, d.id
      FOR NO KEY UPDATE OF d
    )
    UPDATE delivery d
    SET state = 'queued', lease_until = NULL, worker_id = NULL, reason = CASE WHEN unsent.is_doubted THEN ${HELD} END,
      not_before = CASE WHEN unsent.is_doubted OR unsent.is_paused THEN ${PAUSED}
        ELSE ${afterWindow(sql`unsent.starts_at`)} END
    FROM unsent WHERE d.account_id = unsent.account_id AND d.id = unsent.id
      AND (unsent.is_doubted OR d.reason = ${HELD})`.execute(tx);
}

const isInDoubt = (accountId: number) => isDoubted(accountId, sql`prospect.id`, addressKeyOf(sendToOf('run')));

/**
 * Finds the unsent mails to the companies and addresses of replies, and all held mails without an unclear reply. The
 * company of a held mail may have a new address, or be archived.
 */
async function findConcerned(tx: Tx, accountId: number, rows: readonly UnsettledReply[]) {
  const companies = rows.map(({ prospectId }) => prospectId);
  const addresses = rows.map(({ doubtedAddress }) => doubtedAddress);
  const { rows: found } = await sql<{ readonly id: number; readonly run: number }>`
    SELECT d.id, d.send_log_id AS run FROM delivery d
    WHERE d.account_id = ${accountId} AND d.state IN ('queued', 'claimed') AND NOT d.test_send_mode
      AND d.prospect_id IN (
        SELECT unnest(${companies}::bigint[])
        UNION ${companiesOfEither(accountId, addresses)})
    UNION
    SELECT d.id, d.send_log_id FROM delivery d
    JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
    JOIN send_log AS run ON run.account_id = d.account_id AND run.id = d.send_log_id
    -- Literally the condition of delivery_held_idx.
    WHERE d.account_id = ${accountId} AND d.state = 'queued' AND d.reason = 'maybe_refused'
      AND NOT ${isInDoubt(accountId)}`.execute(tx);
  return found;
}
