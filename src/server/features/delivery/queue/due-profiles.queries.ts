import { type RawBuilder, sql } from 'kysely';
import { LIMIT_PROBE_SECONDS } from '#domain/sending/our-limit.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { runPrepared } from '../../../platform/database/driver/prepared-query.ts';
import { isNotFrozen } from '../../../platform/database/frozen.ts';
import { hasCalendars } from '../../sending-rules/calendar.queries.ts';
import { hasDayLimit, looksAcrossGroups } from '../../sending-rules/day-limits.queries.ts';
import type { ClaimedBox } from '../leases/claim.ts';

export interface ProfileKey {
  account_id: number;
  profile_id: number;
}

/** A profile with due mail, whose throttle row this transaction has locked. */
export interface DueProfile extends ProfileKey {
  /** The mailbox by which its mails leave; null: the mail server of the environment. */
  box: DueBox | null;
  /** Connections that the worker may hold. */
  connections: number;
  /** Mails that it may claim now. */
  mails: number;
  /** The mail server refuses its mails because of our quota: one mail may probe. */
  isLimited: boolean;
  /** A group of its account has its own hours or closing days. */
  hasCalendars: boolean;
  /** The profile has a limit of the day. */
  hasDayLimit: boolean;
  /** Mails of the account's other groups count for the re-send interval. */
  acrossGroups: boolean;
  /** The senders with due notes: the one with the oldest due mail first, those without due mail last. */
  senders: readonly NotedSender[];
}

/** The mailbox of a profile, whose row of mailbox_state this transaction has locked too. */
export interface DueBox extends ClaimedBox {
  /** Keys of the From addresses that it may use: its own, and others that a check proved. */
  readonly fromKeys: readonly string[];
  readonly perMinute: number;
  readonly perDay: number;
}

export interface NotedSender {
  readonly id: number;
  /** Its due rows in `sender_due`: notes of due mail, which triggers write. */
  readonly notes: number;
  /** Whether it really has due mail. */
  readonly hasMail: boolean;
}

/** The pace of a profile (the row `t`): the operator's limit or the account's own, whichever is lower; NULL: none. */
export const pace = sql`least(t.mails_per_minute, t.chosen_per_minute)`;

/** The mails that a profile without a pace may claim. */
const UNLIMITED_MAILS = sql.lit(1_000_000);

/** The most mails a profile with a pace may claim at once: a second's worth. */
const burstAt = (limit: RawBuilder<unknown>) => sql`greatest(${limit} / 60, 1)`;
const burst = burstAt(pace);

/**
 * Whether the profile's pace permits a claim now.
 * No pace waits longer than 61 s. A `next_at` further ahead was written before the database's clock was set back.
 */
export const isPaceDue = sql`next_at <= now() OR next_at > now() + interval '2 minutes'`;
const isDue = sql`(${pace} IS NULL OR ${isPaceDue})`;

/** Whether the mail server does not limit the profile (the row `t`), or a probe is due. */
const mayTry = sql`(t.probe_at IS NULL OR t.probe_at <= now())`;

/**
 * What a worker may claim of a profile (the row `t`), for a join. Each count is a subquery of its own, made once.
 *
 * - connections: as many as others' leases leave.
 * - mails: without a pace any number; with one a second's worth, within two bounds. A worker holds at most one mail for
 *   each connection: more would wait behind a slow server and then leave in a burst. And no more may reach the mail
 *   server in any minute than the pace permits: subtracts the mails that any worker holds and those finished within the
 *   last minute; later claims subtract the mails of this one. A deferred try (4xx) counts while it lasts. A finish far
 *   ahead of the clock of the database was written before it was set back: it does not count.
 */
const shareOf = (workerId: string, connectionsMax: number) => sql`LATERAL (
  SELECT room.connections, CASE WHEN ${pace} IS NULL THEN ${UNLIMITED_MAILS}
    ELSE least(${burst}, room.connections - held.here, ${pace} - held.anywhere - ended.mails) END AS mails
  FROM (
    SELECT least(${connectionsMax}::integer, t.max_connections - coalesce(sum(c.connections), 0)::integer)
      AS connections
    FROM sender_connection c
    WHERE c.account_id = t.account_id AND c.profile_id = t.profile_id AND c.worker_id <> ${workerId}
      AND c.lease_until > now()
  ) AS room, (
    SELECT count(*) FILTER (WHERE d.worker_id = ${workerId} AND d.lease_until > now())::integer AS here,
      count(*)::integer AS anywhere
    FROM delivery d
    WHERE ${pace} IS NOT NULL AND d.lease_until IS NOT NULL AND d.account_id = t.account_id
      AND d.profile_id = t.profile_id
  ) AS held, (
    SELECT count(*)::integer AS mails FROM delivery d
    WHERE ${pace} IS NOT NULL AND d.account_id = t.account_id AND d.profile_id = t.profile_id AND d.state <> 'cancelled'
      AND d.finished_at > now() - interval '1 minute' AND d.finished_at < now() + interval '2 minutes'
  ) AS ended
) AS share`;

/**
 * The senders of a profile (the row `t`) with due notes, for DueProfile. Looks at the first mail of each: a sender
 * without due mail keeps a due note only until a claim has tidied it.
 */
