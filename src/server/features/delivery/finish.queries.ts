import { sql } from 'kysely';
import type { DeliveryState } from '#domain/delivery-state.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { type Outcome, replyForAccount } from '../../platform/mail/outcome.ts';
import { runPrepared } from '../../platform/prepared-query.ts';
import { insertSuppressions } from '../suppressions/suppression.queries.ts';
import type { ClaimedMail } from './claim.ts';
import { correctContacts, type DoubtedContact, insertContacts } from './contact.queries.ts';
import { isPutOff } from './late.queries.ts';
import { lease, wereChanged } from './lease.queries.ts';
import { retryAfterSeconds, secondsUntilOpen, transportRetrySeconds } from './retry.ts';
import { cancelledReason, cancelledState, failedState, HELD, lockRun } from './run-rows.queries.ts';
import { isInDoubt, theTransport } from './transport.queries.ts';

/** What a worker tells of a mail it holds: its body is about to leave (no outcome yet), or what became of it. */
export interface Step {
  readonly claim: ClaimedMail;
  readonly outcome: Exclude<Outcome, { kind: 'claim-lost' }> | null;
  /** When the outcome was known, epoch milliseconds; none: a moment ago. */
  readonly at?: number;
}
export interface Finished extends Step {
  readonly outcome: Exclude<Outcome, { kind: 'claim-lost' }>;
}
export const isFinished = (step: Step): step is Finished => step.outcome !== null;

/** A delivery's row after a step. retryAfter: seconds, for `queued` only. */
interface Change {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly retryAfter: number;
  readonly reply: string | null;
}

/** Nothing was handed over, whatever else has become of the mail meanwhile: these alone end a doubt by another try. */
const LEFT_NOTHING = new Set(['unmarked', 'not-taken']);

function changeAfter({ claim, outcome }: Step, now: number): Change {
  const { attempts } = claim;
  const wait = (seconds: number) => secondsUntilOpen(seconds, now, claim.reservedFor);
  // Claimed in time, and the mail server was slow.
  if (outcome === null && isPutOff(claim, now)) return { state: 'queued', attempts, retryAfter: wait(0), reply: null };
  if (outcome === null) return { state: 'sending', attempts, retryAfter: 0, reply: null };
  const { kind } = outcome;
  const reply = replyForAccount(outcome);
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
      return { state: 'queued', attempts, retryAfter: wait(transportRetrySeconds(Math.random())), reply };
    case 'deferred':
    case 'dropped': {
      const seconds = retryAfterSeconds(attempts + 1, Math.random());
      if (seconds === null) return { state: 'failed', attempts: attempts + 1, retryAfter: 0, reply };
      return { state: 'queued', attempts: attempts + 1, retryAfter: wait(seconds), reply };
    }
  }
}

/** What a batch of steps has shown. */
export interface Written {
  /** For each step, in order: whether the row was ours. */
  readonly ours: boolean[];
  /** The breaker has faults on record: an answer of the mail server should be noted (transport-watch.ts). */
  readonly transportInDoubt: boolean;
}

/**
 * Commits steps of claimed mails, marks and outcomes alike, in one statement: what a commit costs is shared by all of them.
 * - A mark says that the body is about to leave. Not ours: the claim was lost meanwhile (lease over, cancelled), or its hours are over, and
 *   not a byte may be sent.
 * - With an outcome goes what follows from it: the company counts as contacted, a dead address is suppressed. A mail whose claim is no
 *   longer ours is left as it is; one that was swept to unknown while the database was out of reach gets the truth after all. It is
 *   queued again only if its body did not begin; after a 4xx a person decides. One that a person has sent again, and whose next try has not
 *   been claimed, is not sent a second time when the server is heard to have it.
 * @param now epoch milliseconds, for the hours of reserved mail
 */
