import { type SendGridEvent, takeSendGridEvents } from '#contract/answers/sendgrid-events.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { type Delivery, deliveryAfter } from '../delivery/after-sending/delivery-after.ts';
import {
  type LaterDelivery,
  lockDeliveries,
  writeDeliveries,
} from '../delivery/after-sending/later-verdicts.queries.ts';
import { recallMails } from '../delivery/after-sending/recall.queries.ts';
import { recordContacts } from '../delivery/results/contact.queries.ts';
import { applyOrHold, holdArrival } from '../held-arrivals/hold.ts';
import { isHashOf, refuseHashed } from '../suppressions/suppression-hash.queries.ts';
import { suppressAddresses } from '../suppressions/write-suppressions.queries.ts';
import { type Verdict, verdictOf } from './event-verdict.ts';
import type { Signed } from './signature.ts';

/** An event about a delivery of this installation. */
interface DeliveryEvent {
  readonly accountId: number;
  readonly id: number;
  readonly claimNo: number;
  /** The local part of its Message-ID. */
  readonly uuid: string;
  /** The recipient, in lower case. */
  readonly address: string;
  readonly verdict: Verdict;
}

/**
 * Applies signed SendGrid events to their deliveries, in one transaction per account with that account's rights. Holds
 * the whole request for a frozen account, because the new home verifies the signature again. SendGrid returns the
 * mail's `kaitaku` argument with account, delivery and claim. Other events are ignored.
 */
export async function takeEvents(
  accountDb: (accountId: number, memberId: null) => AccountDb,
  events: readonly SendGridEvent[],
  { bytes, ...head }: Signed,
): Promise<void> {
  for (const [accountId, ofAccount] of byAccountOf(events)) {
    const account = accountDb(accountId, null);
    await applyOrHold(
      account,
      () => account.transaction((tx) => applyEvents(tx, accountId, ofAccount)),
      (tx) => holdArrival(tx, accountId, { kind: 'events', deliveryId: null, head, body: bytes }),
    );
  }
}

const byAccountOf = (events: readonly SendGridEvent[]): ReadonlyMap<number, readonly DeliveryEvent[]> =>
  Map.groupBy(
    events.flatMap((event) => readEvent(event) ?? []),
    ({ accountId }) => accountId,
  );

/** Applies the events of a held request that concern mails of the account. */
export async function carryOutEvents(account: AccountDb, body: Buffer): Promise<void> {
  const events = takeSendGridEvents.body.parse(JSON.parse(body.toString('utf8')));
  const own = byAccountOf(events).get(account.id);
  if (own) await account.transaction((tx) => applyEvents(tx, account.id, own));
}

/** Returns the suppressions that the events of a real mail cause. */
const suppressionsBy = (events: readonly DeliveryEvent[], { id: deliveryId }: LaterDelivery) =>
  events.flatMap(({ accountId, address, verdict }) =>
    'suppresses' in verdict && verdict.suppresses
      ? [{ accountId, address, deliveryId, reason: verdict.reply, ...verdict.suppresses }]
      : [],
  );

const isRefusal = ({ verdict }: DeliveryEvent): boolean =>
  'suppresses' in verdict && verdict.suppresses?.class === 'refused';

async function applyEvents(tx: Tx, accountId: number, events: readonly DeliveryEvent[]): Promise<void> {
  // Locked before the deliveries, as by an erasure: an opt-out of an erased address locks the account (refuseHashed).
  if (events.some(isRefusal)) await lockAccount(tx, accountId);
  const ids = events.map(({ id }) => id);
  await recallMails(tx, accountId, ids);
  const rows = await lockDeliveries(tx, accountId, ids);
  const changed: { row: LaterDelivery; after: Delivery }[] = [];
  const suppressed: ReturnType<typeof suppressionsBy> = [];
  for (const row of rows) {
    if (row.erasedHash !== null) await refuseErased(tx, accountId, row, row.erasedHash, events);
    // Events of Bcc copies have the same `kaitaku` argument. Only the main recipient's count.
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

/** An erased person's mail does not change, but an opt-out suppresses the address's hash. */
async function refuseErased(
  tx: Tx,
  accountId: number,
  row: LaterDelivery,
  hash: Buffer,
  events: readonly DeliveryEvent[],
): Promise<void> {
  for (const { id, uuid, address, verdict } of events) {
    const suppresses = 'suppresses' in verdict ? verdict.suppresses : null;
    if (id !== row.id || uuid !== row.uuid || row.test || suppresses?.class !== 'refused') continue;
    if (await isHashOf(tx, accountId, hash, address)) await refuseHashed(tx, accountId, hash, suppresses.source);
  }
}

/** Reads an event. @returns null for an event without a verdict, or without a `kaitaku` argument of ours */
function readEvent(event: SendGridEvent): DeliveryEvent | null {
  const [, accountId, id, claimNo, uuid = ''] =
    /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})\.([\w-]{8,64})$/.exec(event.kaitaku ?? '') ?? [];
  const verdict = verdictOf(event);
  if (accountId === undefined || verdict === null) return null;
  const address = (event.email ?? '').toLowerCase();
  return { accountId: Number(accountId), id: Number(id), claimNo: Number(claimNo), uuid, address, verdict };
}
