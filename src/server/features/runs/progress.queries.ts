import { sql } from 'kysely';
import type { Run } from '#contract/sending/runs.ts';
import { estimateEnd } from '#domain/sending/run-estimate.ts';
import { type Calendar, closedReason, DEFAULT_CALENDAR, mayLeaveAt } from '#domain/sending/sending-hours.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { MINUTE_MS } from '#domain/time-units.ts';
import type { Db } from '../../platform/database/db.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { reservedFor } from '../delivery/claim/claim.queries.ts';
import { readPauses } from '../delivery/pauses/breaker.queries.ts';
import type { KeptHours } from '../delivery/pauses/closed.queries.ts';
import { isUnread } from '../mailboxes/mailbox-state.command.ts';
import { isRepliedByHand } from '../replies/by-hand.queries.ts';
import { loadCalendars } from '../sending-rules/calendar.queries.ts';
import { hasDayLimit } from '../sending-rules/day-limits.queries.ts';
import { limitReasons } from './limit-reasons.queries.ts';

/** Reads the progress of a run. @returns null when the account has no such run. @param now epoch milliseconds */
export async function runProgress(db: Db, accountId: number, sendLogId: number, now: number): Promise<Run | null> {
  const [run] = await progressOf(db, accountId, [sendLogId], now);
  return run ?? null;
}

/** Whether all sending waits for the operator because the database was set back. */
export const isDatabaseRewound = async (db: Db): Promise<boolean> => (await readPauses(db)).isRewound;

/** Reads the progress of runs of the account, newest first. @param now epoch milliseconds */
export async function progressOf(
  db: Db,
  accountId: number,
  sendLogIds: readonly number[],
  now: number,
): Promise<Run[]> {
  if (sendLogIds.length === 0) return [];
  const runs = await countStates(db, accountId, sendLogIds);
  const reasonOf = await limitReasons(db, accountId, runs);
  const open = runs.filter(({ queued, sending }) => queued + sending > 0);
  const groups = open.flatMap(({ groupId, test_send_mode }) => (test_send_mode ? [] : [groupId]));
  const calendars = groups.length > 0 ? await loadCalendars(db, accountId, groups, now) : null;
  const pauses = open.length > 0 ? await readPauses(db) : null;
  const pausedUntil = asInstant(pauses?.pausedUntil);
  const limitedUntil = asInstant(pauses?.limitedUntil);
  const calendarOf = ({ groupId, test_send_mode }: Counted) =>
    test_send_mode ? null : (calendars?.get(groupId) ?? DEFAULT_CALENDAR);
  const conditions = { pausedUntil, limitedUntil, rewound: pauses?.isRewound ?? false, now };
  return mapInSlices(runs, (run) => asRun({ ...run, limitReason: reasonOf(run) }, conditions, calendarOf(run)));
}

/** The installation's state when the progress is read. Instants in epoch milliseconds. */
interface Conditions {
  /** The end of the transport's pause (for estimates also the run's); null: not paused. */
  readonly pausedUntil: number | null;
  /** The latest time at which the mail server accepts mails again; null: it does not limit all of them. */
  readonly limitedUntil: number | null;
  /** Whether sending waits for the operator because the database was set back. */
  readonly rewound: boolean;
  readonly now: number;
}