export async function writeSteps(db: Db, steps: readonly Step[], now: number): Promise<Written> {
  const changes = steps.map((step) => ({
    ...step.claim,
    ...changeAfter(step, now),
    age: Math.max(0, now - (step.at ?? now)) / 1000,
    isDead: isDeadAddress(step),
    leftNothing: step.outcome !== null && LEFT_NOTHING.has(step.outcome.kind),
  }));
  const requeued = changes.filter(({ state }) => state === 'queued');
  // What has waited may have been swept meanwhile, which takes a second statement.
  if (requeued.length === 0 && changes.every(({ age }) => age < 1)) return writeChanges(db, changes);
  const written = await db.transaction().execute(async (tx) => {
    await lockRuns(tx, requeued);
    return writeChanges(tx, changes);
  });
  const mayGoOn = steps.map((step, index) => isFinished(step) || changes[index]?.state === 'sending');
  return { ...written, ours: written.ours.map((ours, index) => ours && mayGoOn[index] === true) };
}

const isDeadAddress = ({ claim, outcome }: Step) => !claim.test && outcome?.kind === 'failed' && outcome.badAddress;

type ChangedClaim = ClaimedMail &
  Change & {
    /** Seconds since it was known. */
    readonly age: number;
    readonly isDead: boolean;
    readonly leftNothing: boolean;
  };

type WrittenRow = Pick<ClaimedMail, 'id' | 'claimNo'> & { readonly inDoubt: boolean } & Omit<
    DoubtedContact,
    'doubtedAt'
  > & {
    readonly doubtedAt: string | null;
  };

/**
 * What was unknown and is not any more may have counted as contacted too late, or for nothing; not a mail that waits once more and had another
 * unknown end before.
 * Rows are locked by id, as all who lock several deliveries do: a worker and somebody who pauses its run do not lock each other out. */
async function writeChanges(db: Db, changes: readonly ChangedClaim[]): Promise<Written> {
  const column = <Name extends keyof ChangedClaim>(name: Name) => changes.map((change) => change[name]);
  const query = sql<WrittenRow>`
    WITH ours AS (
      SELECT d.account_id, d.id, step.state, step.attempts, step.retry_after, step.age, step.reply, step.is_dead,
        CASE WHEN d.state = 'unknown' AND NOT d.test_send_mode AND NOT (d.maybe_sent AND step.state = 'queued') THEN d.finished_at END
          AS doubted_at
      FROM unnest(${column('accountId')}::bigint[], ${column('id')}::bigint[], ${column('claimNo')}::integer[],
        ${column('state')}::text[], ${column('attempts')}::integer[], ${column('retryAfter')}::integer[],
        ${column('age')}::double precision[], ${column('reply')}::text[], ${column('isDead')}::boolean[],
        ${column('leftNothing')}::boolean[])
        AS step (account_id, id, claim_no, state, attempts, retry_after, age, reply, is_dead, left_nothing)
      JOIN delivery d ON d.account_id = step.account_id AND d.id = step.id AND d.claim_no = step.claim_no
      WHERE CASE step.state
        WHEN 'sending' THEN d.state = 'claimed' AND d.lease_until > now()
        WHEN 'queued' THEN d.state IN ('claimed', 'sending') OR d.state = 'unknown' AND step.left_nothing
        WHEN 'sent' THEN d.state IN ('claimed', 'sending', 'unknown') OR d.state = 'queued' AND d.maybe_sent
        ELSE d.state IN ('claimed', 'sending', 'unknown') END
      ORDER BY d.account_id, d.id
      FOR UPDATE OF d
    ), marked AS (
      UPDATE delivery d SET state = 'sending', lease_until = ${lease}
      FROM ours WHERE d.account_id = ours.account_id AND d.id = ours.id AND ours.state = 'sending'
      RETURNING d.id, d.claim_no
    ), finished AS (
      UPDATE delivery d
      SET state = CASE WHEN ours.state = 'queued' AND run.cancelled THEN ${cancelledState}
          WHEN ours.state = 'failed' THEN ${failedState} ELSE ours.state END,
        reason = CASE WHEN ours.state = 'queued' AND run.cancelled THEN ${cancelledReason} END,
        attempts = ours.attempts, smtp_reply = coalesce(ours.reply, d.smtp_reply), lease_until = NULL, worker_id = NULL,
        not_before = CASE WHEN ours.state <> 'queued' THEN d.not_before WHEN run.paused_by IS NOT NULL THEN ${HELD}
          ELSE now() + make_interval(secs => ours.retry_after) END,
        finished_at = CASE WHEN ours.state = 'queued' AND NOT run.cancelled THEN NULL
          ELSE greatest(now() - make_interval(secs => ours.age), d.created_at) END
      FROM ours, send_log run
      WHERE d.account_id = ours.account_id AND d.id = ours.id AND ours.state <> 'sending'
        AND run.account_id = d.account_id AND run.id = d.send_log_id
      RETURNING d.id, d.claim_no, d.account_id, d.sender_group_id, d.prospect_id, d.mail_to AS address,
        d.finished_at, ours.doubted_at, ours.reply AS reason, ours.is_dead,
        ours.state IN ('sent', 'unknown') AND NOT d.test_send_mode AND ours.doubted_at IS NULL AS is_contact
    ), contacts AS (${insertContacts(sql`finished WHERE is_contact`)}
    ), dead AS (${insertSuppressions(sql`finished WHERE is_dead`)}
    )
    SELECT written.id, written.claim_no AS "claimNo", ${isInDoubt} AS "inDoubt", written.account_id AS "accountId",
      written.sender_group_id AS "senderGroupId", written.prospect_id AS "prospectId", written.doubted_at::text AS "doubtedAt"
    FROM ${theTransport} LEFT JOIN (
      SELECT id, claim_no, NULL::bigint AS account_id, NULL::bigint AS sender_group_id, NULL::bigint AS prospect_id,
        NULL::timestamptz AS doubted_at
      FROM marked
      UNION ALL SELECT id, claim_no, account_id, sender_group_id, prospect_id, doubted_at FROM finished
    ) written ON true`;
  const rows = await runPrepared(db, 'delivery_steps', query);
  await correctContacts(
    db,
    rows.flatMap(({ doubtedAt, ...row }) => (doubtedAt === null ? [] : [{ ...row, doubtedAt }])),
  );
  return { ours: wereChanged(changes, rows), transportInDoubt: rows[0]?.inDoubt ?? false };
}

