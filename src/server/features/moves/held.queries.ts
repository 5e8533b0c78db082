import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import type { ArrivalKind } from '../held-arrivals/hold.ts';

export interface HeldArrival {
  readonly id: number;
  readonly kind: ArrivalKind;
  readonly deliveryId: number | null;
  readonly head: unknown;
  readonly body: Buffer | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** How many requests of an account are held. */
export interface HeldCount {
  readonly all: number;
  readonly mails: number;
}

export async function countAllHeld(db: Db, accountId: number): Promise<HeldCount> {
  const { rows } = await sql<HeldCount>`
    SELECT count(*)::integer AS all, (count(*) FILTER (WHERE kind = 'mail'))::integer AS mails
    FROM held_arrival WHERE account_id = ${accountId}`.execute(db);
  return onlyRow(rows);
}

/**
 * Reads an account's oldest held request; null: none.
 * @param withoutMails skips mails
 * @param after the id of the previous one
 */
export async function readNextHeld(
  db: Db | Tx,
  accountId: number,
  { withoutMails = false, after = 0 } = {},
): Promise<HeldArrival | null> {
  const { rows } = await sql<HeldArrival>`
    SELECT id, kind, delivery_id AS "deliveryId", head, body, (extract(epoch FROM at) * 1000)::double precision AS at
    FROM held_arrival WHERE account_id = ${accountId} AND id > ${after} AND (NOT ${withoutMails} OR kind <> 'mail')
    ORDER BY id LIMIT 1`.execute(db);
  return rows[0] ?? null;
}
