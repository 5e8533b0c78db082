import { type Expression, sql } from 'kysely';
import { DEFAULT_CALENDAR } from '#domain/sending/sending-hours.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { isNotFrozen } from '../../../platform/database/frozen.ts';
import { readFollowedMails } from '../../mail-content/followed-mails.queries.ts';
import type { RunMail } from '../../mail-content/run-mail.ts';
import { loadCalendar, loadProfileCalendar } from '../../sending-rules/calendar.queries.ts';
import { leftOfDay, lockAcrossGroups } from '../../sending-rules/day-limits.queries.ts';
import type { Claim, ClaimedBatch, ClaimedRow } from '../leases/claim.ts';
import { leaseEnd } from '../leases/lease.queries.ts';
import { beginProbe, checkGate, type TransportState, transportRow } from '../pauses/breaker.queries.ts';
import { deferClosedRuns, deferToNextDay } from '../pauses/closed.queries.ts';
import { claimsAllowedFrom, isComparedWith } from '../pauses/installation.queries.ts';
import {
  advancePace,
  type DueProfile,
  lockDueProfile,
  type NotedSender,
  type ProfileKey,
  probeAgain,
} from '../queue/due-profiles.queries.ts';
import { cancelBlockedClaims, followAddresses } from './recheck.queries.ts';

export interface ClaimLimits {
  /** Connections of the worker. */
  readonly connections: number;
  /** The most rows to claim. */
  readonly rows: number;
  /** The installation's state at the worker's last receipt comparison; undefined: the worker keeps no receipts. */
  readonly installationState?: string | null | undefined;
}

type ClaimResult = ClaimedBatch & Omit<TransportState, 'gate' | 'now'>;

/**
 * Claims due mails of one sender for a worker, and checks again whether they may be sent. The throttle row of its
 * profile is locked first, so that pace and connections hold over all workers and all senders of the profile. The
 * sender with the oldest due mail comes first. All times are the database's: a worker's clock may be hours off.
 * @returns null: no mail is due; 'paused': all sending is paused; 'unknown-server': `installationState` is not the
 * current one
 */
export function claimDeliveries(
  db: Db,
  workerId: string,
  limits: ClaimLimits,
): Promise<ClaimResult | 'paused' | 'unknown-server' | null> {
  return db.transaction().execute(async (tx) => {
    const { gate, now, ...state } = await checkGate(tx, limits.installationState);
    if (gate === 'paused' || gate === 'unknown-server') return gate;
    const isProbe = gate === 'probe';
    const profile = await lockDueProfile(
      tx,
      workerId,
      Math.min(limits.connections, state.connectionsMax ?? limits.connections),
    );
    if (!profile) return null;
    const { account_id, connections, isLimited, acrossGroups } = profile;
    if (acrossGroups) await lockAcrossGroups(tx, account_id);
    const left = await leftToday(tx, profile, now);
    const rows = Math.min(isProbe || isLimited ? 1 : limits.rows, profile.mails, left || limits.rows);
    const found = await claimRows(tx, workerId, profile, { rows, testsOnly: left === 0 });
    await tidyAfterClaim(tx, profile, found.length < rows);
    const claims = await deferClosedRuns(tx, await withCalendar(tx, profile, found, now), now);
    // All rows were deferred, or cancelled or paused after their due note was written.
    if (claims.length === 0) return { claims: [], connections, ...state };
    await leaseConnections(tx, workerId, profile);
    await advancePace(tx, profile, claims.length);
    const mails = await mailsOfRuns(
      tx,
      account_id,
      claims.map(({ sendLogId }) => sendLogId),
    );
    const kept = await cancelBlockedClaims(tx, await followAddresses(tx, claims), mails, { now, acrossGroups });
    if (isProbe && kept[0]) await beginProbe(tx, kept[0]);
    if (isLimited && kept.length === 0) await probeAgain(tx, profile);
    return { claims: await withMails(tx, kept, mails, { isProbe, isLimitProbe: isLimited }), connections, ...state };
  });
}

/**
 * The reserved time of a run (the row `l`), in epoch milliseconds; null: sent at once, or a test.
 * @param sendAt column of its reservation
 */
export const reservedFor = (sendAt: Expression<unknown>) =>
  sql<number | null>`CASE WHEN NOT l.test_send_mode THEN (extract(epoch FROM ${sendAt}) * 1000)::double precision END`;

/**
 * Returns the seconds until the next due note or the end of a pause.
 * Reads one index row, whatever the number of senders.
 * @param installationState as in ClaimLimits; if it is not the current one, the result is 0
 * @returns Infinity: no mail is queued, or only a person can end the pause; 0 or less: claim now
 */
