import {
  clockInList,
  clockInSentence,
  dayInSentence,
  shortDay,
  timeInList,
  timeInSentence,
} from '#domain/time/shown-time.ts';
import { dayOf, formatMinute, parseDateTime } from '#domain/time/tokyo-time.ts';
import { serverNow } from './api/server-clock.ts';

/**
 * The forms of domain/time/shown-time for screens: `now` is the server's clock, as that of the browser may be wrong.
 * Times are those of the wire (`YYYY/MM/DD HH:mm:ss`, or without seconds) or epoch milliseconds.
 */
type Time = string | number;

const write = (at: Time, form: (instant: number, now: number) => string): string => {
  const instant = typeof at === 'number' ? at : parseDateTime(at);
  return instant === null ? String(at) : form(instant, serverNow());
};

/** Returns `11/24（火）9:00`, for sentences and labels. */
export const sentenceTime = (at: Time): string => write(at, timeInSentence);

/** Returns `11/24（火）09:00`, for lists. */
export const listTime = (at: Time): string => write(at, timeInList);

/** Returns `9:00`, for sentences about a named day. */
export const sentenceClock = (at: Time): string => write(at, clockInSentence);

/** Returns `09:00`, for lists of one day. */
export const listClock = (at: Time): string => write(at, clockInList);

/** Returns `2026/11/24 09:00`, for what the specification fixes. */
export const specifiedTime = (at: Time): string => write(at, formatMinute);

/** Returns `11/24` for the day of a time. */
export const badgeDay = (at: Time): string => write(at, (instant, now) => shortDay(dayOf(instant), now));

/** Returns `11/24（火）`. */
export const sentenceDay = (day: string): string => dayInSentence(day, serverNow());
