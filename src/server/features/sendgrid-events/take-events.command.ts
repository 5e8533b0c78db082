import { sql } from 'kysely';
import type { SendGridEvent } from '#contract/sendgrid-events.ts';
import type { DeliveryState } from '#domain/delivery-state.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { lockAccount } from '../../platform/lock-account.ts';
import { recordContacts } from '../delivery/contact.queries.ts';
import { failedState } from '../delivery/run-rows.queries.ts';
import { suppressAddresses } from '../suppressions/insert-suppressions.queries.ts';
import { isHashOf, refuseHashed } from '../suppressions/suppression-hash.queries.ts';
import { type Delivery, deliveryAfter } from './delivery-after.ts';
import { type DeliveryEvent, readEvent } from './delivery-event.ts';

/**
 * Applies signed SendGrid events to their deliveries, in one transaction per account with the rights of that account.
 * SendGrid returns the `kaitaku` argument that was sent with the mail: it names account, delivery and claim. Events
 * without it, or about other mails, are ignored.
 */
export async function takeEvents(
  accountDb: (accountId: number, memberId: null) => AccountDb,
  events: readonly SendGridEvent[],
): Promise<void> {
  const byAccount = Map.groupBy(
    events.flatMap((event) => readEvent(event) ?? []),
    ({ accountId }) => accountId,
  );
  for (const [accountId, ofAccount] of byAccount) {
    await accountDb(accountId, null).transaction((tx) => applyEvents(tx, accountId, ofAccount));
  }
}

/** Returns what the events of a real mail say against its address. */
const suppressionsBy = (events: readonly DeliveryEvent[], { id: deliveryId }: Row) =>
  events.flatMap(({ accountId, address, verdict }) =>
    'suppresses' in verdict && verdict.suppresses
      ? [{ accountId, address, deliveryId, reason: verdict.reply, ...verdict.suppresses }]
      : [],
  );

const isRefusal = ({ verdict }: DeliveryEvent): boolean =>
  'suppresses' in verdict && verdict.suppresses?.class === 'refused';

async function applyEvents(tx: Tx, accountId: number, events: readonly DeliveryEvent[]): Promise<void> {
  // Before the deliveries, as an erasure does: a refusal of an erased address locks the account (refuseHashed).
  if (events.some(isRefusal)) await lockAccount(tx, accountId);
  const rows = await lockDeliveries(tx, accountId, events);
  const changed: { row: Row; after: Delivery }[] = [];
  const suppressed: ReturnType<typeof suppressionsBy> = [];
  for (const row of rows) {
    if (row.erasedHash !== null) await refuseErased(tx, accountId, row, row.erasedHash, events);
    // Events about Bcc copies have the same `kaitaku` argument. Only those about the main recipient count.
    const own = events.filter(({ id, uuid, address }) => id === row.id && row.uuid === uuid && address === row.address);
    const after = own.reduce<Delivery>(
      (delivery, { verdict, claimNo }) => deliveryAfter(delivery, verdict, claimNo),
      row,
    );
    if (after !== row) changed.push({ row, after });
    if (!row.test) suppressed.push(...suppressionsBy(own, row));
  }
  await writeDeliveries(tx, accountId, changed);
  await recordContacts(
    tx,
    // An unknown mail was recorded as a contact when it became unknown.
    changed.flatMap(({ row, after }) =>
      after.state === 'sent' && ['sending', 'queued'].includes(row.state) && !row.test ? [{ accountId, ...row }] : [],
    ),
  );
  await suppressAddresses(tx, suppressed);
}

/** Of an erased person's mail nothing changes, but the refusal of its reader holds, by the hash of the address. */
async function refuseErased(
  tx: Tx,
  accountId: number,
  row: Row,
  hash: Buffer,
  events: readonly DeliveryEvent[],
): Promise<void> {
  for (const { id, uuid, address, verdict } of events) {
    const suppresses = 'suppresses' in verdict ? verdict.suppresses : null;
    if (id !== row.id || uuid !== row.uuid || row.test || suppresses?.class !== 'refused') continue;
    if (await isHashOf(tx, accountId, hash, address)) await refuseHashed(tx, accountId, hash, suppresses.source);
  }
}

interface Row extends Delivery {
  readonly id: number;
  readonly uuid: string;
  /** null: its person was erased. */
  readonly address: string | null;
  readonly erasedHash: Buffer | null;
  readonly test: boolean;
  readonly senderGroupId: number;
  readonly prospectId: number;
}

/** Locks the deliveries in the order of their ids, as all do who lock several, so that two cannot deadlock. */
async function lockDeliveries(tx: Tx, accountId: number, events: readonly DeliveryEvent[]): Promise<Row[]> {
  const ids = [...new Set(events.map(({ id }) => id))];
  const { rows } = await sql<Row & { state: DeliveryState }>`
    SELECT id, state, claim_no AS "claimNo", attempts, smtp_reply AS reply, reason, delivered_at AS "deliveredAt",
      substring(message_id FROM '^<([^@>]+)') AS uuid, lower(mail_to) AS address, erased_hash AS "erasedHash",
      test_send_mode AS test,
      sender_group_id AS "senderGroupId", prospect_id AS "prospectId"
    FROM delivery
    WHERE account_id = ${accountId} AND id = ANY(${ids}::bigint[])
    ORDER BY id
    FOR UPDATE`.execute(tx);
  return rows;
}

async function writeDeliveries(
  tx: Tx,
  accountId: number,
  changed: readonly { readonly row: Row; readonly after: Delivery }[],
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
}