/** A mail that goes back to the queue must not slip past somebody who pauses or cancels its run at this moment. */
async function lockRuns(tx: Tx, mails: readonly ClaimedMail[]): Promise<void> {
  const runs = new Map(mails.map(({ accountId, sendLogId: id }) => [id, { accountId, id }]));
  for (const [, run] of [...runs].sort(([one], [other]) => one - other)) await lockRun(tx, run);
}

/**
 * Claims whose worker is gone: not yet begun ones go back to the queue, begun ones become unknown (nobody can say whether the
 * server took them) and their companies count as contacted. Any process may sweep, any number at once.
 */
export async function sweepLostClaims(db: Db): Promise<{ requeued: number; unknown: number }> {
  const { rows } = await sql<{ requeued: number; unknown: number }>`
    WITH lost AS (
      SELECT account_id, id FROM delivery WHERE lease_until < now() ORDER BY account_id, id LIMIT 1000 FOR UPDATE SKIP LOCKED
    ), swept AS (
      UPDATE delivery d
      SET state = CASE d.state WHEN 'claimed' THEN 'queued' ELSE 'unknown' END, lease_until = NULL, worker_id = NULL,
        smtp_reply = CASE d.state WHEN 'sending' THEN '送信中に処理が途絶えました' ELSE d.smtp_reply END,
        attempts = CASE d.state WHEN 'sending' THEN d.attempts + 1 ELSE d.attempts END,
        finished_at = CASE d.state WHEN 'sending' THEN now() END
      FROM lost WHERE d.account_id = lost.account_id AND d.id = lost.id
      RETURNING d.account_id, d.sender_group_id, d.prospect_id, d.finished_at, d.state, d.state = 'unknown' AND NOT d.test_send_mode AS is_contact
    ), contacts AS (${insertContacts(sql`swept WHERE is_contact`)}
    )
    SELECT count(*) FILTER (WHERE state = 'queued')::integer AS requeued,
      count(*) FILTER (WHERE state = 'unknown')::integer AS unknown
    FROM swept`.execute(db);
  return rows[0] ?? { requeued: 0, unknown: 0 };
}
