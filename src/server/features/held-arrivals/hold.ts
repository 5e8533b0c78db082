/*
 * What comes from outside for a frozen account: it is stored as it came, and answered as taken. A thaw carries it out
 * (features/moves). Of an account that has moved, a later loop passes it on to the new home from here.
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
  /** The mail of ours that it is about; null: a test mail of a domain, events. */
  readonly deliveryId: number | null;
  /** What is beside the body. As JSON. */
  readonly head: object;
  readonly body: Buffer | null;
  /** Epoch milliseconds; undefined: now. */
  readonly at?: number;
}

/**
 * Applies what came, or holds it where its account is frozen.
 * @param apply throws where the account is frozen
 * @param hold runs while the account stays frozen, and one at a time
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
    // It was thawed in between.
    if (held) return held.result;
  }
}

async function isFrozen(tx: Tx, accountId: number): Promise<boolean> {
  const row = await tx.selectFrom('account').select('frozen_at').where('id', '=', accountId).executeTakeFirst();
  return row !== undefined && row.frozen_at !== null;
}

/**
 * Stores an arrival. What is held already, whole, is not stored again.
 * No index is named: the role that stores events must not read them, which the name would need.
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

/** Returns how many moves an account had behind it when it left this home; null: it lives here. */
export async function movesWhenLeft(tx: Tx, accountId: number): Promise<number | null> {
  const row = await tx
    .selectFrom('account')
    .select('moves')
    .where('id', '=', accountId)
    .where('moved_to', 'is not', null)
    .executeTakeFirst();
  return row?.moves ?? null;
}

/** Counts what is held of a kind about a mail. */
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

/** What a reader did last with the link of a mail, as it is held. `at`: epoch milliseconds. */
export interface LastAct {
  readonly kind: 'refusal' | 'undo';
  readonly at: number;
}

/** Reads the last act that is held of a mail's reader; null: none. */
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
