import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import { failedState } from '../queue/run-rows.queries.ts';
import { correctContacts, holdAddresses } from '../results/contact.queries.ts';
import type { Delivery } from './delivery-after.ts';

/** A delivery that a later report concerns. */
export interface LaterDelivery extends Delivery {
  readonly id: number;
  /** The local part of its Message-ID. */
  readonly uuid: string;
  /** The recipient, in the form of addressKey; null: erased. */
  readonly address: string | null;
  /** The address hash of an erased recipient. */
  readonly erasedHash: Buffer | null;
  readonly test: boolean;
  readonly senderGroupId: number;
  readonly prospectId: number;
  /** When a member last queued the mail again, or its worker after a marked, uncounted attempt; null: never. */
  readonly requeuedAt: Date | null;
  /** When the mail reached its final state; null: it waits, or is being sent. */
  readonly finishedAt: Date | null;
  /** The same instant as text of the database: a Date has no microseconds. */
  readonly finishedAtText: string | null;
}

/** Locks deliveries in the order of their ids, as all do that lock several, so that no two deadlock. */
export async function lockDeliveries(tx: Tx, accountId: number, ids: readonly number[]): Promise<LaterDelivery[]> {
  const { rows } = await sql<LaterDelivery>`
    SELECT id, state, claim_no AS "claimNo", attempts, smtp_reply AS reply, reason, delivered_at AS "deliveredAt",
      substring(message_id FROM '^<([^@>]+)') AS uuid, address_key AS address,
      erased_hash AS "erasedHash", test_send_mode AS test, sender_group_id AS "senderGroupId",
      prospect_id AS "prospectId", requeued_at AS "requeuedAt",
      finished_at AS "finishedAt", finished_at::text AS "finishedAtText"
    FROM delivery
    WHERE account_id = ${accountId} AND id = ANY(${[...new Set(ids)]}::bigint[])
    ORDER BY id
    FOR UPDATE`.execute(tx);
  return rows;
}

/**
 * Writes locked deliveries as a report has changed them.
 * A company whose mail bounced no longer counts as contacted by it. Its address still does.
 * @param mayHaveArrived the mail failed after a forwarder had accepted it: the contact is kept
 */
export async function writeDeliveries(
  tx: Tx,
  accountId: number,
  changed: readonly { readonly row: LaterDelivery; readonly after: Delivery }[],
  { mayHaveArrived = false } = {},
): Promise<void> {
  if (changed.length === 0) return;
  const column = (name: keyof Delivery) => changed.map(({ after }) => after[name]);
  await sql`
    UPDATE delivery d
    SET state = CASE WHEN c.state = 'failed' THEN ${failedState} ELSE c.state END, reason = c.reason,
      smtp_reply = c.reply, delivered_at = c.delivered_at, lease_until = NULL, worker_id = NULL,
      finished_at = coalesce(d.finished_at, now()),
      attempts = d.attempts + CASE WHEN d.state = 'sending' THEN 1 ELSE 0 END
    FROM unnest(
      ${changed.map(({ row }) => row.id)}::bigint[], ${column('state')}::text[], ${column('reason')}::text[],
      ${column('reply')}::text[], ${column('deliveredAt')}::timestamptz[]
    ) AS c (id, state, reason, reply, delivered_at)
    WHERE d.account_id = ${accountId} AND d.id = c.id`.execute(tx);
  const unreached = mayHaveArrived ? [] : changed.filter(isUnreached).map(({ row }) => row);
  await correctContacts(
    tx,
    unreached.flatMap(({ finishedAtText, ...row }) =>
      finishedAtText === null ? [] : [{ accountId, ...row, doubtedAt: finishedAtText }],
    ),
  );
  // Written after the contacts, as a result is: that is the lock order.
  await holdAddresses(
    tx,
    accountId,
    changed.map(({ row }) => row.id),
  );
}

/** The mail counted as a contact, but bounced. */
const isUnreached = ({ row, after }: { readonly row: LaterDelivery; readonly after: Delivery }): boolean =>
  !row.test && after.state === 'failed' && ['sent', 'unknown'].includes(row.state);
