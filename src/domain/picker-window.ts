import { addDays, addMonths, isWeekend, skipWeekend } from './calendar.ts';
import { PICKER_FIRST_HOUR, PICKER_LAST_HOUR, PICKER_MONTHS, PICKER_STEP_MINUTES } from './limits.ts';
import { dayOf, formatTimeOfDay, instantOf } from './tokyo-time.ts';

/** What the pickers of candidate dates and reservations offer. Days are 'YYYY-MM-DD' in Tokyo, `now` epoch milliseconds. */

export interface PickerWindow {
  /** Tomorrow (it may be a weekend) and three months after it; both inclusive. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** 08:00 of those two days, as instants; both inclusive. */
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
export function dayFault(day: string, window: PickerWindow): DayFault | null {
  if (day < window.firstDay || day > window.lastDay) return 'out_of_window';
  return isWeekend(day) ? 'weekend' : null;
}

/** @param minute since midnight */
export function timeFault(minute: number): TimeFault | null {
  const hour = Math.floor(minute / 60);
  if (hour < PICKER_FIRST_HOUR || hour > PICKER_LAST_HOUR) return 'hour';
  return minute % PICKER_STEP_MINUTES === 0 ? null : 'step';
}

/** The day a picker opens on: tomorrow, or the Monday after. */
export const firstAllowedDay = (now: number): string => skipWeekend(pickerWindow(now).firstDay);

/** The times a picker offers, 8:00 to 20:45. */
export const PICKER_TIMES: readonly string[] = Array.from({ length: (24 * 60) / PICKER_STEP_MINUTES })
  .map((_, index) => index * PICKER_STEP_MINUTES)
  .filter((minute) => timeFault(minute) === null)
  .map(formatTimeOfDay);
