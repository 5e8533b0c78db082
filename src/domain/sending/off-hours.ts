import { addDays, isWeekend } from '../time/calendar.ts';
import { dayOf, instantOf, minuteOfDay } from '../time/tokyo-time.ts';

/** Finds the times when offices in Japan are closed. A mail may leave then, after a warning to its sender. */

const DAWN = 5 * 60;
const OPENS = 8 * 60;
const CLOSES = 21 * 60;

export type OffHours = 'early_morning' | 'night' | 'weekend' | 'holiday';

/**
 * Returns why offices are closed at `instant` (epoch milliseconds).
 * @param holidays names by day ('YYYY-MM-DD'); days missing here count as no holiday
 */
export function offHours(instant: number, holidays: Readonly<Record<string, unknown>> = {}): OffHours[] {
  const day = dayOf(instant);
  const minute = minuteOfDay(instant);
  const found: OffHours[] = [];
  if (Object.hasOwn(holidays, day)) found.push('holiday');
  else if (isWeekend(day)) found.push('weekend');
  if (minute < DAWN || minute >= CLOSES) found.push('night');
  else if (minute < OPENS) found.push('early_morning');
  return found;
}

/**
 * Returns the first instant from `instant` on at which offices are open and a reservation may be made: the same time of
 * day where that is possible, else 8:00.
 */
export function nextOfficeTime(instant: number, holidays: Readonly<Record<string, unknown>> = {}): number {
  if (offHours(instant, holidays).length === 0) return instant;
  const minute = minuteOfDay(instant);
  const isTimeOpen = minute >= OPENS && minute < CLOSES;
  // An early morning ends on its own day, a night before midnight on the next one.
  let day = minute < OPENS ? dayOf(instant) : addDays(dayOf(instant), 1);
  while (isWeekend(day) || Object.hasOwn(holidays, day)) day = addDays(day, 1);
  return instantOf(day, isTimeOpen ? minute : OPENS);
}