export const notedSenders = sql`(
  SELECT json_agg(json_build_object('id', noted.id, 'notes', noted.notes, 'hasMail', oldest.id IS NOT NULL)
    ORDER BY oldest.not_before, oldest.id)
  FROM (
    SELECT s.id, count(*) AS notes
    FROM sender s JOIN sender_due n ON n.account_id = s.account_id AND n.sender_id = s.id
    WHERE s.account_id = t.account_id AND s.profile_id = t.profile_id AND n.due_at <= now()
    GROUP BY s.id
  ) AS noted LEFT JOIN LATERAL (
    SELECT d.not_before, d.id FROM delivery d
    WHERE d.account_id = t.account_id AND d.sender_id = noted.id AND d.state = 'queued' AND d.not_before <= now()
    ORDER BY d.not_before, d.id
    LIMIT 1
  ) AS oldest ON true)`;

/** What a claim asks of a profile (the row `t`), as columns of DueProfile. */
export const dueFacts = sql`
  ${hasCalendars(sql.ref('t.account_id'))} AS "hasCalendars",
  ${hasDayLimit(sql.ref('t.account_id'), sql.ref('t.profile_id'))} AS "hasDayLimit",
  ${looksAcrossGroups(sql.ref('t.account_id'))} AS "acrossGroups",
  ${notedSenders} AS senders`;

/**
 * Locks the throttle row of a profile with a due sender, free connections, and mails left in its minute. Skips profiles
 * for which another worker is claiming.
 */
export async function lockDueProfile(
  tx: Tx,
  workerId: string,
  connectionsMax: number,
): Promise<DueProfile | undefined> {
  const query = sql<ProfileKey>`
    WITH due AS MATERIALIZED (
      SELECT DISTINCT s.account_id, s.profile_id
      FROM (SELECT DISTINCT account_id, sender_id FROM sender_due
        WHERE due_at <= now() AND ${isNotFrozen('account_id')}) AS noted
      JOIN sender s ON s.account_id = noted.account_id AND s.id = noted.sender_id
    )
    SELECT t.account_id, t.profile_id
    FROM due JOIN sender_throttle t ON t.account_id = due.account_id AND t.profile_id = due.profile_id
    JOIN sender_profile p ON p.account_id = t.account_id AND p.id = t.profile_id AND p.mailbox_id IS NULL
    CROSS JOIN ${shareOf(workerId, connectionsMax)}
    WHERE ${isDue} AND ${mayTry} AND share.connections > 0 AND share.mails > 0
    ORDER BY t.next_at
    LIMIT 1
    FOR UPDATE OF t SKIP LOCKED`;
  const [due] = await runPrepared(tx, 'delivery_due_profile', query);
  if (!due) return undefined;
  // Read again after locking: only a new statement sees a freeze, and what another worker claimed just before.
  const { rows } = await sql<Omit<DueProfile, 'box' | 'senders'> & { senders: NotedSender[] | null }>`
    SELECT t.account_id, t.profile_id, share.connections, share.mails, limited_since IS NOT NULL AS "isLimited",
      ${dueFacts}
    FROM sender_throttle t
    JOIN sender_profile p ON p.account_id = t.account_id AND p.id = t.profile_id AND p.mailbox_id IS NULL
    CROSS JOIN ${shareOf(workerId, connectionsMax)}
    WHERE t.account_id = ${due.account_id} AND t.profile_id = ${due.profile_id} AND ${mayTry}
      AND ${isNotFrozen('t.account_id')} AND share.connections > 0 AND share.mails > 0`.execute(tx);
  const [found] = rows;
  return found?.senders ? { ...found, box: null, senders: found.senders } : undefined;
}

/** When the next probe of a limited profile is due, if one runs now. */
export const nextProbe = sql<Date>`now() + make_interval(secs => ${sql.lit(LIMIT_PROBE_SECONDS)})`;

/** Lets a limited profile probe again at once, because its last probe reached no server. */
export async function probeAgain(db: Db, { account_id, profile_id }: ProfileKey) {
  await db
    .updateTable('sender_throttle')
    .set({ probe_at: sql<Date>`now()` })
    .where('account_id', '=', account_id)
    .where('profile_id', '=', profile_id)
    .where('limited_since', 'is not', null)
    .execute();
}

/**
 * Advances the profile's `next_at` by the claimed mails.
 * A profile behind its pace catches up by at most half a burst. A profile without a pace moves behind all others. A
 * limited profile's mail is its probe, so its next probe is due a while later, whatever the outcome.
 */
export async function advancePace(
  tx: Tx,
  { account_id, profile_id, box }: Pick<DueProfile, keyof ProfileKey | 'box'>,
  claimed: number,
): Promise<void> {
  const limit = sql`least(${pace}, ${box?.perMinute ?? null}::integer)`;
  // A minute's mails count as 61 s, so that the share of a minute seldom delays one.
  const secondsOf = (mails: RawBuilder<unknown>) => sql`make_interval(secs => (${mails}) * 61.0 / ${limit})`;
  const lateness = secondsOf(sql`0.5 * ${burstAt(limit)}`);
  // A mailbox has a pause of its own.
  const probeAt = box === null ? sql`CASE WHEN limited_since IS NOT NULL THEN ${nextProbe} END` : sql`probe_at`;
  await sql`
    UPDATE sender_throttle AS t
    SET next_at = coalesce(
      greatest(least(next_at, now()), now() - ${lateness}) + ${secondsOf(sql.lit(claimed))},
      now()),
      probe_at = ${probeAt}
    WHERE account_id = ${account_id} AND profile_id = ${profile_id}`.execute(tx);
}

/** The due notes that a sender keeps without tidying: each slows down every search for due mail. */
const DUE_NOTES_MAX = 10;

/**
 * Removes superfluous due notes after a claim, of the claimed sender and of senders without due mail.
 * @param wasEmptied fewer mails were due than asked for
 */
export async function tidyAfterClaim(tx: Tx, { senders, ...profile }: DueProfile, wasEmptied: boolean): Promise<void> {
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
