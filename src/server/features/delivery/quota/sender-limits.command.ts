import { sql } from 'kysely';
import { LIMIT_TOLD_HOURS } from '#domain/sending/our-limit.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import type { ClaimedMail } from '../leases/claim.ts';
import { type DeliveryResult, hasAnswer } from '../leases/delivery-result.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { type ProfileKey, probeAgain } from '../queue/due-profiles.queries.ts';
import { requeueUnsent } from './sender-pace.command.ts';
import { type Limit, limitTimes, suspectLimit } from './transport-limit.queries.ts';

/** A result whose mail met our limit at the mail server. */
interface Met {
  readonly claim: ClaimedMail;
  readonly outcome: Limit;
}

/** Outcomes without a request to the server. */
const ASKED_NOTHING = new Set<DeliveryResult['outcome']['kind']>(['unsendable', 'unmarked', 'not-taken']);

/**
 * Pauses profiles whose mails met our quota, rate or plan at the mail server (domain/our-limit.ts). Resumes those whose
 * probe got another answer. The limit may concern all: the next mail of another profile shows that.
 * @returns whether a pause has started, so that mails must wait
 */
export async function recordSenderLimits(
  { db, log }: Pick<WorkerContext, 'db' | 'log'>,
  results: readonly DeliveryResult[],
): Promise<boolean> {
  const met = results.flatMap(({ claim, outcome }): Met[] => (outcome.kind === 'limited' ? [{ claim, outcome }] : []));
  let begins = false;
  for (const mails of Map.groupBy(met, ({ claim }) => claim.profileId).values()) {
    if (!(await pauseProfile(db, mails))) continue;
    begins = true;
    const [{ claim, outcome }] = mails as [Met, ...Met[]];
    const { profileId: profile, senderId: sender } = claim;
    log.error({ profile, sender, ...outcome }, 'the mail server limits this profile: mails of all its senders wait');
  }
  if (begins) await suspectLimit(db);
  for (const { claim, outcome } of results.filter((result) => result.claim.isLimitProbe)) {
    if (hasAnswer(outcome)) await resumeProfile(db, claim);
    else if (ASKED_NOTHING.has(outcome.kind)) await probeAgain(db, keyOf(claim));
  }
  return begins;
}

const keyOf = ({ accountId, profileId }: ClaimedMail): ProfileKey => ({
  account_id: accountId,
  profile_id: profileId,
});

/** Pauses a profile, or extends its pause after a probe met the limit again. @returns whether the pause starts */
async function pauseProfile(db: Db, mails: readonly Met[]): Promise<boolean> {
  const [{ claim, outcome }] = mails as [Met, ...Met[]];
  const begins = await db.transaction().execute(async (tx) => {
    // Locked before its mails, as in a claim: no mail starts until this transaction ends.
    const throttle = await tx
      .selectFrom('sender_throttle')
      .select('limited_since')
      .where('account_id', '=', claim.accountId)
      .where('profile_id', '=', claim.profileId)
      .forUpdate()
      .executeTakeFirst();
    const isNew = throttle?.limited_since === null;
    // Mails already being sent when the pause started show nothing new.
    if (isNew || mails.some((mail) => mail.claim.isLimitProbe)) await setPause(tx, claim, outcome, isNew);
    await stampMails(tx, mails);
    return isNew;
  });
  await tellMembers(db, claim);
  return begins;
}

async function setPause(tx: Tx, claim: ClaimedMail, { seconds }: Limit, isNew: boolean): Promise<void> {
  const profile = keyOf(claim);
  const { nextTry, toldUntil } = limitTimes(seconds, isNew);
  await tx
    .updateTable('sender_throttle')
    .set({ limited_since: sql<Date>`coalesce(limited_since, now())`, limited_until: toldUntil, probe_at: nextTry })
    .where('account_id', '=', profile.account_id)
    .where('profile_id', '=', profile.profile_id)
    .execute();
  await requeueUnsent(tx, profile);
  // Otherwise workers would search for due mails until then.
  await sql`
    WITH gone AS (
      DELETE FROM sender_due
      WHERE account_id = ${profile.account_id} AND due_at < ${nextTry} AND sender_id IN (
        SELECT id FROM sender WHERE account_id = ${profile.account_id} AND profile_id = ${profile.profile_id})
      RETURNING account_id, sender_id
    )
    INSERT INTO sender_due (account_id, sender_id, due_at)
    SELECT DISTINCT account_id, sender_id, ${nextTry} FROM gone`.execute(tx);
}

/** Records for each of these mails since when it meets a limit. */
async function stampMails(tx: Tx, mails: readonly Met[]): Promise<void> {
  await sql`
    WITH met AS (
      SELECT account_id, id FROM delivery
      WHERE account_id = ${mails[0]?.claim.accountId} AND id = ANY (${mails.map(({ claim }) => claim.id)}::bigint[])
        AND state = 'queued' AND limited_since IS NULL
      ORDER BY account_id, id
      FOR UPDATE
    )
    UPDATE delivery d SET limited_since = now()
    FROM met WHERE d.account_id = met.account_id AND d.id = met.id`.execute(tx);
}

/**
 * Notifies the members of runs with a mail that has met a limit for a day, once per run. The mails keep waiting, and
 * are sent as soon as the server accepts them.
 */
async function tellMembers(db: Db, claim: ClaimedMail): Promise<void> {
  const { account_id, profile_id } = keyOf(claim);
  await sql`
    UPDATE send_log SET limit_told_at = now()
    WHERE account_id = ${account_id} AND limit_told_at IS NULL AND NOT test_send_mode AND id IN (
      SELECT send_log_id FROM delivery
      WHERE account_id = ${account_id} AND profile_id = ${profile_id} AND state = 'queued'
        AND limited_since <= now() - make_interval(hours => ${sql.lit(LIMIT_TOLD_HOURS)}))`.execute(db);
}

async function resumeProfile(db: Db, claim: ClaimedMail): Promise<void> {
  const { account_id, profile_id } = keyOf(claim);
  await db
    .updateTable('sender_throttle')
    .set({ limited_since: null, limited_until: null, probe_at: null })
    .where('account_id', '=', account_id)
    .where('profile_id', '=', profile_id)
    .execute();
}
