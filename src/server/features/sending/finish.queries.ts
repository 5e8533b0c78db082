import { sql } from 'kysely';
import type { DeliveryState } from '#domain/delivery-state.ts';
import type { Db, Tx } from '../../platform/db.ts';
import type { Outcome } from '../../platform/mail/outcome.ts';
import type { Claim } from './claim.queries.ts';
import { fenced } from './lease.queries.ts';
import { retryAfterSeconds, transportRetrySeconds } from './retry.ts';
import { cancelledReason, cancelledState, HELD, lockRun } from './run-control.queries.ts';

export interface Finished {
  readonly claim: Claim;
  readonly outcome: Exclude<Outcome, { kind: 'claim-lost' }>;
}

/** A delivery's row after a try. retryAfter: seconds, for `queued` only. */
interface Change {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly retryAfter: number;
  readonly reply: string;
}

function changeAfter({ claim: { attempts }, outcome }: Finished, random: () => number): Change {
  const { kind, reply } = outcome;
  switch (kind) {
    case 'sent':
    case 'failed':
    case 'unknown':
      return { state: kind, attempts: attempts + 1, retryAfter: 0, reply };
    case 'unsendable':
      return { state: 'failed', attempts: attempts + 1, retryAfter: 0, reply };
    case 'unmarked':
    case 'not-taken':
      return { state: 'queued', attempts, retryAfter: 0, reply };
    case 'transport':
    case 'sender-refused':
      return { state: 'queued', attempts, retryAfter: transportRetrySeconds(random()), reply };
    case 'deferred': {
      const retryAfter = retryAfterSeconds(attempts + 1, random());
      return {
        state: retryAfter === null ? 'failed' : 'queued',
        attempts: attempts + 1,
        retryAfter: retryAfter ?? 0,
        reply,
      };
    }
  }
}

/**
 * Writes what became of claimed mails, in one transaction with what follows from it: the company counts as contacted, a dead
 * address is suppressed. A mail whose claim is no longer ours is left as it is; one that was swept to unknown while the database
 * was out of reach gets the truth after all, but is not queued again: its company counts as contacted by then, a person decides.
 * @returns one answer each: true when the row was ours
 */
export async function finishDeliveries(
  db: Db,
  finished: readonly Finished[],
  random = Math.random,
): Promise<boolean[]> {
  const ours = await db.transaction().execute(async (tx) => {
    const written = await updateRows(tx, finished, random);
    const done = finished.filter(({ claim }) => written.has(claim.id));
    await recordContacts(
      tx,
      done.filter(isContact).map(({ claim }) => claim),
    );
    await suppressDeadAddresses(tx, done);
    return written;
  });
  return finished.map(({ claim }) => ours.has(claim.id));
}

const isContact = ({ claim, outcome }: Finished) =>
  !claim.test && (outcome.kind === 'sent' || outcome.kind === 'unknown');