export async function secondsUntilDue(db: Db, installationState: string | null | undefined): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT CASE WHEN ${installationState === undefined ? sql`true` : isComparedWith(installationState)}
      THEN extract(epoch FROM
        coalesce(${claimsAllowedFrom}, CASE WHEN transport.paused_until > now() THEN transport.paused_until END,
          (SELECT min(due_at) FROM sender_due WHERE ${isNotFrozen('account_id')})))::double precision
        - extract(epoch FROM now())::double precision
      ELSE 0 END AS seconds
    FROM ${transportRow}, installation`.execute(db);
  return rows[0]?.seconds ?? Number.POSITIVE_INFINITY;
}

/**
 * Returns how many real mails a profile may still start today. At 0, defers its due ones to the next open day. Tests
 * are not limited.
 */
async function leftToday(
  tx: Tx,
  { account_id: accountId, profile_id: profileId, ...profile }: DueProfile,
  now: number,
): Promise<number> {
  if (!profile.hasDayLimit) return Number.POSITIVE_INFINITY;
  const day = await leftOfDay(tx, { accountId, profileId });
  if (!day) return Number.POSITIVE_INFINITY;
  if (day.left > 0) return day.left;
  const calendar = profile.hasCalendars
    ? await loadProfileCalendar(tx, { accountId, profileId }, now)
    : DEFAULT_CALENDAR;
  await deferToNextDay(tx, { account_id: accountId, profile_id: profileId }, calendar, day.today);
  return 0;
}

/** Claims due mails of the first of the senders. */
async function claimRows(
  tx: Tx,
  workerId: string,
  { account_id, senders: [sender] }: DueProfile,
  { rows: limit, testsOnly }: { readonly rows: number; readonly testsOnly: boolean },
): Promise<RowWithoutCalendar[]> {
  if (!sender?.hasMail) return [];
  const { rows } = await sql<RowWithoutCalendar>`
    WITH due AS (
      SELECT account_id, id FROM delivery
      WHERE account_id = ${account_id} AND sender_id = ${sender.id}
        AND state = 'queued' AND not_before <= now() ${testsOnly ? sql`AND test_send_mode` : sql``}
      ORDER BY not_before, id
      LIMIT ${limit}
      FOR UPDATE SKIP LOCKED
    )
    UPDATE delivery d
    SET state = 'claimed', worker_id = ${workerId}, claim_no = d.claim_no + 1, lease_until = ${leaseEnd}, put_off = NULL
    FROM due, send_log l LEFT JOIN reservation r ON r.account_id = l.account_id AND r.id = l.reservation_id
    WHERE d.account_id = due.account_id AND d.id = due.id AND l.account_id = d.account_id AND l.id = d.send_log_id
    RETURNING d.account_id AS "accountId", d.id, d.claim_no AS "claimNo",
      (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS "claimedAt", d.sender_id AS "senderId",
      d.profile_id AS "profileId", d.sender_group_id AS "senderGroupId", d.prospect_id AS "prospectId",
      d.test_send_mode AS test, d.attempts,
      d.mail_to AS "mailTo", d.company_name AS "companyName", d.person_in_charge AS "personInCharge",
      d.message_id AS "messageId", d.mail_date AS "mailDate", replace(d.mail_key::text, '-', '') AS "mailKey",
      d.send_log_id AS "sendLogId", d.follows_id AS "followsId",
      l.days_from_lastday AS "daysFromLastday", ${reservedFor(sql`r.send_at`)} AS "reservedFor"`.execute(tx);
  return rows;
}

type RowWithoutCalendar = Omit<ClaimedRow, 'calendar'>;

/** Adds the calendar of their group to the claimed rows of one sender. */
async function withCalendar(
  tx: Tx,
  { hasCalendars }: DueProfile,
  rows: readonly RowWithoutCalendar[],
  now: number,
): Promise<ClaimedRow[]> {
  const real = rows.find(({ test }) => !test);
  const calendar = real && hasCalendars ? await loadCalendar(tx, real, now) : DEFAULT_CALENDAR;
  return rows.map((row) => ({ ...row, calendar: row.test ? null : calendar }));
}

/** Leases the worker's share of the profile's connections. */
async function leaseConnections(
  tx: Tx,
  workerId: string,
  { account_id, profile_id, connections }: DueProfile,
): Promise<void> {
  await tx
    .insertInto('sender_connection')
    .values({ account_id, profile_id, worker_id: workerId, connections, lease_until: leaseEnd })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'profile_id', 'worker_id']).doUpdateSet({ connections, lease_until: leaseEnd }),
    )
    .execute();
}

/**
 * Reads the mail contents of runs, one object per run, shared by its claims.
 * Later claims get the same object, with all that perRun() derived from it, while the stored text is unchanged: parsing
 * and checking the templates costs as much as a hundred mails.
 */
async function mailsOfRuns(
  tx: Tx,
  accountId: number,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, RunMail>> {
  const { rows } = await sql<{ id: number; text: string }>`
    SELECT id, mail::text AS text FROM send_log
    WHERE account_id = ${accountId} AND id = ANY (${[...new Set(runIds)]}::bigint[])`.execute(tx);
  return new Map(rows.map(({ id, text }) => [id, mailOf(id, text)]));
}

/** Runs whose mail is cached between claims: a worker seldom sends more at a time. */
const RUNS_KEPT_MAX = 20;

/** The cached mails of runs, the latest used at the end. `text`: as stored. */
const latestMails = new Map<number, { readonly text: string; readonly mail: RunMail }>();

function mailOf(id: number, text: string): RunMail {
  const known = latestMails.get(id);
  const run = known?.text === text ? known : { text, mail: JSON.parse(text) as RunMail };
  latestMails.delete(id);
  latestMails.set(id, run);
  const [oldest] = latestMails.keys();
  if (latestMails.size > RUNS_KEPT_MAX && oldest !== undefined) latestMails.delete(oldest);
  return run.mail;
}

/** Adds the mail content to claimed rows. */
async function withMails(
  tx: Tx,
  claims: readonly ClaimedRow[],
  mails: ReadonlyMap<number, RunMail>,
  probes: Pick<Claim, 'isProbe' | 'isLimitProbe'>,
): Promise<Claim[]> {
  const [first] = claims;
  const followed = claims.flatMap(({ followsId }) => followsId ?? []);
  const follows = await readFollowedMails(tx, first?.accountId ?? 0, followed);
  return claims.map(({ companyName, personInCharge, followsId, ...row }) => ({
    ...row,
    ...probes,
    // The cast is safe: a foreign key guarantees that each mail has its run.
    mail: mails.get(row.sendLogId) as RunMail,
    target: {
      company_name: companyName,
      person_in_charge: personInCharge,
      mail_key: row.mailKey,
      // Missing where the mail that it follows was deleted.
      follows: follows.get(followsId ?? 0),
    },
  }));
}

/** The due notes that a sender keeps without tidying: each slows down every search for due mail. */
const DUE_NOTES_MAX = 10;

/**
 * Removes superfluous due notes after a claim, of the claimed sender and of senders without due mail.
 * @param wasEmptied fewer mails were due than asked for
 */
async function tidyAfterClaim(tx: Tx, { senders, ...profile }: DueProfile, wasEmptied: boolean): Promise<void> {
  const [claimed] = senders;
  const isUntidy = (sender: NotedSender) =>
    !sender.hasMail || (sender === claimed && (wasEmptied || sender.notes > DUE_NOTES_MAX));
  const untidy = senders.filter(isUntidy).map(({ id }) => id);
  if (untidy.length > 0) await tidyDueNotes(tx, profile, untidy);
}

/**
 * Leaves each sender one note: a due one while it has due mail, otherwise one for its next mail.
 * The caller must have locked the profile's throttle row. Notes and mails are read in one snapshot, so that a note
 * committed meanwhile stays.
 */
async function tidyDueNotes(
  tx: Tx,
  { account_id }: Pick<ProfileKey, 'account_id'>,
  senderIds: readonly number[],
): Promise<void> {
  await sql`
    WITH next AS MATERIALIZED (
      SELECT untidy.sender_id, d.not_before, d.not_before <= now() AS is_due
      FROM unnest(${senderIds}::bigint[]) AS untidy (sender_id) CROSS JOIN LATERAL (
        SELECT not_before FROM delivery
        WHERE account_id = ${account_id} AND sender_id = untidy.sender_id AND state = 'queued'
        ORDER BY not_before
        LIMIT 1
      ) AS d
    ), kept AS (
      SELECT DISTINCT ON (sender_id) id FROM sender_due
      WHERE account_id = ${account_id} AND sender_id IN (SELECT sender_id FROM next WHERE is_due)
      ORDER BY sender_id, due_at
    ), gone AS (
      DELETE FROM sender_due
      WHERE account_id = ${account_id} AND sender_id = ANY (${senderIds}::bigint[]) AND id NOT IN (SELECT id FROM kept)
    )
    INSERT INTO sender_due (account_id, sender_id, due_at)
    SELECT ${account_id}, sender_id, not_before FROM next WHERE NOT is_due AND not_before < 'infinity'`.execute(tx);
}
