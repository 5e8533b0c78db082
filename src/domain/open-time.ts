import { addDays, skipWeekend } from './calendar.ts';
import { PICKER_FIRST_HOUR } from './limits.ts';
import { PICKER_TIMES } from './picker-window.ts';
import { dayOf, instantOf, minuteOfDay, parseTimeOfDay } from './tokyo-time.ts';

const OPENS = PICKER_FIRST_HOUR * 60;
const CLOSES = parseTimeOfDay(PICKER_TIMES.at(-1) ?? '') ?? 0;

/**
 * The instant itself if a mail might be reserved for its weekday and time of day (8:00 to 20:45), else 8:00 of the next such day: a
 * reserved mail that must be tried again comes neither at night nor on a Sunday. Epoch milliseconds.
 */
export function nextOpenTime(instant: number): number {
  const day = dayOf(instant);
  const minute = minuteOfDay(instant);
  const openDay = skipWeekend(minute > CLOSES ? addDays(day, 1) : day);
  return openDay === day && minute >= OPENS ? instant : instantOf(openDay, OPENS);
}
