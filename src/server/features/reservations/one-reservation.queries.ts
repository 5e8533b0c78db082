import { sql } from 'kysely';
import type { ReservationChanges, ReservationDetail } from '#contract/reservations-page.ts';
import { nextOfficeTime, offHours } from '#domain/sending/off-hours.ts';
import { formatDayWithWeekday } from '#domain/time/calendar.ts';
import { dayOf, formatSecond, parseDateTime } from '#domain/time/tokyo-time.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { HOLIDAYS } from '../../platform/holidays.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { loadSender } from '../runs/order.queries.ts';
import { readReservation } from './reservation-page.queries.ts';

const MAX_HISTORY = 100;

/** Reads a reservation with its history and what is worth a look before it is sent. @returns or 404 */
export function viewReservation(account: AccountDb, id: number, now: number): Promise<ReservationDetail | Problem> {
  return account.snapshot(async (tx) => {
    const row = await readReservation(tx, account.id, id, now);
    if (!row) return notFound();
    return { ...row, history: await readHistory(tx, account.id, id), notes: await notesOf(tx, account.id, row) };
  });
}

type History = ReservationDetail['history'];

const KINDS = {
  reservation_made: 'made',
  reservation_changed: 'changed',
  reservation_deleted: 'deleted',
  run_accepted: 'started',
} as const;

/** Reads what members did with a reservation, newest first. */
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

async function notesOf(
  tx: Tx,
  accountId: number,
  { state, send_at, sender, test_send_mode }: Omit<ReservationDetail, 'history' | 'notes'>,
): Promise<Note[]> {
  if (state === 'sent' || state === 'waiting' || state === 'deleted') return [];
  const found = await loadSender(tx, { accountId, memberId: null, senderId: sender.id });
  const fault = found
    ? found.confirmed_at === null && test_send_mode === 0
      ? 'sender_unconfirmed'
      : null
    : 'sender_off';
  return [
    ...timeNotes(parseDateTime(send_at) ?? 0),
    ...(fault ? [{ code: fault, text: SENDER_NOTES[fault], next_open_at: null } as const] : []),
  ];
}

const SENDER_NOTES = {
  sender_off: 'テンプレート（送信者）が無効になっています。有効にするか、ほかのテンプレートを選んでください。',
  sender_unconfirmed:
    '差出人のメールアドレスがまだ確認されていません。送信日時までに確認するか、ほかのテンプレートを選んでください。',
} as const;

const OFF_HOURS = {
  weekend: '土曜日・日曜日に届きます。',
  early_morning: '早朝（5:00〜8:00）に届きます。',
  night: '夜間（21:00〜5:00）に届きます。',
} as const;

/** @param sendAt epoch milliseconds */
function timeNotes(sendAt: number): Note[] {
  const next_open_at = formatSecond(nextOfficeTime(sendAt, HOLIDAYS));
  const day = dayOf(sendAt);
  return offHours(sendAt, HOLIDAYS).map((why) =>
    why === 'holiday'
      ? { code: 'holiday', text: `${formatDayWithWeekday(day)}は${HOLIDAYS[day]?.name}（祝日）です。`, next_open_at }
      : { code: 'outside_hours', text: OFF_HOURS[why], next_open_at },
  );
}
