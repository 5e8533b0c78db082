import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { CALENDAR_ITEMS, MAX_CALENDAR_DAYS, type ReservationState } from '#contract/sending/reservations-names.ts';
import type { viewReservationCalendar as calendarCall } from '#contract/sending/reservations-page.ts';
import { closingDayOn } from '#domain/sending/rules/closing-days.ts';
import { isOpenOn } from '#domain/sending/sending-hours.ts';
import { daysOf, lengthOf } from '#domain/time/report-period.ts';
import { dayOf, formatSecond, instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { fieldProblem, type Problem } from '../../platform/problem.ts';
import { readSentByDay } from '../reports/report.queries.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { calendarFor, DEFAULT_HOURS, readClosingDays, readHours } from '../sending-rules/calendar.queries.ts';
import { holidayOf } from '../sending-rules/holidays.ts';
import { countOf, joined, readWaiting, SUBJECT, stateOf } from './reservation-page.queries.ts';

type Answer = CallAnswer<typeof calendarCall>;

/** A reservation with the sums of its day. */
interface DayRow {
  readonly id: number;
  readonly send_at: Date;
  readonly subject: string;
  readonly group: Answer['days'][number]['items'][number]['group'];
  readonly targets: number;
  readonly state: ReservationState;
  readonly planned: number;
  readonly of_day: number;
}

/**
 * Reads the days on which a group sends.
 * @param senderGroupId null: all groups, which share only the common closing days
 * @returns a function that returns the rules of a day
 */
async function readRules(
  tx: Tx,
  { accountId, senderGroupId }: { readonly accountId: number; readonly senderGroupId: number | null },
  { from, now }: { readonly from: string; readonly now: number },
): Promise<(day: string) => Pick<Answer['days'][number], 'holiday' | 'closing_day' | 'is_open'>> {
  const hours = senderGroupId === null ? DEFAULT_HOURS : await readHours(tx, { accountId, senderGroupId });
  const closingDays = await readClosingDays(tx, { accountId, senderGroupId }, instantOf(from, 0));
  const calendar = calendarFor(hours, closingDays, now);
  const closing = closingDayOn(closingDays);
  return (day) => {
    const found = closing(day);
    return {
      holiday: holidayOf(day, dayOf(now)),
      closing_day: found === undefined || found.working ? null : found.name,
      is_open: asFlag(isOpenOn(day, calendar)),
    };
  };
}

/** Reads the account's real reservations of some days. @param now epoch milliseconds @returns them, or 400 */
export async function viewCalendar(
  account: AccountDb,
  { from, to, sender_group_id }: z.output<(typeof calendarCall)['query']>,
  now: number,
): Promise<Answer | Problem> {
  if (from > to || lengthOf({ from, to }) > MAX_CALENDAR_DAYS) {
    return fieldProblem('to', 'invalid_period', `期間は${MAX_CALENDAR_DAYS}日以内にしてください。`);
  }
  const accountId = account.id;
  return account.snapshot(async (tx) => {
    const waiting = await readWaiting(tx, accountId, now);
    const { rows } = await sql<DayRow>`
      SELECT * FROM (
        SELECT id, send_at, subject, targets, state,
          json_build_object('id', group_id, 'group_name', group_name) AS "group",
          row_number() OVER (PARTITION BY day ORDER BY send_at, id) AS place,
          coalesce(sum(targets) FILTER (WHERE state IN ('pending', 'refused')) OVER of_day, 0)::integer AS planned,
          (count(*) OVER of_day)::integer AS of_day
        FROM (
          SELECT reservation.id, reservation.send_at, ${SUBJECT} AS subject, ${countOf(accountId)} AS targets,
            sender_group.id AS group_id, sender_group.group_name,
            ${stateOf(waiting)} AS state, (reservation.send_at AT TIME ZONE 'Asia/Tokyo')::date AS day
          FROM ${joined(accountId)}
          WHERE reservation.active AND NOT reservation.test_send_mode
            AND reservation.send_at >= ${new Date(instantOf(from, 0))}
            AND reservation.send_at < ${new Date(instantOf(to, 0) + DAY_MS)}
            AND ${sender_group_id === undefined ? sql`true` : sql`reservation.sender_group_id = ${sender_group_id}`}
        ) listed
        WINDOW of_day AS (PARTITION BY day)
      ) placed WHERE place <= ${CALENDAR_ITEMS}
      ORDER BY send_at, id`.execute(tx);
    const sent = await readSentByDay(tx, { accountId, query: { sender_group_id }, period: { from, to } });
    const rulesOf = await readRules(tx, { accountId, senderGroupId: sender_group_id ?? null }, { from, now });
    const { per_day: limit } = await readAccountRule(tx, accountId);
    const byDay = Map.groupBy(rows, ({ send_at }) => dayOf(send_at.getTime()));
    return {
      days: daysOf({ from, to }).map((day) => {
        const items = byDay.get(day) ?? [];
        const [{ planned, of_day } = { planned: 0, of_day: 0 }] = items;
        return {
          day,
          ...rulesOf(day),
          limit,
          planned,
          sent: sent.get(day) ?? 0,
          items: items.map(({ id, send_at, subject, group, targets, state }) => ({
            id,
            send_at: formatSecond(send_at.getTime()),
            subject,
            group,
            targets,
            state,
          })),
          more: of_day - items.length,
        };
      }),
    };
  });
}
