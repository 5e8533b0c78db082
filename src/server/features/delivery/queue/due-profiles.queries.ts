import { type RawBuilder, sql } from 'kysely';
import { LIMIT_PROBE_SECONDS } from '#domain/sending/our-limit.ts';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { runPrepared } from '../../../platform/database/driver/prepared-query.ts';
import { isNotFrozen } from '../../../platform/database/frozen.ts';
import { hasCalendars } from '../../sending-rules/calendar.queries.ts';
import { hasDayLimit, looksAcrossGroups } from '../../sending-rules/day-limits.queries.ts';

export interface ProfileKey {
  account_id: number;
  profile_id: number;
}

/** A profile with due mail, whose throttle row this transaction has locked. */
export interface DueProfile extends ProfileKey {
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

export interface NotedSender {
  readonly id: number;
  /** Its due rows in `sender_due`: notes of due mail, which triggers write. */
  readonly notes: number;
  /** Whether it really has due mail. */
  readonly hasMail: boolean;
}

/** The pace of a profile (the row `t`): the operator's limit or the account's own, whichever is lower; NULL: none. */
const pace = sql`least(t.mails_per_minute, t.chosen_per_minute)`;

/** The mails that a profile without a pace may claim. */
const UNLIMITED_MAILS = sql.lit(1_000_000);

/** The most mails a profile with a pace may claim at once: a second's worth. */
const burst = sql`greatest(${pace} / 60, 1)`;

/** The time of mails at the profile's pace. A minute's mails count as 61 s, so that shareOf seldom delays one. */
const secondsOf = (mails: RawBuilder<unknown>) => sql`make_interval(secs => (${mails}) * 61.0 / ${pace})`;

/**
 * Whether the profile's pace permits a claim now.
 * No pace waits longer than 61 s. A `next_at` further ahead was written before the database's clock was set back.
 */
const isDue = sql`(${pace} IS NULL OR next_at <= now() OR next_at > now() + interval '2 minutes')`;

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
const notedSenders = sql`(
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
    CROSS JOIN ${shareOf(workerId, connectionsMax)}
    WHERE ${isDue} AND ${mayTry} AND share.connections > 0 AND share.mails > 0
    ORDER BY t.next_at
    LIMIT 1
    FOR UPDATE OF t SKIP LOCKED`;
  const [due] = await runPrepared(tx, 'delivery_due_profile', query);
  if (!due) return undefined;
  // Read again after locking: only a new statement sees a freeze, and what another worker claimed just before.
  const { rows } = await sql<Omit<DueProfile, 'senders'> & { senders: NotedSender[] | null }>`
    SELECT account_id, profile_id, share.connections, share.mails, limited_since IS NOT NULL AS "isLimited",
      ${hasCalendars(sql.ref('t.account_id'))} AS "hasCalendars",
      ${hasDayLimit(sql.ref('t.account_id'), sql.ref('t.profile_id'))} AS "hasDayLimit",
      ${looksAcrossGroups(sql.ref('t.account_id'))} AS "acrossGroups",
      ${notedSenders} AS senders
    FROM sender_throttle t CROSS JOIN ${shareOf(workerId, connectionsMax)}
    WHERE account_id = ${due.account_id} AND profile_id = ${due.profile_id} AND ${mayTry}
      AND ${isNotFrozen('account_id')} AND share.connections > 0 AND share.mails > 0`.execute(tx);
  const [found] = rows;
  return found?.senders ? { ...found, senders: found.senders } : undefined;
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
export async function advancePace(tx: Tx, { account_id, profile_id }: ProfileKey, claimed: number): Promise<void> {
  const lateness = secondsOf(sql`0.5 * ${burst}`);
  await sql`
    UPDATE sender_throttle AS t
    SET next_at = coalesce(
      greatest(least(next_at, now()), now() - ${lateness}) + ${secondsOf(sql.lit(claimed))},
      now()),
      probe_at = CASE WHEN limited_since IS NOT NULL THEN ${nextProbe} END
    WHERE account_id = ${account_id} AND profile_id = ${profile_id}`.execute(tx);
}
