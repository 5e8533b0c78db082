/*
 * Stores requests from outside for a frozen account unprocessed, and answers that they were taken. A thaw processes
 * them (features/moves). For an account that has moved, a loop passes them on to the new home.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { isAccountFrozen } from '../../platform/database/frozen.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';

export type ArrivalKind = 'refusal' | 'undo' | 'mail' | 'events';

export interface Arrival {
  readonly kind: ArrivalKind;
  /** The mail of ours that the request concerns; null: a domain's test mail, or events. */
  readonly deliveryId: number | null;
  /** What accompanies the body, as JSON. */
  readonly head: object;
  readonly body: Buffer | null;
  /** Epoch milliseconds; undefined: now. */
  readonly at?: number;
}

/**
 * Applies a request from outside, or holds it while its account is frozen.
 * @param apply throws where the account is frozen
 * @param hold runs while the account stays frozen, one at a time
 */
export async function applyOrHold<Result>(
  account: AccountDb,
  apply: () => Promise<Result>,
  hold: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await apply();
    } catch (error) {
      if (!isAccountFrozen(error)) throw error;
    }
    const held = await account.whileFrozen(async (tx) => {
      await lockAccount(tx, account.id);
      return (await isFrozen(tx, account.id)) ? { result: await hold(tx) } : null;
    });
    // The account was thawed in between.
    if (held) return held.result;
  }
}

async function isFrozen(tx: Tx, accountId: number): Promise<boolean> {
  const row = await tx.selectFrom('account').select('frozen_at').where('id', '=', accountId).executeTakeFirst();
  return row !== undefined && row.frozen_at !== null;
}

/**
 * Stores an arrival, unless it is already held completely.
 * Names no conflict target: the role that stores events must not read them, which the target would need.
 */
export async function holdArrival(
  tx: Tx,
  accountId: number,
  { kind, deliveryId, head, body, at }: Arrival,
): Promise<void> {
  const text = JSON.stringify(head);
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, deliveryId, text]))
    .update(body ?? '')
    .digest();
  await sql`
    INSERT INTO held_arrival (account_id, kind, delivery_id, head, body, digest, at)
    VALUES (${accountId}, ${kind}, ${deliveryId}::bigint, ${text}::jsonb, ${body}::bytea, ${digest},
      coalesce(to_timestamp(${at ?? null}::double precision / 1000), clock_timestamp()))
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** Returns the number of earlier moves when the account left this home; null: it lives here. */
export async function movesWhenLeft(tx: Tx, accountId: number): Promise<number | null> {
  const row = await tx
    .selectFrom('account')
    .select('moves')
    .where('id', '=', accountId)
    .where('moved_to', 'is not', null)
    .executeTakeFirst();
  return row?.moves ?? null;
}

/** Counts the held arrivals of a kind that concern a mail. */
export async function countHeld(
  tx: Tx,
  accountId: number,
  deliveryId: number | null,
  kind: ArrivalKind,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM held_arrival
    WHERE account_id = ${accountId} AND delivery_id IS NOT DISTINCT FROM ${deliveryId} AND kind = ${kind}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** A reader's last held action on the link of a mail. `at`: epoch milliseconds. */
export interface LastAct {
  readonly kind: 'refusal' | 'undo';
  readonly at: number;
}

/** Reads the last held action of a mail's reader; null: none. */
export async function lastHeldAct(tx: Tx, accountId: number, deliveryId: number): Promise<LastAct | null> {
  const row = await tx
    .selectFrom('held_arrival')
    .select(['kind', 'at'])
    .where('account_id', '=', accountId)
    .where('delivery_id', '=', deliveryId)
    .where('kind', 'in', ['refusal', 'undo'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? { kind: row.kind as LastAct['kind'], at: row.at.getTime() } : null;
}
