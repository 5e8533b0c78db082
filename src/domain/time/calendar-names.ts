import { dateOf, formatDayWithWeekday, monthOf, yearOf } from './calendar.ts';
import { dayInSentence } from './shown-time.ts';
import { instantOf } from './tokyo-time.ts';

/** The names of days in calendars, and of periods. They stand apart from shown-time, as few screens need them. */

/** Formats `11月29日（日）`, the name of a day in calendars and pickers, below the name of its month. */
export const calendarDay = (day: string): string => formatDayWithWeekday(day).replace('(', '（').replace(')', '）');

/** Formats `2026年11月`, the name of a month ('YYYY-MM', or any day of it). */
export const monthName = (month: string): string => `${yearName(month)}${monthOf(month)}月`;

const yearName = (day: string): string => `${yearOf(day)}年`;

/** Formats a week as `2026年12月7日〜13日`, or `2026年11月30日〜12月6日`; the last day has its year if it is another one. */
export function weekName(first: string, last: string): string {
  const year = yearOf(first) === yearOf(last) ? '' : yearName(last);
  const month = monthOf(first) === monthOf(last) ? '' : `${monthOf(last)}月`;
  return `${monthName(first)}${dateOf(first)}日〜${year}${month}${dateOf(last)}日`;
}

/** Formats `12/29（火）〜12/31（木）`, or a single day. The last day has a year only where the first is in another one. */
export const daysInSentence = (first: string, last: string, now: number): string =>
  dayInSentence(first, now) + (first === last ? '' : `〜${dayInSentence(last, instantOf(first, 0))}`);
