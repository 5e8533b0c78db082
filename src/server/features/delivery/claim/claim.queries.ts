import { type Expression, sql } from 'kysely';
import { DEFAULT_CALENDAR } from '#domain/sending/sending-hours.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { readFollowedMails } from '../../mail-content/followed-mails.queries.ts';
import type { RunMail } from '../../mail-content/run-mail.ts';
import { loadCalendar, loadProfileCalendar } from '../../sending-rules/calendar.queries.ts';
import { leftOfDay, lockAcrossGroups } from '../../sending-rules/day-limits.queries.ts';
import type { Claim, ClaimedBatch, ClaimedRow } from '../leases/claim.ts';
import { leaseEnd } from '../leases/lease.queries.ts';
import { beginProbe, checkGate, type TransportState, transportRow } from '../pauses/breaker.queries.ts';
import { deferClosedRuns, deferToNextDay } from '../pauses/closed.queries.ts';
import { claimsAllowedFrom, isComparedWith } from '../pauses/installation.queries.ts';
import { nextBoxNote, nextRelayNote } from '../queue/due-boxes.queries.ts';
import {
  advancePace,
  type DueProfile,
  lockDueProfile,
  probeAgain,
  tidyAfterClaim,
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
    const profile = await lockDueProfile(
      tx,
      workerId,
      Math.min(limits.connections, state.connectionsMax ?? limits.connections),
    );
    if (!profile) return null;
    const isProbe = gate === 'probe';
    return { ...(await claimFrom(tx, workerId, profile, { rows: limits.rows, isProbe, now })), ...state };
  });
}

interface ClaimFrom {
  readonly rows: number;
  readonly isProbe: boolean;
  /** Epoch milliseconds, by the database's clock. */
  readonly now: number;
}

/** Claims due mails of a locked profile, of its sender with the oldest one. */
export async function claimFrom(
  tx: Tx,
  workerId: string,
  profile: DueProfile,
  { rows: most, isProbe, now }: ClaimFrom,
): Promise<ClaimedBatch> {
  const { account_id, connections, isLimited, acrossGroups, box } = profile;
  if (acrossGroups) await lockAcrossGroups(tx, account_id);
  const left = await leftToday(tx, profile, now);
  const rows = Math.min(isProbe || isLimited ? 1 : most, profile.mails, left || most);
  const found = await claimRows(tx, workerId, profile, { rows, testsOnly: left === 0 });
  await tidyAfterClaim(tx, profile, found.length < rows);
  const claims = await deferClosedRuns(tx, await withCalendar(tx, profile, found, now), now);
  // All rows were deferred, or cancelled or paused after their due note was written.
  if (claims.length === 0) return { claims: [], connections };
  await leaseConnections(tx, workerId, profile);
  await advancePace(tx, profile, claims.length);
  const mails = await mailsOfRuns(
    tx,
    account_id,
    claims.map(({ sendLogId }) => sendLogId),
  );
  const kept = await cancelBlockedClaims(tx, await followAddresses(tx, claims), mails, { now, acrossGroups, box });
  if (isProbe && kept[0]) await beginProbe(tx, kept[0]);
  if (isLimited && kept.length === 0) await probeAgain(tx, profile);
  const common = { isProbe, isLimitProbe: isLimited, box };
  return { claims: await withMails(tx, kept, mails, common), connections };
}

/**
 * The reserved time of a run (the row `l`), in epoch milliseconds; null: sent at once, or a test.
 * @param sendAt column of its reservation
 */
export const reservedFor = (sendAt: Expression<unknown>) =>
  sql<number | null>`CASE WHEN NOT l.test_send_mode THEN (extract(epoch FROM ${sendAt}) * 1000)::double precision END`;

/**
 * Returns the seconds until the next due note or the end of a pause.
 * Reads index rows until the first note that counts, whatever the number of senders.
 * @param installationState as in ClaimLimits; if it is not the current one, the result is 0
 * @param keys ids of the keys of this process: for mails that leave by mailboxes, which no pause of the transport
 * holds; absent: for those that leave by the transport
 * @returns Infinity: no mail is queued, or only a person can end the pause; 0 or less: claim now
 */
export async function secondsUntilDue(
  db: Db,
  installationState: string | null | undefined,
  keys?: readonly number[],
): Promise<number> {
  const pausedUntil = sql`CASE WHEN transport.paused_until > now() THEN transport.paused_until END`;
  const next = keys ? nextBoxNote(keys) : sql`${pausedUntil}, ${nextRelayNote}`;
  const { rows } = await sql<{ seconds: number | null }>`
    SELECT CASE WHEN ${installationState === undefined ? sql`true` : isComparedWith(installationState)}
      THEN extract(epoch FROM coalesce(${claimsAllowedFrom}, ${next}))::double precision
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
  const day = await leftOfDay(tx, { accountId, profileId }, profile.box);
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
      d.person_id AS "personId", d.merge_values AS "mergeValues", l.send_to AS "sendTo",
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
  { account_id, profile_id, connections, box }: DueProfile,
): Promise<void> {
  const share = { connections, lease_until: leaseEnd, mailbox_id: box?.id ?? null };
  await tx
    .insertInto('sender_connection')
    .values({ account_id, profile_id, worker_id: workerId, ...share })
    .onConflict((conflict) => conflict.columns(['account_id', 'profile_id', 'worker_id']).doUpdateSet(share))
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
  common: Pick<Claim, 'isProbe' | 'isLimitProbe' | 'box'>,
): Promise<Claim[]> {
  const [first] = claims;
  const followed = claims.flatMap(({ followsId }) => followsId ?? []);
  const follows = await readFollowedMails(tx, first?.accountId ?? 0, followed);
  return claims.map(({ companyName, personInCharge, personId, mergeValues, followsId, ...row }) => ({
    ...row,
    ...common,
    // The cast is safe: a foreign key guarantees that each mail has its run.
    mail: mails.get(row.sendLogId) as RunMail,
    target: {
      company_name: companyName,
      person_in_charge: personInCharge,
      mail_key: row.mailKey,
      person_id: personId,
      merge_values: mergeValues,
      // Missing where the mail that it follows was deleted.
      follows: follows.get(followsId ?? 0),
    },
  }));
}
