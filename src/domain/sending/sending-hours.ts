import { LATEST_START_MINUTES, PICKER_FIRST_HOUR } from '../limits.ts';
import { addDays, skipWeekend } from '../time/calendar.ts';
import { dayOf, instantOf, minuteOfDay, parseTimeOfDay } from '../time/tokyo-time.ts';
import { LAST_TIME } from './picker-window.ts';

const OPENS = PICKER_FIRST_HOUR * 60;
const CLOSES = parseTimeOfDay(LAST_TIME) ?? 0;

/**
 * Returns the first instant from `instant` on within the sending hours. These are the weekdays and times of day (8:00
 * to 20:45) that can be reserved. Epoch milliseconds.
 */
export function nextOpenTime(instant: number): number {
  const day = dayOf(instant);
  const minute = minuteOfDay(instant);
  const openDay = skipWeekend(minute > CLOSES ? addDays(day, 1) : day);
  return openDay === day && minute >= OPENS ? instant : instantOf(openDay, OPENS);
}

/** A reserved mail that is later than this keeps to the sending hours. */
const GRACE_MS = LATEST_START_MINUTES * 60_000;

/**
 * Returns when a mail may leave that is due at `instant`. A late mail leaves neither at night nor at a weekend.
 * @param reservedFor the reserved time of its run; null: the run was not reserved, or is a test
 */
export const mayLeaveAt = (instant: number, reservedFor: number | null): number =>
  reservedFor === null || instant < reservedFor + GRACE_MS ? instant : nextOpenTime(instant);

/** Returns the estimated end of `ms` of sending from `instant`, skipping closed hours. */
export function endOfSending(instant: number, ms: number, reservedFor: number | null): number {
  if (reservedFor === null) return instant + ms;
  const late = reservedFor + GRACE_MS;
  let at = mayLeaveAt(instant, reservedFor);
  for (let remaining = ms; ; ) {
    const boundary = at < late ? late : instantOf(dayOf(at), CLOSES + 1);
    if (remaining <= boundary - at) return at + remaining;
    remaining -= boundary - at;
    at = mayLeaveAt(boundary, reservedFor);
  }
}
