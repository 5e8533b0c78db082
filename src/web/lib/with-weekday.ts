import { formatDayWithWeekday } from '#domain/time/calendar.ts';
import { dayOf, formatMinute, parseDateTime } from '#domain/time/tokyo-time.ts';
import { serverNow } from './api/server-clock.ts';
import { inBrackets } from './phrases.ts';

const WEEKDAY = new Intl.DateTimeFormat('ja-JP', { weekday: 'short', timeZone: 'Asia/Tokyo' });

const MINUTE_LENGTH = '2026/11/24 09:00'.length;
const YEAR_LENGTH = '2026/'.length;

/**
 * Formats `2026/11/24 09:00` as `11/24（火）09:00`, with seconds if given; with the year if it is not the current one.
 * For all date-times on screen except those whose format the specification fixes.
 */
export function withWeekday(text: string): string {
  const instant = parseDateTime(text);
  if (instant === null) return text;
  const isThisYear = dayOf(serverNow()).slice(0, 4) === text.slice(0, 4);
  const [day = '', time = ''] = text.slice(isThisYear ? YEAR_LENGTH : 0).split(' ');
  const plainDay = day.split('/').map(Number).join('/');
  return `${plainDay}${inBrackets(WEEKDAY.format(instant))}${time}`;
}

/** Formats the same without seconds, for lists. */
export const minuteWithWeekday = (text: string): string => withWeekday(text.slice(0, MINUTE_LENGTH));

/** Formats `11/24（火）9:00` for sentences; tables have `09:00`. */
export const spokenMinute = (text: string): string => minuteWithWeekday(text).replace(/(?<=\D)0(?=\d:)/, '');

/** @param instant epoch milliseconds */
export const spokenTime = (instant: number): string => spokenMinute(formatMinute(instant));

/** Formats `2026-11-24` as `11月24日（火）`. Mails use narrow brackets instead. */
export const dayWithWeekday = (day: string): string =>
  formatDayWithWeekday(day).replace(/\((.)\)/, (_, weekday: string) => inBrackets(weekday));
