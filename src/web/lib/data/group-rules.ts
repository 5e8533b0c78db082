import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { type ClosedDay, closedDay, nextOfficeTime, timeNote } from '#domain/sending/off-hours.ts';
import { type ClosingDay, calendarOf, warnedHours } from '#domain/sending/rules/closing-days.ts';
import type { Calendar } from '#domain/sending/sending-hours.ts';
import { type AnswerOf, call } from '../api/call.ts';
import { unwrap } from '../api/query-client.ts';
import { SENDING_RULES } from '../api/query-keys.ts';
import { serverNow } from '../api/server-clock.ts';
import { asMessage } from '../phrases.ts';
import { holidays } from './holidays.ts';

/* The rules of a sender group, shown in its settings, orders and reservations, and their effect on a time. */

export type GroupRules = AnswerOf<'getSendingRules'>;

/** Fetches the rules of a group, with their current state. */
export const groupRules = (groupId: number) =>
  queryOptions({
    queryKey: [SENDING_RULES, groupId],
    queryFn: async ({ signal }): Promise<GroupRules> =>
      unwrap(await call('getSendingRules', { params: { sender_group_id: String(groupId) } }, { signal })),
    // Contains the current state.
    staleTime: 0,
  });

/** Reloads all queries that show hours and closing days. */
export async function reloadRules(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: [SENDING_RULES] });
}

type ClosingRow = Pick<GroupRules['closing_days'][number], 'first_day' | 'last_day' | 'name' | 'working' | 'yearly'>;

/** Converts a closing day of the API to the form of the domain's rules. */
export const closingDayOf = ({ first_day, last_day, name, working, yearly }: ClosingRow): ClosingDay => ({
  firstDay: first_day,
  lastDay: last_day,
  name,
  working: working === 1,
  yearly: yearly === 1,
});

type HolidayOf = (day: string) => string | null;

type Hours = Pick<GroupRules, 'periods' | 'outside' | 'version' | 'on_holidays'>;

const hoursOf = ({ periods, outside, version, on_holidays }: Hours) => ({
  periods,
  outside,
  version,
  onHolidays: on_holidays === 1,
});

/** Returns the calendar by which mails are sent, as on the server. */
export const sendingCalendar = (rules: Hours, closingDays: readonly ClosingRow[], holidayOf: HolidayOf): Calendar =>
  calendarOf(hoursOf(rules), closingDays.map(closingDayOf), holidayOf);

/** Returns the calendar by which users are warned about a time, as on the server. */
export const warnedCalendar = (
  rules: Hours & { readonly closing_days: readonly ClosingRow[] },
  holidayOf: HolidayOf,
): Calendar => calendarOf(warnedHours(hoursOf(rules)), rules.closing_days.map(closingDayOf), holidayOf);

/** What the rules of a group say about a time. */
export interface TimeNote {
  /** A note for the user; null: the group is open then. */
  readonly text: string | null;
  /** The next open time that can be reserved; null: not needed. */
  readonly next: number | null;
  /** Whether mails wait for the next open time, so that no decision is needed. */
  readonly isHeld: boolean;
  /** Whether the group has saved hours or closing days. */
  readonly isOwn: boolean;
  /** Why nothing is known: the rules are loading, or cannot be loaded. */
  readonly unknown: 'loading' | 'failed' | null;
}

const NOTHING: TimeNote = { text: null, next: null, isHeld: false, isOwn: false, unknown: null };

/**
 * Fetches the rules of a group, and returns its calendar.
 * @param groupId undefined: no group
 * @returns null without a group
 */
function useCalendar(groupId: number | undefined) {
  const query = { ...groupRules(groupId ?? 0), enabled: groupId !== undefined, meta: { quiet: true } };
  const { data: rules, isError } = useQuery(query);
  const { data: names, isError: hasNoHolidays } = useQuery(holidays);
  if (groupId === undefined) return null;
  if (rules === undefined || names === undefined) return isError || hasNoHolidays ? 'failed' : 'loading';
  const holidayOf: HolidayOf = (day) => names[day]?.name ?? null;
  return { rules, calendar: warnedCalendar(rules, holidayOf), holidayOf };
}

/**
 * Returns why a group is closed on a day, for the dates that its mails offer.
 * @param groupId undefined: no group
 * @returns null: open, or the rules are loading
 */
export function useClosedDays(groupId: number | undefined): (day: string) => ClosedDay | null {
  const loaded = useCalendar(groupId);
  if (loaded === null || typeof loaded === 'string') return () => null;
  return (day) => closedDay(day, loaded.calendar, loaded.holidayOf, serverNow());
}

/**
 * Checks a time against the rules of a group, as the server does.
 * @param groupId undefined: not needed, as for a test
 * @param at epoch milliseconds
 */
export function useTimeNote(groupId: number | undefined, at: number): TimeNote {
  const loaded = useCalendar(groupId);
  if (loaded === null) return NOTHING;
  if (typeof loaded === 'string') return { ...NOTHING, unknown: loaded };
  const { rules, calendar, holidayOf } = loaded;
  const isOwn = rules.version > 0 || rules.closing_days.length > 0;
  const note = timeNote(at, calendar, holidayOf, serverNow());
  if (note === null) return { ...NOTHING, isOwn };
  const isHeld = calendar.outside === 'hold';
  return { ...NOTHING, text: asMessage(note.text), next: nextOfficeTime(at, calendar), isHeld, isOwn };
}
