import { LATEST_START_MINUTES, PICKER_FIRST_HOUR, PICKER_LAST_HOUR } from '../limits.ts';
import { addDays, WEEKDAYS, weekdayOf } from '../time/calendar.ts';
import { dayOf, instantOf } from '../time/tokyo-time.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';

/** Decides when mails may be sent. Instants are epoch milliseconds, days 'YYYY-MM-DD' in Tokyo. */

/** Open hours: from `opens` to before `closes`, in minutes since midnight of each such weekday. */
export interface Period {
  /** 0 (Sunday) to 6 (Saturday). */
  readonly weekday: number;
  readonly opens: number;
  readonly closes: number;
}

/**
 * How a mail outside of the open hours is treated.
 * - warn: it is sent, unless its run was reserved for an hour ago or longer. `hold`: it waits.
 */
export const OUTSIDE = ['warn', 'hold'] as const;
export type Outside = (typeof OUTSIDE)[number];

/** When a sender group is open. */
export interface Calendar {
  readonly periods: readonly Period[];
  readonly outside: Outside;
  /** Returns the name of the holiday or closing day on which the group is closed; null: not closed. */
  readonly closedBy: (day: string) => string | null;
  /** Returns whether the group works on the day although its weekday may have no period. */
  readonly isWorking: (day: string) => boolean;
}

/** The hours of a group without its own: the pickers' hours on weekdays, including holidays. */
export const DEFAULT_PERIODS: readonly Period[] = [1, 2, 3, 4, 5].map((weekday) => ({
  weekday,
  opens: PICKER_FIRST_HOUR * 60,
  closes: (PICKER_LAST_HOUR + 1) * 60,
}));

export const DEFAULT_CALENDAR: Calendar = {
  periods: DEFAULT_PERIODS,
  outside: 'warn',
  closedBy: () => null,
  isWorking: () => false,
};

/** The most days that are searched for the next open time. */
export const OPEN_DAYS_MAX = 400;

/** Returns the open times of a day, earliest first. */
function periodsOf(day: string, calendar: Calendar): readonly Period[] {
  if (calendar.closedBy(day) !== null) return [];
  const weekday = weekdayOf(day);
  const own = calendar.periods.filter((period) => period.weekday === weekday);
  if (own.length > 0 || !calendar.isWorking(day)) return own.toSorted((one, other) => one.opens - other.opens);
  return lastPeriods(weekday, calendar).toSorted((one, other) => one.opens - other.opens);
}

/** Returns the periods of the last weekday that has any: a working Saturday has Friday's hours. */
function lastPeriods(weekday: number, { periods }: Calendar): readonly Period[] {
  for (let back = 1; back < 7; back += 1) {
    const found = periods.filter((period) => period.weekday === (weekday + 7 - back) % 7);
    if (found.length > 0) return found;
  }
  return [];
}

/** Finds the open time that contains `instant`, or the next one. @returns null: none within OPEN_DAYS_MAX days */
function nextOpening(instant: number, calendar: Calendar): { opens: number; closes: number } | null {
  for (let day = dayOf(instant), n = 0; n <= OPEN_DAYS_MAX; day = addDays(day, 1), n += 1) {
    for (const period of periodsOf(day, calendar)) {
      const closes = instantOf(day, period.closes);
      if (instant < closes) return { opens: instantOf(day, period.opens), closes };
    }
  }
  return null;
}

/** Returns the first instant from `instant` on at which the group is open; null: none within OPEN_DAYS_MAX days. */
export function nextOpenTime(instant: number, calendar: Calendar): number | null {
  const opening = nextOpening(instant, calendar);
  return opening && Math.max(instant, opening.opens);
}

/** Returns until when the group is open; null: it is closed at `instant`. */
export function openUntil(instant: number, calendar: Calendar): number | null {
  const minute = (instant - instantOf(dayOf(instant), 0)) / MINUTE_MS;
  const now = periodsOf(dayOf(instant), calendar).find(({ opens, closes }) => opens <= minute && minute < closes);
  return now ? instantOf(dayOf(instant), now.closes) : null;
}

/** Returns whether the group is open at any time of a day. */
export const isOpenOn = (day: string, calendar: Calendar): boolean => periodsOf(day, calendar).length > 0;

/** Returns when the group opens on the next open day after `instant`'s; null as in nextOpenTime. */
export const nextDayOpening = (instant: number, calendar: Calendar): number | null =>
  nextOpenTime(instantOf(addDays(dayOf(instant), 1), 0), calendar);

/** The reason if neither the day nor its weekday is closed. */
export const OUTSIDE_HOURS = '時間外';

/** Returns why the group is closed, for people; null: it is open. */
export function closedReason(instant: number, calendar: Calendar): string | null {
  if (openUntil(instant, calendar) !== null) return null;
  const day = dayOf(instant);
  const name = calendar.closedBy(day);
  if (name !== null) return name;
  return periodsOf(day, calendar).length === 0 ? `${WEEKDAYS[weekdayOf(day)]}曜日` : OUTSIDE_HOURS;
}

/** A reserved mail that is later than this keeps to its group's hours. */
const GRACE_MS = LATEST_START_MINUTES * 60_000;

/** From when on a mail keeps to its group's open hours. Infinity: never. */
function keepsHoursFrom(reservedFor: number | null, calendar: Calendar | null): number {
  if (calendar === null) return Number.POSITIVE_INFINITY;
  if (calendar.outside === 'hold') return Number.NEGATIVE_INFINITY;
  return reservedFor === null ? Number.POSITIVE_INFINITY : reservedFor + GRACE_MS;
}

/** Returns whether a mail may have to wait for its group's open hours, now or later. */
export const keepsHours = (reservedFor: number | null, calendar: Calendar | null): boolean =>
  keepsHoursFrom(reservedFor, calendar) < Number.POSITIVE_INFINITY;

/** Returns the next open time, or the end of the search. A calendar without an open day cannot be saved. */
const openTime = (instant: number, calendar: Calendar): number =>
  nextOpenTime(instant, calendar) ?? instant + OPEN_DAYS_MAX * DAY_MS;

/**
 * Returns when a mail due at `instant` may be sent.
 * @param reservedFor the reserved time of its run; null: not reserved
 * @param calendar of its group; null: a test, which is sent at any time
 */
export const mayLeaveAt = (instant: number, reservedFor: number | null, calendar: Calendar | null): number =>
  calendar === null || instant < keepsHoursFrom(reservedFor, calendar) ? instant : openTime(instant, calendar);

/**
 * Returns the estimated end of `ms` of sending from `instant`, skipping closed hours.
 * @returns null: later than OPEN_DAYS_MAX days from `instant`
 */
export function endOfSending(
  instant: number,
  ms: number,
  reservedFor: number | null,
  calendar: Calendar | null,
): number | null {
  const keepsFrom = keepsHoursFrom(reservedFor, calendar);
  if (calendar === null || keepsFrom === Number.POSITIVE_INFINITY) return instant + ms;
  const latest = instant + OPEN_DAYS_MAX * DAY_MS;
  let at = mayLeaveAt(instant, reservedFor, calendar);
  for (let remaining = ms; at < latest; ) {
    const boundary = at < keepsFrom ? keepsFrom : (openUntil(at, calendar) ?? latest);
    if (remaining <= boundary - at) return at + remaining;
    remaining -= boundary - at;
    at = mayLeaveAt(boundary, reservedFor, calendar);
  }
  return null;
}