function asRun(
  {
    sentAt,
    startsAt,
    ahead,
    mailsPerMinute,
    recent,
    seconds,
    firstDueAt,
    lastDueAt,
    reservedFor,
    profileLimitedUntil,
    groupId: _group,
    limitEndsAt,
    limitReason,
    profileId: _profile,
    perDay: _perDay,
    hasDayLimit: isLimited,
    isUndone,
    mailboxId,
    boxWait,
    boxUntil,
    ...run
  }: Reasoned,
  installation: Conditions,
  calendar: Calendar | null,
): Run {
  const { rewound } = installation;
  const { pausedUntil, limitedUntil } = waitsOfServer({ mailboxId, profileLimitedUntil }, installation);
  const starts = asInstant(startsAt);
  const waitUntil = latest(latest(pausedUntil, limitedUntil), asInstant(boxUntil));
  // No mail is sent in the undo window, as in a pause.
  const conditions = { ...installation, pausedUntil: latest(waitUntil, starts) };
  const pace = { ahead, mailsPerMinute, recent, seconds, lastDueAt, reservedFor, calendar };
  const finished = run.queued + run.sending === 0;
  const paused_by = finished ? null : run.paused_by;
  // Without an end, because the mails of each day are unknown.
  const isWaiting = paused_by !== null || rewound || (boxWait !== null && boxUntil === null);
  const hasEnd = !finished && !isWaiting && !isLimited;
  return {
    ...run,
    test_send_mode: run.test_send_mode ? 1 : 0,
    sent_at: formatSecond(sentAt.getTime()),
    starts_at: asSecond(starts),
    finished,
    undone: isUndone ? 1 : 0,
    paused_by,
    transport_paused_until: finished ? null : asSecond(pausedUntil),
    limited_until: finished ? null : asSecond(limitedUntil),
    ...(finished
      ? { mailbox_wait: null, mailbox_until: null }
      : { mailbox_wait: boxWait, mailbox_until: asSecond(asInstant(boxUntil)) }),
    database_rewound: rewound && !finished,
    ...putOff({ firstDueAt, limitEndsAt, limitReason }, { reservedFor, calendar }, conditions),
    estimated_end_at: hasEnd ? asSecond(estimatedEnd(pace, conditions)) : null,
  };
}

/** Returns until when the mail server of the environment holds a run: no mail of a mailbox. */
function waitsOfServer(
  { mailboxId, profileLimitedUntil }: Pick<Counted, 'mailboxId' | 'profileLimitedUntil'>,
  { pausedUntil, limitedUntil }: Conditions,
): Pick<Conditions, 'pausedUntil' | 'limitedUntil'> {
  if (mailboxId !== null) return { pausedUntil: null, limitedUntil: null };
  return { pausedUntil, limitedUntil: latest(limitedUntil, asInstant(profileLimitedUntil)) };
}

/** An opening is a whole minute; mails deferred to it are due within a second of it. */
const wholeMinute = (at: Date | null): number | null => at && Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;

type PutOff = Pick<Run, 'put_off_until' | 'put_off_reason' | 'put_off_by'>;

/** Returns until when the queued mails wait, and why. @param limitReason if a limit of the day holds them */
function putOff(
  { firstDueAt, limitEndsAt, limitReason }: Pick<Reasoned, 'firstDueAt' | 'limitEndsAt' | 'limitReason'>,
  hours: KeptHours,
  conditions: Conditions,
): PutOff {
  const opensAt = deferredUntil(firstDueAt, hours, conditions);
  const limitEnd = wholeMinute(limitEndsAt);
  if (limitEnd !== null && limitEnd <= (opensAt ?? limitEnd))
    return { put_off_until: formatSecond(limitEnd), put_off_reason: limitReason, put_off_by: 'limit' };
  if (opensAt === null) return { put_off_until: null, put_off_reason: null, put_off_by: null };
  const reason = (hours.calendar && closedReason(conditions.now, hours.calendar)) ?? '時間外';
  return { put_off_until: formatSecond(opensAt), put_off_reason: reason, put_off_by: 'hours' };
}

const asInstant = (at: Date | null | undefined): number | null => at?.getTime() ?? null;

const latest = (one: number | null, other: number | null): number | null =>
  one === null ? other : Math.max(one, other ?? 0);

const asSecond = (instant: number | null): string | null => (instant === null ? null : formatSecond(instant));

/** Returns when the queued mails outside of the sending hours may be sent; null: none. */
function deferredUntil(
  firstDueAt: Date | null,
  { reservedFor, calendar }: KeptHours,
  { pausedUntil, now }: Conditions,
): number | null {
  if (firstDueAt === null) return null;
  const first = Math.max(now, firstDueAt.getTime(), pausedUntil ?? 0);
  const opensAt = mayLeaveAt(first, reservedFor, calendar);
  return opensAt > first || mayLeaveAt(now, reservedFor, calendar) > now ? opensAt : null;
}

