import { sql } from 'kysely';
import type { ReservationChanges, ReservationDetail } from '#contract/sending/reservations-page.ts';
import { nextOfficeTime, timeNote } from '#domain/sending/off-hours.ts';
import { warnedHours } from '#domain/sending/rules/closing-days.ts';
import { nextDayOpening } from '#domain/sending/sending-hours.ts';
import { dayInSentence, timeInSentence } from '#domain/time/shown-time.ts';
import { dayOf, formatSecond, instantOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { loadSender } from '../runs/order.queries.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { calendarFor, readClosingDays, readHours } from '../sending-rules/calendar.queries.ts';
import { leftOfAccount } from '../sending-rules/day-limits.queries.ts';
import { holidayOf } from '../sending-rules/holidays.ts';
import { readLimits, type StoredLimit, stateOfToday } from '../sending-rules/limits.queries.ts';
import { isMissed } from './due.command.ts';
import { readReservation } from './reservation-page.queries.ts';

const MAX_HISTORY = 100;

/** Reads a reservation with its history, and with notes to check before it is sent. @returns it, or 404 */
export function viewReservation(account: AccountDb, id: number, now: number): Promise<ReservationDetail | Problem> {
  return account.snapshot(async (tx) => {
    const row = await readReservation(tx, account.id, id, now);
    if (!row) return notFound();
    return { ...row, history: await readHistory(tx, account.id, id), notes: await notesOf(tx, account.id, row, now) };
  });
}

type History = ReservationDetail['history'];

const KINDS = {
  reservation_made: 'made',
  reservation_changed: 'changed',
  reservation_deleted: 'deleted',
  run_accepted: 'started',
} as const;

/** Reads a reservation's history of changes by members, newest first. */
async function readHistory(tx: Tx, accountId: number, id: number): Promise<History> {
  const { rows } = await sql<{
    readonly at: Date;
    readonly kind: keyof typeof KINDS;
    readonly member_name: string | null;
    readonly targets: number | null;
    readonly changes: ReservationChanges | null;
  }>`
    SELECT event.at, event.kind, member.name AS member_name, (event.detail ->> 'targets')::integer AS targets,
      event.detail -> 'changes' AS changes
    FROM audit_event event
    LEFT JOIN member ON member.account_id = event.account_id AND member.id = event.member_id
    WHERE event.account_id = ${accountId} AND event.detail ->> 'reservation_id' = ${String(id)}
      AND event.kind = ANY(${Object.keys(KINDS)}::text[])
    ORDER BY event.id DESC LIMIT ${MAX_HISTORY}`.execute(tx);
  return rows.map(({ at, kind, member_name, targets, changes }) => ({
    at: formatSecond(at.getTime()),
    member_name,
    kind: KINDS[kind],
    changes: { ...changes, ...(targets !== null && targets > 0 && { added: targets }) },
  }));
}

type Note = ReservationDetail['notes'][number];
type Row = Omit<ReservationDetail, 'history' | 'notes'>;

const ENDED: ReadonlySet<Row['state']> = new Set(['sent', 'waiting', 'cancelled', 'deleted']);

async function notesOf(tx: Tx, accountId: number, row: Row, now: number): Promise<Note[]> {
  if (ENDED.has(row.state)) return [];
  const isReal = row.test_send_mode === 0;
  const found = await loadSender(tx, { accountId, memberId: null, senderId: row.sender.id });
  const fault = found ? (!found.may_send && isReal ? 'sender_unconfirmed' : null) : 'sender_off';
  return [
    ...(isReal ? await timeNotes(tx, accountId, row, now) : []),
    ...(fault ? [{ code: fault, text: SENDER_NOTES[fault], next_open_at: null } as const] : []),
  ];
}

const SENDER_NOTES = {
  sender_off: 'テンプレート（送信者）が無効になっています。有効にするか、ほかのテンプレートを選んでください。',
  sender_unconfirmed:
    '差出人のメールアドレスがまだ確認されていないか、メールボックスから送れません。送信日時までに直すか、ほかのテンプレートを選んでください。',
} as const;

const secondOf = (instant: number | null): string | null => (instant === null ? null : formatSecond(instant));

/** Checks the reserved time against the rules of its group, and its day against the limits. */
async function timeNotes(tx: Tx, accountId: number, row: Row, now: number): Promise<Note[]> {
  const group = { accountId, senderGroupId: row.group.id };
  const hours = warnedHours(await readHours(tx, group));
  const calendar = calendarFor(hours, await readClosingDays(tx, group, now), now);
  const sendAt = parseDateTime(row.send_at) ?? 0;
  const found = timeNote(sendAt, calendar, (day) => holidayOf(day, dayOf(now)), now);
  const over = row.state === 'missed' || row.state === 'held' ? null : await overLimit(tx, accountId, row, sendAt, now);
  const next = nextDayOpening(sendAt, calendar);
  const then = next === null ? '' : `超えた分は${timeInSentence(next, now)}から送信します。`;
  return [
    ...(found ? [{ ...found, next_open_at: secondOf(nextOfficeTime(sendAt, calendar)) }] : []),
    ...(over === null ? [] : [{ code: 'over_limit', text: over + then, next_open_at: secondOf(next) } as const]),
  ];
}

/** Returns by how much a day's real reservations exceed its limit; null: not exceeded. */
async function overLimit(
  tx: Tx,
  accountId: number,
  { sender }: Row,
  sendAt: number,
  now: number,
): Promise<string | null> {
  const day = dayOf(sendAt);
  const { rows } = await sql<{ readonly profile: number; readonly ofProfile: number; readonly all: number }>`
    SELECT own.profile_id AS profile, count(*)::integer AS all,
      (count(*) FILTER (WHERE sender.profile_id = own.profile_id))::integer AS "ofProfile"
    FROM sender own
    JOIN reservation ON reservation.account_id = own.account_id
      AND reservation.active AND NOT reservation.is_sent AND NOT reservation.test_send_mode AND NOT ${isMissed}
      AND reservation.send_at >= ${new Date(instantOf(day, 0))}
      AND reservation.send_at < ${new Date(instantOf(day, 0) + DAY_MS)}
    JOIN sender ON sender.account_id = reservation.account_id AND sender.id = reservation.sender_id
    JOIN reservation_target target ON target.account_id = reservation.account_id
      AND target.reservation_id = reservation.id
    WHERE own.account_id = ${accountId} AND own.id = ${sender.id}
    GROUP BY own.profile_id`.execute(tx);
  const [planned] = rows;
  if (!planned) return null;
  const isToday = day === dayOf(now);
  const [limit] = await readLimits(tx, accountId, sql.lit(planned.profile));
  const ofAccount = isToday ? await leftOfAccount(tx, accountId) : (await readAccountRule(tx, accountId)).per_day;
  const over = [
    { companies: planned.all, left: ofAccount ?? Infinity },
    // The growth of a ramp until a later day is unknown.
    { companies: planned.ofProfile, left: limit ? (isToday ? leftOf(limit) : limit.perDay) : Infinity },
  ]
    .filter(({ companies, left }) => companies > left)
    .toSorted((one, other) => one.left - other.left)[0];
  if (!over) return null;
  return `${dayInSentence(day, now)}の予約は合わせて${over.companies}社で、この日に送れる${over.left}通を超えます。`;
}

function leftOf(limit: StoredLimit): number {
  const { limit: most, used } = stateOfToday(limit);
  return Math.max(0, most - used);
}
