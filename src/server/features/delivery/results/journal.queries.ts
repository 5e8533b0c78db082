import { type SqlBool, sql } from 'kysely';
import type { DeliveryReason } from '#domain/sending/delivery-state.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { compiledQuery, runPrepared } from '../../../platform/database/driver/prepared-query.ts';
import { isSuppressed } from '../../suppressions/suppression.queries.ts';
import { insertSuppressions } from '../../suppressions/write-suppressions.queries.ts';
import type { ClaimedMail } from '../leases/claim.ts';
import type { DeliveryResult } from '../leases/delivery-result.ts';
import { sendingLeaseEnd, wereChanged } from '../leases/lease.queries.ts';
import { hasFaults, transportRow } from '../pauses/breaker.queries.ts';
import { deferClosedClaims } from '../pauses/closed.queries.ts';
import { cancelledReason, cancelledState, failedState, lockRun, PAUSED } from '../queue/run-rows.queries.ts';
import { correctContacts, type DoubtedContact, insertContacts } from './contact.queries.ts';
import { type Change, changeAfter, isDeadAddress, isRejected } from './delivery-step.ts';
import { insertRejections } from './rejection.queries.ts';

/** The account must not mail the address of a mail (the row `d`), perhaps only since the claim. */
const isRefused = isSuppressed(sql<number>`d.account_id`, sql<string | null>`d.address_key`);

/** A CASE, so that PostgreSQL finds the rows by id: otherwise it reads all running leases (delivery_lease_idx). */
const mayLeave = sql<SqlBool>`
  CASE d.state WHEN 'claimed' THEN d.lease_until > now() AND (d.test_send_mode OR NOT ${isRefused}) END`;

/** Locked by id, as in every statement that locks several deliveries, so that none of them deadlock. */
const markRows = compiledQuery<Pick<ClaimedMail, 'id' | 'claimNo'>>(
  'delivery_marks',
  3,
  ([accountIds, ids, claimNos]) => sql`
    WITH ours AS (
      SELECT d.account_id, d.id
      FROM unnest(${accountIds}::bigint[], ${ids}::bigint[], ${claimNos}::integer[]) AS fence (account_id, id, claim_no)
      JOIN delivery d ON d.account_id = fence.account_id AND d.id = fence.id AND d.claim_no = fence.claim_no
      WHERE ${mayLeave}
      ORDER BY d.account_id, d.id
      FOR UPDATE OF d
    )
    UPDATE delivery d SET state = 'sending', lease_until = ${sendingLeaseEnd}
    FROM ours WHERE d.account_id = ours.account_id AND d.id = ours.id
    RETURNING d.id, d.claim_no AS "claimNo"`,
);

/**
 * Commits that the bodies of claimed mails are about to leave. Connections wait for it, so it does nothing else.
 *
 * A mark is refused if the claim was lost (lease over, run paused or cancelled), the group has closed, or the address
 * was suppressed since. Whoever stored the suppression cancels the mail (cancel-suppressed.queries.ts).
 * @returns for each mail, in order, whether its body may leave
 */
export async function writeMarks(db: Db, claims: readonly ClaimedMail[]): Promise<boolean[]> {
  const inTime = await deferClosedClaims(db, claims);
  const rows = await markRows(db, [
    inTime.map(({ accountId }) => accountId),
    inTime.map(({ id }) => id),
    inTime.map(({ claimNo }) => claimNo),
  ]);
  return wereChanged(claims, rows);
}

/** The result of a written batch. */
interface WrittenResults {
  /** For each result, in order: whether it took effect. */
  readonly ours: boolean[];
  /** Faults are recorded for the transport, so an answer of the mail server must be recorded. */
  readonly transportHasFaults: boolean;
}

/** Outcomes without a sent body. Only these requeue a mail that the sweep set to unknown. */
const LEFT_NOTHING = new Set(['unmarked', 'not-taken']);