function estimatedEnd(
  { recent, seconds, lastDueAt, ...pace }: Omit<Pace, 'firstDueAt'> & KeptHours,
  { pausedUntil, now }: Conditions,
): number | null {
  const lastDue = asInstant(lastDueAt) ?? now;
  return estimateEnd({ ...pace, recent: { mails: recent, seconds }, lastDueAt: lastDue, pausedUntil }, now);
}

type Reasoned = Counted & { readonly limitReason: string };

/** A run with its deliveries counted by state, and the inputs of its estimated end. */
type Counted = Omit<
  Run,
  | 'sent_at'
  | 'starts_at'
  | 'test_send_mode'
  | 'finished'
  | 'undone'
  | 'transport_paused_until'
  | 'limited_until'
  | 'mailbox_wait'
  | 'mailbox_until'
  | 'database_rewound'
  | keyof PutOff
  | 'estimated_end_at'
> &
  Pace & {
    readonly test_send_mode: boolean;
    readonly sentAt: Date;
    readonly startsAt: Date | null;
    /** Whether a user took the run back in or after its undo window, before any mail began to leave. */
    readonly isUndone: boolean;
    readonly profileLimitedUntil: Date | null;
    /** By which its mails leave; null: the mail server of the environment. */
    readonly mailboxId: number | null;
    /** Its limit of the day. */
    readonly perDay: number | null;
    /** null: the profile was deleted. */
    readonly profileId: number | null;
    readonly boxWait: Run['mailbox_wait'];
    /** null: only a member or a look ends the wait. */
    readonly boxUntil: Date | null;
    readonly groupId: number;
    /** Until when mails wait because a limit of the day is used up; null: none wait, or others are due. */
    readonly limitEndsAt: Date | null;
    /** Whether a limit of the day applies to its mails. */
    readonly hasDayLimit: boolean;
  };

/** The inputs of a run's estimated end. */
interface Pace {
  /** The profile's mails up to the last queued mail of the run, inclusive. */
  readonly ahead: number;
  /** The profile's limit; null: none. */
  readonly mailsPerMinute: number | null;
  /** Mails that ended in the last `seconds`. */
  readonly recent: number;
  /** 60, or less if the run's mails have been sent for less than a minute. */
  readonly seconds: number;
  /** The earliest and latest due times of the queued, unpaused mails; null: none. */
  readonly firstDueAt: Date | null;
  readonly lastDueAt: Date | null;
  /** The run's reserved time, in epoch milliseconds; null: not reserved, or a test. */
  readonly reservedFor: number | null;
}

/** Why mails of a mailbox (the rows `box` and `state`) wait; NULL: they do not. */
const boxWait = sql<Run['mailbox_wait']>`CASE WHEN box.state <> 'ok' THEN 'disconnected'
  WHEN state.paused_until > now() THEN state.why
  WHEN ${isUnread('box')} THEN 'unread' END`;

