import { MINUTE_MS } from '../time-units.ts';
import { isDay } from './calendar.ts';

/**
 * Converts between instants (epoch milliseconds) and the times that a user in Japan reads. Asia/Tokyo has been UTC+9
 * without clock changes since 1951, so the zone of the machine never matters.
 */

const OFFSET_MS = 9 * 60 * MINUTE_MS;

/** Formats an instant as `YYYY-MM-DDTHH:mm:ss.sss` in Tokyo. */
const clockText = (instant: number): string => new Date(instant + OFFSET_MS).toISOString();

/** Returns the day in Tokyo, 'YYYY-MM-DD'. */
export const dayOf = (instant: number): string => clockText(instant).slice(0, 10);

/** Returns the minutes since midnight in Tokyo, without seconds. */
export const minuteOfDay = (instant: number): number => {
  const clock = new Date(instant + OFFSET_MS);
  return clock.getUTCHours() * 60 + clock.getUTCMinutes();
};

/** Returns the instant of a minute of a day ('YYYY-MM-DD') in Tokyo. */
export const instantOf = (day: string, minute: number): number =>
  Date.parse(`${day}T00:00:00Z`) - OFFSET_MS + minute * MINUTE_MS;

/** Formats `YYYY/MM/DD HH:mm`, the form of the screen. */
export function formatMinute(instant: number): string {
  const clock = new Date(instant + OFFSET_MS);
  const year = String(clock.getUTCFullYear()).padStart(4, '0');
  const day = `${year}/${twoDigits(clock.getUTCMonth() + 1)}/${twoDigits(clock.getUTCDate())}`;
  return `${day} ${twoDigits(clock.getUTCHours())}:${twoDigits(clock.getUTCMinutes())}`;
}

/** Formats `YYYY/MM/DD HH:mm:ss`, the form of the API. */
export const formatSecond = (instant: number): string =>
  `${formatMinute(instant)}:${twoDigits(new Date(instant).getUTCSeconds())}`;

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`);
const pad = (digits: string): string => digits.padStart(2, '0');

const TOKYO_TEXT = /^(\d{4})\/(\d{1,2})\/(\d{1,2}) ([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;
const ISO_TEXT =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})$/;

/** Returns the milliseconds that an offset lies east of UTC; null outside the existing zones (-12:00 to +14:00). */
function offsetOf(text: string): number | null {
  if (text === 'Z') return 0;
  const [hours = 0, minutes = 0] = text.slice(1).split(':').map(Number);
  const total = (hours * 60 + minutes) * (text.startsWith('-') ? -1 : 1);
  return minutes < 60 && total >= -12 * 60 && total <= 14 * 60 ? total * MINUTE_MS : null;
}

/**
 * Reads `YYYY/MM/DD HH:mm:ss` in Tokyo, or ISO 8601 with an offset. In the first form seconds are optional, and month,
 * day and hour may have one digit. null: not a date-time, or one that does not exist (30 February, 24:00, second 60).
 */
export function parseDateTime(text: string): number | null {
  const match = TOKYO_TEXT.exec(text) ?? ISO_TEXT.exec(text);
  if (match === null) return null;
  const [, year = '', month = '', date = '', hour = '', minute = '', second = '00', fraction = '', zone = '+09:00'] =
    match;
  const day = `${year}-${pad(month)}-${pad(date)}`;
  const offset = offsetOf(zone);
  if (offset === null || !isDay(day)) return null;
  return Date.parse(`${day}T${pad(hour)}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`) - offset;
}

/** Reads a time of day: `9:00` and `09:00` are 540 minutes. null: not a time of day. */
export function parseTimeOfDay(text: string): number | null {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  if (match === null) return null;
  const [hour, minute] = [Number(match[1]), Number(match[2])];
  return hour < 24 && minute < 60 ? hour * 60 + minute : null;
}

/** Formats a time of day: 540 minutes are `9:00`. */
export const formatTimeOfDay = (minute: number): string => `${Math.floor(minute / 60)}:${pad(String(minute % 60))}`;
