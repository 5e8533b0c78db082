import { type Expression, sql } from 'kysely';
import type { SuppressionKind } from '#domain/law/suppression.ts';
import type { Tx } from '../../platform/database/db.ts';

/** A suppression whose open mails are still to be cancelled. */
export interface Unsettled {
  readonly accountId: number;
  readonly id: number;
  readonly kind: SuppressionKind;
  readonly value: string;
}

/** Locks suppressions of an account whose open mails are still to be cancelled. Waits for other processes. */
export async function lockUnsettled(tx: Tx, accountId: number, ids: readonly number[]): Promise<readonly Unsettled[]> {
  // One look-up for each: right after a large import the planner would read all suppressions of the account.
  const { rows } = await sql<Unsettled>`
    SELECT found.* FROM unnest(${ids.toSorted((one, other) => one - other)}::bigint[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT account_id AS "accountId", suppression.id, kind, value FROM suppression
      WHERE account_id = ${accountId} AND suppression.id = wanted.id AND cancels_mails
      OFFSET 0 FOR UPDATE
    ) AS found`.execute(tx);
  return rows;
}

/** Locks such suppressions of any account, but for those that another process has locked. */
export const lockSomeUnsettled = (tx: Tx, limit: number): Promise<readonly Unsettled[]> =>
  selectUnsettled(tx, sql`true ORDER BY account_id, id LIMIT ${limit} FOR UPDATE SKIP LOCKED`);

async function selectUnsettled(tx: Tx, chosen: Expression<unknown>): Promise<readonly Unsettled[]> {
  const { rows } = await sql<Unsettled>`
    SELECT account_id AS "accountId", id, kind, value FROM suppression WHERE cancels_mails AND ${chosen}`.execute(tx);
  return rows;
}

/**
 * Notes that the open mails of locked suppressions are cancelled.
 * Called after the mails were locked: a transaction that waits for a changed row may hold one of them.
 */
export async function markSettled(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    UPDATE suppression SET cancels_mails = false
    -- One look-up for each, as in lockUnsettled. They are locked, so they stay where they are.
    WHERE account_id = ${accountId} AND ctid = ANY (ARRAY(
      SELECT place FROM unnest(${ids}::bigint[]) AS wanted (id) CROSS JOIN LATERAL (
        SELECT ctid AS place FROM suppression WHERE account_id = ${accountId} AND suppression.id = wanted.id OFFSET 0
      ) AS found))`.execute(tx);
}