async function countStates(db: Db, accountId: number, sendLogIds: readonly number[]): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    SELECT l.id, l.test_send_mode, l.sent_at AS "sentAt", l.starts_at AS "startsAt", g.group_name, l.send_to,
      coalesce(l.mail->>'subject', '') AS subject,
      l.targets, l.paused_by, counts.queued, counts.sending, counts.sent, counts.failed, counts.unknown,
      counts.cancelled, counts.replied, counts.replied_by_hand, counts.refused, counts.archived, counts.recent,
      l.cancelled AND l.starts_at IS NOT NULL AND counts.sending + counts.sent + counts.failed + counts.unknown = 0
        AS "isUndone",
      counts."firstDueAt", counts."lastDueAt", counts."limitEndsAt", l.sender_group_id AS "groupId",
      NOT l.test_send_mode AND (${hasDayLimit(sql.ref('s.account_id'), sql.ref('s.profile_id'))}
        OR coalesce(counts.queued > box.per_day, false)) AS "hasDayLimit",
      extract(epoch FROM least(now() - greatest(l.sent_at, l.starts_at), interval '1 minute'))::double precision
        AS seconds,
      ${reservedFor(sql`r.send_at`)} AS "reservedFor",
      least(t.mails_per_minute, t.chosen_per_minute, box.per_minute) AS "mailsPerMinute",
      t.limited_until AS "profileLimitedUntil", p.mailbox_id AS "mailboxId", box.per_day AS "perDay",
      s.profile_id AS "profileId", ${boxWait} AS "boxWait",
      CASE WHEN ${boxWait} = state.why THEN greatest(state.told_until, state.paused_until) END AS "boxUntil",
      counts.sending + CASE WHEN counts."lastDueAt" IS NULL THEN 0 ELSE (
        SELECT count(*)::integer FROM delivery d
        WHERE d.account_id = l.account_id AND d.sender_id = ANY (ARRAY(
            SELECT sharing.id FROM sender sharing
            WHERE sharing.account_id = l.account_id AND sharing.profile_id = s.profile_id
          )) AND d.state = 'queued' AND d.not_before <= counts."lastDueAt"
      ) END AS ahead
    FROM send_log l
    JOIN sender_group g ON g.account_id = l.account_id AND g.id = l.sender_group_id
    LEFT JOIN reservation r ON r.account_id = l.account_id AND r.id = l.reservation_id
    LEFT JOIN sender s ON s.account_id = l.account_id AND s.id = l.sender_id
    LEFT JOIN sender_throttle t ON t.account_id = s.account_id AND t.profile_id = s.profile_id
    LEFT JOIN sender_profile p ON p.account_id = s.account_id AND p.id = s.profile_id
    LEFT JOIN mailbox box ON box.account_id = p.account_id AND box.id = p.mailbox_id
    LEFT JOIN mailbox_state state ON state.account_id = box.account_id AND state.mailbox_id = box.id
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE d.state = 'queued')::integer AS queued,
        count(*) FILTER (WHERE d.state IN ('claimed', 'sending'))::integer AS sending,
        count(*) FILTER (WHERE d.state = 'sent')::integer AS sent,
        count(*) FILTER (WHERE d.state = 'failed')::integer AS failed,
        count(*) FILTER (WHERE d.state = 'unknown')::integer AS unknown,
        count(*) FILTER (WHERE d.state = 'cancelled')::integer AS cancelled,
        count(*) FILTER (WHERE d.replied)::integer AS replied,
        count(*) FILTER (WHERE ${isRepliedByHand})::integer AS replied_by_hand,
        count(*) FILTER (WHERE d.refused)::integer AS refused,
        count(*) FILTER (WHERE d.blanked_at IS NOT NULL)::integer AS archived,
        count(*) FILTER (
          WHERE d.state IN ('sent', 'failed', 'unknown') AND d.finished_at > now() - interval '1 minute'
        )::integer AS recent,
        min(d.not_before) FILTER (WHERE d.state = 'queued' AND d.not_before <> 'infinity') AS "firstDueAt",
        max(d.not_before) FILTER (WHERE d.state = 'queued' AND d.not_before <> 'infinity') AS "lastDueAt",
        CASE WHEN bool_and(d.not_before > now()) FILTER (WHERE d.state = 'queued') THEN min(d.not_before) FILTER (
          WHERE d.state = 'queued' AND d.put_off = 'limit' AND d.not_before <> 'infinity') END AS "limitEndsAt"
      FROM delivery d
      WHERE d.account_id = l.account_id AND d.send_log_id = l.id
    ) counts
    WHERE l.account_id = ${accountId} AND l.id = ANY(${sendLogIds}::bigint[])
    ORDER BY l.id DESC`.execute(db);
  return rows;
}
