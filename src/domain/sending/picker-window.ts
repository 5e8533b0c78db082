import { PICKER_FIRST_HOUR, PICKER_LAST_HOUR, PICKER_MONTHS, PICKER_STEP_MINUTES } from '../limits.ts';
import { addDays, addMonths, isWeekend, skipWeekend } from '../time/calendar.ts';
import { dayOf, formatTimeOfDay, instantOf } from '../time/tokyo-time.ts';

/**
 * The days and times that the pickers of candidate dates and reservations offer. Days are 'YYYY-MM-DD' in Tokyo; `now`
 * is in epoch milliseconds.
 */

/** A range of days, both inclusive. Either may be a weekend. */
export interface DayRange {
  readonly firstDay: string;
  readonly lastDay: string;
}

/** The window from tomorrow to three months later. */
export interface PickerWindow extends DayRange {
  /** 08:00 of the first and of the last day, as instants; both inclusive. */
  readonly start: number;
  readonly end: number;
}

export function pickerWindow(now: number): PickerWindow {
  const firstDay = addDays(dayOf(now), 1);
  const lastDay = addMonths(firstDay, PICKER_MONTHS);
  const start = instantOf(firstDay, PICKER_FIRST_HOUR * 60);
  return { firstDay, lastDay, start, end: instantOf(lastDay, PICKER_FIRST_HOUR * 60) };
}

export type DayFault = 'out_of_window' | 'weekend';
export type TimeFault = 'hour' | 'step';

/** Days compare as strings. */
export function dayFault(day: string, window: DayRange): DayFault | null {
  if (day < window.firstDay || day > window.lastDay) return 'out_of_window';
  return isWeekend(day) ? 'weekend' : null;
}

/** Returns the fault of a time of day, or null. @param minute since midnight */
export function timeFault(minute: number): TimeFault | null {
  const hour = Math.floor(minute / 60);
  if (hour < PICKER_FIRST_HOUR || hour > PICKER_LAST_HOUR) return 'hour';
  return minute % PICKER_STEP_MINUTES === 0 ? null : 'step';
}

/** Returns the day on which a picker opens: tomorrow, or the Monday after. */
export const firstAllowedDay = (now: number): string => skipWeekend(pickerWindow(now).firstDay);

/** The times that a picker offers, 8:00 to 20:45. */
export const PICKER_TIMES: readonly string[] = Array.from({ length: (24 * 60) / PICKER_STEP_MINUTES })
  .map((_, index) => index * PICKER_STEP_MINUTES)
  .filter((minute) => timeFault(minute) === null)
  .map(formatTimeOfDay);

export const FIRST_TIME = PICKER_TIMES.at(0) ?? '';
export const LAST_TIME = PICKER_TIMES.at(-1) ?? '';

/** Returns the user's messages for each fault of a date or time called `name`. */
export const pickerFaultTexts = (name: string): Readonly<Record<DayFault | TimeFault, string>> => ({
  out_of_window: `${name}は明日${FIRST_TIME}から${PICKER_MONTHS}か月以内にしてください`,
  weekend: `${name}に土曜日・日曜日は選べません`,
  hour: `${name}の時刻は${FIRST_TIME}から${LAST_TIME}までにしてください`,
  step: `${name}の時刻は${PICKER_STEP_MINUTES}分単位にしてください`,
});
