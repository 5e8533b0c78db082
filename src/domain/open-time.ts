import { addDays, skipWeekend } from './calendar.ts';
import { LATEST_START_MINUTES, PICKER_FIRST_HOUR } from './limits.ts';
import { LAST_TIME } from './picker-window.ts';
import { dayOf, instantOf, minuteOfDay, parseTimeOfDay } from './tokyo-time.ts';

const OPENS = PICKER_FIRST_HOUR * 60;
const CLOSES = parseTimeOfDay(LAST_TIME) ?? 0;

/**
 * The instant itself if a mail might be reserved for its weekday and time of day (8:00 to 20:45), else 8:00 of the next
 * such day. Epoch milliseconds.
 */
export function nextOpenTime(instant: number): number {
  const day = dayOf(instant);
  const minute = minuteOfDay(instant);
  const openDay = skipWeekend(minute > CLOSES ? addDays(day, 1) : day);
  return openDay === day && minute >= OPENS ? instant : instantOf(openDay, OPENS);
}

/** From so long after its time on, a reserved mail keeps to the hours in which mail may be reserved. */
const GRACE_MS = LATEST_START_MINUTES * 60_000;

/**
 * When a mail may leave that could leave at `instant`: one that is late comes neither at night nor on a Sunday.
 * @param reservedFor the time its run was reserved for; null: it was not, or is a test
 */
export const mayLeaveAt = (instant: number, reservedFor: number | null): number =>
  reservedFor === null || instant < reservedFor + GRACE_MS ? instant : nextOpenTime(instant);

/** When mails will have left that take so many milliseconds from `instant` on, and rest when they may not leave. */
export function endOfSending(instant: number, ms: number, reservedFor: number | null): number {
  if (reservedFor === null) return instant + ms;
  const late = reservedFor + GRACE_MS;
  let at = mayLeaveAt(instant, reservedFor);
  for (let left = ms; ; ) {
    const rest = at < late ? late : instantOf(dayOf(at), CLOSES + 1);
    if (left <= rest - at) return at + left;
    left -= rest - at;
    at = mayLeaveAt(rest, reservedFor);
  }
}
