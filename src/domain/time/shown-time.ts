import { dateOf, monthOf, WEEKDAYS, weekdayOf, yearOf } from './calendar.ts';
import { dayOf, formatMinute, formatTimeOfDay, minuteOfDay } from './tokyo-time.ts';

/**
 * The forms of days and times that people read, one function a form (decisions/dates). Instants and `now` are epoch
 * milliseconds, days 'YYYY-MM-DD'. A form with `now` writes the year only where it is another one.
 * Columns of the specification have `formatMinute`, mails `formatDayWithWeekday`, calendars `calendar-names.ts`.
 */

/** Formats `11/29（日）9:00`, for sentences and labels. */
export const timeInSentence = (instant: number, now: number): string =>
  dayInSentence(dayOf(instant), now) + clockInSentence(instant);

/** Formats `11/29（日）09:00`, for lists, where times stand below each other. */
export const timeInList = (instant: number, now: number): string =>
  dayInSentence(dayOf(instant), now) + clockInList(instant);

/** Formats `9:00`, for sentences about a named day. */
export const clockInSentence = (instant: number): string => formatTimeOfDay(minuteOfDay(instant));

/** Formats `09:00`, for lists of one day. */
export const clockInList = (instant: number): string => formatMinute(instant).slice(-5);

/** Formats `11/29（日）`. */
export const dayInSentence = (day: string, now: number): string =>
  `${shortDay(day, now)}（${WEEKDAYS[weekdayOf(day)]}）`;

/** Formats `11/29`, for badges. */
export const shortDay = (day: string, now: number): string =>
  (isOfYear(day, now) ? '' : `${yearOf(day)}/`) + monthAndDate(day);

/** Formats `11/29` without a year: what is beside it names the period. */
export const monthAndDate = (day: string): string => `${monthOf(day)}/${dateOf(day)}`;

/** Formats `2026/11/29`, for columns. A blank text stays. */
export const plainDay = (day: string): string => day.replaceAll('-', '/');

/** Whether a day is in the year of `now`, in Tokyo. */
export const isOfYear = (day: string, now: number): boolean => yearOf(day) === yearOf(dayOf(now));
