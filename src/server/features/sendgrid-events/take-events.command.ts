import { sql } from 'kysely';
import type { SendGridEvent } from '#contract/sendgrid-events.ts';
import type { DeliveryState } from '#domain/delivery-state.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { recordContacts } from '../delivery/contact.queries.ts';
import { failedState } from '../delivery/run-rows.queries.ts';
import { suppressAddresses } from '../suppressions/suppression.queries.ts';
import { type Delivery, deliveryAfter } from './delivery-after.ts';
import { type Verdict, verdictOf } from './event-verdict.ts';

/** An event about a mail of ours. */
interface Told {
  readonly accountId: number;
  readonly id: number;
  readonly claimNo: number;
  /** What its Message-ID begins with. */
  readonly uuid: string;
  /** In lower case. */
  readonly address: string;
  readonly verdict: Verdict;
}

/**
 * Writes what events say about mails, in a transaction an account, with the rights of that account alone: SendGrid brings back the
 * name we gave a mail, and has signed it. Events about other mails change nothing.
 */
export async function takeEvents(
  accountDb: (accountId: number, memberId: null) => AccountDb,
  events: readonly SendGridEvent[],
): Promise<void> {
  const byAccount = Map.groupBy(
    events.flatMap((event) => readEvent(event) ?? []),
    ({ accountId }) => accountId,
  );
  for (const [accountId, told] of byAccount) {
    await accountDb(accountId, null).transaction((tx) => takeOf(tx, accountId, told));
  }
}

function readEvent(event: SendGridEvent): Told | null {
  const [, accountId, id, claimNo, uuid = ''] =
    /^(\d{1,15})\.(\d{1,15})\.(\d{1,9})\.([\w-]{8,64})$/.exec(event.kaitaku ?? '') ?? [];
  const verdict = verdictOf(event);
  if (accountId === undefined || verdict === null) return null;
  const address = (event.email ?? '').toLowerCase();
  return { accountId: Number(accountId), id: Number(id), claimNo: Number(claimNo), uuid, address, verdict };
}

async function takeOf(tx: Tx, accountId: number, told: readonly Told[]): Promise<void> {
  const rows = await lockDeliveries(tx, accountId, told);
  const changed: { row: Row; after: Delivery }[] = [];
  const unwanted: { accountId: number; address: string; reason: string }[] = [];
  for (const row of rows) {
    // A copy has the same name; the main recipient decides.
    const own = told.filter(({ id, uuid, address }) => id === row.id && row.uuid === uuid && address === row.address);
    const after = own.reduce<Delivery>(
      (delivery, { verdict, claimNo }) => deliveryAfter(delivery, verdict, claimNo),
      row,
    );
    if (after !== row) changed.push({ row, after });
    const no = own.find(
      ({ verdict }) => verdict.kind === 'unwanted' || (verdict.kind === 'refused' && verdict.badAddress),
    );
    if (no && !row.test) unwanted.push({ accountId, address: row.address, reason: no.verdict.reply });
  }
  await writeDeliveries(tx, accountId, changed);
  await recordContacts(
    tx,
    // What ended unknown has been counted as contacted by then.
    changed.flatMap(({ row, after }) =>
      after.state === 'sent' && ['sending', 'queued'].includes(row.state) && !row.test ? [{ accountId, ...row }] : [],
    ),
  );
  await suppressAddresses(tx, unwanted);
}

interface Row extends Delivery {
  readonly id: number;
  readonly uuid: string;
  readonly address: string;
  readonly test: boolean;
  readonly senderGroupId: number;
  readonly prospectId: number;
}

/** Locked by id, as all who lock several deliveries do. */
async function lockDeliveries(tx: Tx, accountId: number, told: readonly Told[]): Promise<Row[]> {
  const ids = [...new Set(told.map(({ id }) => id))];
  const { rows } = await sql<Row & { state: DeliveryState }>`
    SELECT id, state, claim_no AS "claimNo", attempts, smtp_reply AS reply, reason, delivered_at AS "deliveredAt",
      substring(message_id FROM '^<([^@>]+)') AS uuid, lower(mail_to) AS address, test_send_mode AS test,
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
    SET state = CASE WHEN c.state = 'failed' THEN ${failedState} ELSE c.state END, reason = c.reason, smtp_reply = c.reply, delivered_at = c.delivered_at, lease_until = NULL,
      worker_id = NULL, finished_at = coalesce(d.finished_at, now()),
      attempts = d.attempts + CASE WHEN d.state = 'sending' THEN 1 ELSE 0 END
    FROM unnest(${changed.map(({ row }) => row.id)}::bigint[], ${column('state')}::text[], ${column('reason')}::text[],
        ${column('reply')}::text[], ${column('deliveredAt')}::timestamptz[]) AS c (id, state, reason, reply, delivered_at)
    WHERE d.account_id = ${accountId} AND d.id = c.id`.execute(tx);
}