/**
 * Commits results of claimed mails in one statement, with the contacts and suppressions that follow.
 *
 * A result of a lost claim changes nothing, with two exceptions. A mail that the sweep made unknown gets its true
 * result, but is queued again only if no body left: after a 4xx a person decides. A mail that a person queued again
 * after an unknown result (`maybe_sent`) becomes `sent` if its earlier attempt was accepted, unless it is claimed
 * again.
 * @param now epoch milliseconds
 */
export async function writeResults(db: Db, steps: readonly DeliveryResult[], now: number): Promise<WrittenResults> {
  const changes = steps.map((step) => ({
    ...step.claim,
    reason: null,
    ...changeAfter(step),
    age: Math.max(0, now - (step.at ?? now)) / 1000,
    isDead: isDeadAddress(step),
    isRejected: isRejected(step),
    leftNothing: LEFT_NOTHING.has(step.outcome.kind),
  }));
  const requeued = changes.filter(({ state }) => state === 'queued');
  // A result older than a second may belong to a swept mail, whose contact a second statement corrects.
  if (requeued.length === 0 && changes.every(({ age }) => age < 1)) return writeChanges(db, changes);
  return db.transaction().execute(async (tx) => {
    await lockRuns(tx, requeued);
    return writeChanges(tx, changes);
  });
}

/** Locks the runs of requeued mails, so that none escapes a concurrent pause or cancellation. */
async function lockRuns(tx: Tx, mails: readonly ClaimedMail[]): Promise<void> {
  const runs = new Map(mails.map(({ accountId, sendLogId: id }) => [id, { accountId, id }]));
  for (const [, run] of [...runs].sort(([one], [other]) => one - other)) await lockRun(tx, run);
}

/** A claimed mail with the changes of its row. */
type ChangedClaim = ClaimedMail &
  Omit<Change, 'reason'> & {
    readonly reason: DeliveryReason | null;
    /** Seconds since the outcome was known. */
    readonly age: number;
    /** The address does not exist, so it is suppressed. */
    readonly isDead: boolean;
    /** The recipient, or our domain or address, was refused permanently: no mail for the re-send interval. */
    readonly isRejected: boolean;
    /** No byte of the body was sent. */
    readonly leftNothing: boolean;
  };

interface WrittenRow extends Omit<DoubtedContact, 'doubtedAt'>, Pick<ClaimedMail, 'id' | 'claimNo'> {
  readonly transportHasFaults: boolean;
  readonly doubtedAt: string | null;
}

/**
 * Writes the changes in one statement, then corrects the contacts of mails that were unknown.
 * `doubted_at` is when such a mail became unknown and counted as contacted. The contact of a requeued mail with an
 * earlier unknown attempt (`maybe_sent`) is kept: that attempt may have arrived.
 * Locked by id, as in every statement that locks several deliveries, so that none of them deadlock.
 */
