import { addDays, isDay } from '#domain/calendar.ts';
import { type DayRange, dayFault } from '#domain/picker-window.ts';
import { defaultSendAt, slotsOfDay } from '#domain/reservation-window.ts';
import { dayOf, formatTimeOfDay, minuteOfDay, parseTimeOfDay } from '#domain/tokyo-time.ts';

/** What the pickers list. Days are 'YYYY-MM-DD' and times `H:mm`, in Tokyo; `now` epoch milliseconds. */

export interface DayChoice {
  readonly day: string;
  /** Otherwise it is shown, and cannot be chosen. */
  readonly isOffered: boolean;
}

/**
 * The days of a window, weekends not offered. A day that was chosen before and lies outside by now stays in sight.
 * @param also a day that is offered in any case
 */
export function dayChoices(window: DayRange, chosen: string, also?: string): DayChoice[] {
  const days = new Set([chosen, also ?? chosen].filter(isDay));
  for (let day = window.firstDay; day <= window.lastDay; day = addDays(day, 1)) days.add(day);
  return [...days].sort().map((day) => ({ day, isOffered: day === also || dayFault(day, window) === null }));
}

/** The times at which a mail can be reserved on a day: those of the window, and the default. */
export function reservationTimes(day: string, now: number): string[] {
  const standard = defaultSendAt(now);
  const slots = slotsOfDay(day, now);
  return dayOf(standard) === day ? withTime(slots, formatTimeOfDay(minuteOfDay(standard))) : slots;
}

/** The times with one more among them, in order. */
export function withTime(times: readonly string[], time: string): string[] {
  if (times.includes(time)) return [...times];
  const minute = (text: string): number => parseTimeOfDay(text) ?? 0;
  return [...times, time].sort((a, b) => minute(a) - minute(b));
}
