import { queryOptions, useQuery } from '@tanstack/react-query';
import { nextOfficeTime, timeNote } from '#domain/sending/off-hours.ts';
import { calendarOf, warnedHours } from '#domain/sending/rules/closing-days.ts';
import { call } from '#web/lib/call.ts';
import { holidays } from '#web/lib/holidays.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { RESERVATION_LIST } from '#web/lib/query-keys.ts';
import type { ReservationDetail } from '../reservation-queries.ts';

const hoursOfGroup = (groupId: number) =>
  queryOptions({
    queryKey: [RESERVATION_LIST, 'hours', groupId],
    queryFn: async ({ signal }) => {
      const params = { sender_group_id: String(groupId) };
      return unwrap(await call('getSendingRules', { params }, { signal }));
    },
    staleTime: 0,
    meta: { quiet: true },
  });

const NOTHING = { text: null, next: null };

/**
 * Judges a time by the rules of a reservation's group, as the server does.
 * @param at epoch milliseconds
 * @returns what a person should know of it, and the next open time; nothing for a test, and while the rules load
 */
export function useTimeNote(
  { group, test_send_mode }: ReservationDetail,
  at: number,
): { readonly text: string | null; readonly next: number | null } {
  const { data: rules } = useQuery({ ...hoursOfGroup(group.id), enabled: test_send_mode === 0 });
  const { data: names } = useQuery(holidays);
  if (rules === undefined || names === undefined) return NOTHING;
  const { periods, outside, version, on_holidays, closing_days } = rules;
  const holidayOf = (day: string): string | null => names[day]?.name ?? null;
  const closingDays = closing_days.map(({ first_day, last_day, name, working, yearly }) => ({
    firstDay: first_day,
    lastDay: last_day,
    name,
    working: working === 1,
    yearly: yearly === 1,
  }));
  const hours = warnedHours({ periods, outside, version, onHolidays: on_holidays === 1 });
  const calendar = calendarOf(hours, closingDays, holidayOf);
  const note = timeNote(at, calendar, holidayOf);
  return note === null ? NOTHING : { text: asMessage(note.text), next: nextOfficeTime(at, calendar) };
}