async function updateRows(tx: Tx, finished: readonly Finished[], random: () => number): Promise<Set<number>> {
  const changes = finished.map((one) => ({ ...one.claim, ...changeAfter(one, random) }));
  const requeued = changes.filter(({ state }) => state === 'queued');
  await lockRuns(tx, requeued);
  const column = <Name extends keyof (typeof changes)[number]>(name: Name) => changes.map((change) => change[name]);
  const { rows } = await sql<{ id: number }>`
    WITH ours AS (${fenced(changes, sql`d.state IN ('claimed', 'sending', 'unknown')`)})
    UPDATE delivery d
    SET state = CASE WHEN c.state = 'queued' AND run.cancelled THEN ${cancelledState('d')} ELSE c.state END,
      reason = CASE WHEN c.state = 'queued' AND run.cancelled THEN ${cancelledReason} END,
      attempts = c.attempts, smtp_reply = c.reply, lease_until = NULL, worker_id = NULL,
      not_before = CASE WHEN c.state <> 'queued' THEN d.not_before WHEN run.paused_by IS NOT NULL THEN ${HELD}
        ELSE now() + make_interval(secs => c.retry_after) END,
      finished_at = CASE WHEN c.state = 'queued' AND NOT run.cancelled THEN NULL ELSE now() END
    FROM ours, send_log run,
      unnest(${column('id')}::bigint[], ${column('state')}::text[], ${column('attempts')}::integer[],
        ${column('retryAfter')}::integer[], ${column('reply')}::text[]) AS c (id, state, attempts, retry_after, reply)
    WHERE d.account_id = ours.account_id AND d.id = ours.id AND d.id = c.id
      AND run.account_id = d.account_id AND run.id = d.send_log_id
      AND (d.state IN ('claimed', 'sending') OR c.state <> 'queued')
    RETURNING d.id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** A mail that goes back to the queue must not slip past somebody who pauses or cancels its run at this moment. */
async function lockRuns(tx: Tx, mails: readonly Claim[]): Promise<void> {
  const runs = new Map(mails.map(({ accountId, sendLogId: id }) => [id, { accountId, id }]));
  for (const [, run] of [...runs].sort(([one], [other]) => one - other)) await lockRun(tx, run);
}

interface Contact {
  readonly accountId: number;
  readonly senderGroupId: number;
  readonly prospectId: number;
}

/** From now on these companies count as mailed by their group. */
export async function recordContacts(tx: Tx, contacts: readonly Contact[]): Promise<void> {
  if (contacts.length === 0) return;
  const column = (name: keyof Contact) => contacts.map((contact) => contact[name]);
  await sql`
    INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at)
    SELECT account_id, sender_group_id, prospect_id, now()
    FROM unnest(${column('accountId')}::bigint[], ${column('senderGroupId')}::bigint[], ${column('prospectId')}::bigint[])
      AS c (account_id, sender_group_id, prospect_id)
    ORDER BY account_id, sender_group_id, prospect_id
    ON CONFLICT (account_id, sender_group_id, prospect_id) DO UPDATE SET last_sent_at = excluded.last_sent_at`.execute(
    tx,
  );
}

const suppressDeadAddresses = (tx: Tx, done: readonly Finished[]): Promise<void> =>
  suppressAddresses(
    tx,
    done.flatMap(({ claim: { accountId, mailTo, test }, outcome }) =>
      !test && outcome.kind === 'failed' && outcome.badAddress
        ? [{ accountId, address: mailTo, reason: outcome.reply }]
        : [],
    ),
  );

/** Their accounts send nothing to these addresses any more. */
export async function suppressAddresses(
  tx: Tx,
  addresses: readonly { readonly accountId: number; readonly address: string; readonly reason: string }[],
): Promise<void> {
  if (addresses.length === 0) return;
  const values = addresses
    .map(({ accountId, address, reason }) => ({
      account_id: accountId,
      kind: 'address',
      value: address.toLowerCase(),
      reason,
    }))
    // In one order for everybody: two who suppress the same addresses wait for each other, and do not lock each other out.
    .sort((a, b) => (a.value < b.value ? -1 : 1));
  await tx
    .insertInto('suppression')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Claims whose worker is gone: not yet begun ones go back to the queue, begun ones become unknown (nobody can say whether the
 * server took them) and their companies count as contacted. Any process may sweep, any number at once.
 */
export function sweepLostClaims(db: Db): Promise<{ requeued: number; unknown: number }> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<Contact & { state: DeliveryState; test: boolean }>`
      WITH lost AS (
        SELECT account_id, id FROM delivery WHERE lease_until < now() ORDER BY account_id, id LIMIT 1000 FOR UPDATE SKIP LOCKED
      )
      UPDATE delivery d
      SET state = CASE d.state WHEN 'claimed' THEN 'queued' ELSE 'unknown' END, lease_until = NULL, worker_id = NULL,
        smtp_reply = CASE d.state WHEN 'sending' THEN '送信中に処理が途絶えました' ELSE d.smtp_reply END,
        attempts = CASE d.state WHEN 'sending' THEN d.attempts + 1 ELSE d.attempts END,
        finished_at = CASE d.state WHEN 'sending' THEN now() END
      FROM lost WHERE d.account_id = lost.account_id AND d.id = lost.id
      RETURNING d.account_id AS "accountId", d.sender_group_id AS "senderGroupId", d.prospect_id AS "prospectId", d.state,
        d.test_send_mode AS test`.execute(tx);
    const unknown = rows.filter(({ state }) => state === 'unknown');
    await recordContacts(
      tx,
      unknown.filter(({ test }) => !test),
    );
    return { requeued: rows.length - unknown.length, unknown: unknown.length };
  });
}