async function writeChanges(db: Db, changes: readonly ChangedClaim[]): Promise<WrittenResults> {
  const column = <Name extends keyof ChangedClaim>(name: Name) => changes.map((change) => change[name]);
  const query = sql<WrittenRow>`
    WITH ours AS (
      SELECT d.account_id, d.id, step.state, step.attempts, step.retry_after, step.age, step.reply, step.is_dead,
        step.is_rejected, step.reason,
        CASE WHEN d.state = 'unknown' AND NOT d.test_send_mode AND NOT (d.maybe_sent AND step.state = 'queued')
          THEN d.finished_at END AS doubted_at
      FROM unnest(${column('accountId')}::bigint[], ${column('id')}::bigint[], ${column('claimNo')}::integer[],
        ${column('state')}::text[], ${column('attempts')}::integer[], ${column('retryAfter')}::integer[],
        ${column('age')}::double precision[], ${column('reply')}::text[], ${column('isDead')}::boolean[],
        ${column('isRejected')}::boolean[], ${column('leftNothing')}::boolean[], ${column('reason')}::text[])
        AS step (account_id, id, claim_no, state, attempts, retry_after, age, reply, is_dead, is_rejected,
          left_nothing, reason)
      JOIN delivery d ON d.account_id = step.account_id AND d.id = step.id AND d.claim_no = step.claim_no
      WHERE CASE step.state
        WHEN 'queued' THEN d.state IN ('claimed', 'sending') OR d.state = 'unknown' AND step.left_nothing
        WHEN 'sent' THEN d.state IN ('claimed', 'sending', 'unknown') OR d.state = 'queued' AND d.maybe_sent
        ELSE d.state IN ('claimed', 'sending', 'unknown') END
      ORDER BY d.account_id, d.id
      FOR UPDATE OF d
    ), finished AS (
      UPDATE delivery d
      SET state = CASE WHEN ours.state = 'queued' AND run.cancelled THEN ${cancelledState}
          WHEN ours.state = 'failed' THEN ${failedState} ELSE ours.state END,
        reason = CASE WHEN ours.state = 'queued' AND run.cancelled THEN ${cancelledReason}
          WHEN NOT d.maybe_sent THEN ours.reason END,
        -- A line on disk may name this claim (guard/unknown-mails): the row shows that the mail waits since. Behind the
        -- lock, not now(): that may be older than the line. A counted try shows it too.
        requeued_at = CASE WHEN ours.state = 'queued' AND d.state IN ('sending', 'unknown')
          AND ours.attempts <= d.attempts THEN clock_timestamp() ELSE d.requeued_at END,
        attempts = ours.attempts, lease_until = NULL, worker_id = NULL,
        -- A mail that became unknown may be of a person who was erased meanwhile. A reply may name the address.
        smtp_reply = CASE WHEN d.erased_hash IS NULL THEN coalesce(ours.reply, d.smtp_reply) END,
        not_before = CASE WHEN ours.state <> 'queued' THEN d.not_before WHEN run.paused_by IS NOT NULL THEN ${PAUSED}
          ELSE now() + make_interval(secs => ours.retry_after) END,
        finished_at = CASE WHEN ours.state = 'queued' AND NOT run.cancelled THEN NULL
          ELSE greatest(now() - make_interval(secs => ours.age), d.created_at) END
      FROM ours, send_log run
      WHERE d.account_id = ours.account_id AND d.id = ours.id
        AND run.account_id = d.account_id AND run.id = d.send_log_id
      RETURNING d.id, d.claim_no, d.account_id, d.sender_group_id, d.prospect_id, d.mail_to AS address,
        d.finished_at, ours.doubted_at, ours.reply AS reason, ours.is_dead, d.id AS delivery_id,
        'undeliverable' AS class, 'smtp' AS source, d.address_key,
        -- One that was queued again after an unknown result is unknown: it holds its address as such.
        ours.is_rejected AND d.state = 'failed' AND d.address_key IS NOT NULL AS is_rejected,
        ours.state IN ('sent', 'unknown') AND NOT d.test_send_mode AND ours.doubted_at IS NULL AS is_contact
    ), contacts AS (${insertContacts(sql`finished WHERE is_contact`)}
    ), dead AS (${insertSuppressions(sql`finished WHERE is_dead AND address IS NOT NULL`)}
    ), rejected AS (${insertRejections(sql`finished WHERE is_rejected`)}
    )
    SELECT finished.id, finished.claim_no AS "claimNo", ${hasFaults} AS "transportHasFaults",
      finished.account_id AS "accountId", finished.sender_group_id AS "senderGroupId",
      finished.prospect_id AS "prospectId", finished.doubted_at::text AS "doubtedAt"
    FROM ${transportRow} LEFT JOIN finished ON true`;
  const rows = await runPrepared(db, 'delivery_results', query);
  await correctContacts(
    db,
    rows.flatMap(({ doubtedAt, ...row }) => (doubtedAt === null ? [] : [{ ...row, doubtedAt }])),
  );
  return { ours: wereChanged(changes, rows), transportHasFaults: rows[0]?.transportHasFaults ?? false };
}
