import { type DayRange, dayFault } from '#domain/sending/picker-window.ts';
import { defaultSendAt, slotsOfDay } from '#domain/sending/reservation-window.ts';
import { addDays, isDay } from '#domain/time/calendar.ts';
import { dayOf, formatTimeOfDay, minuteOfDay, parseTimeOfDay } from '#domain/time/tokyo-time.ts';

/** Builds the choices of the pickers. Days are 'YYYY-MM-DD' and times `H:mm`, in Tokyo; `now` is epoch milliseconds. */

export interface DayChoice {
  readonly day: string;
  /** false: shown, but cannot be chosen. */
  readonly isOffered: boolean;
}

/**
 * Returns the days of a window, in which weekends are not offered.
 * A chosen day outside the window is listed too.
 *
 * @param also a day that is always offered
 */
export function dayChoices(window: DayRange, chosen: string, also?: string): DayChoice[] {
  const days = new Set([chosen, also ?? chosen].filter(isDay));
  for (let day = window.firstDay; day <= window.lastDay; day = addDays(day, 1)) days.add(day);
  return [...days].sort().map((day) => ({ day, isOffered: day === also || dayFault(day, window) === null }));
}

/** Returns the times at which a mail can be reserved on a day: the window's slots and the default. */
export function reservationTimes(day: string, now: number): string[] {
  const standard = defaultSendAt(now);
  const slots = slotsOfDay(day, now);
  return dayOf(standard) === day ? withTime(slots, formatTimeOfDay(minuteOfDay(standard))) : slots;
}

/** Inserts a time in order, if it is missing. */
export function withTime(times: readonly string[], time: string): string[] {
  if (times.includes(time)) return [...times];
  const minute = (text: string): number => parseTimeOfDay(text) ?? 0;
  return [...times, time].sort((a, b) => minute(a) - minute(b));
}
