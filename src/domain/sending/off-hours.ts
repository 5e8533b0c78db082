import { PICKER_FIRST_HOUR } from '../limits.ts';
import { addDays, isWeekend, WEEKDAYS, weekdayOf } from '../time/calendar.ts';
import { dayInSentence, timeInSentence } from '../time/shown-time.ts';
import { dayOf, instantOf, minuteOfDay } from '../time/tokyo-time.ts';
import { DAY_MS } from '../time-units.ts';
import { timeFault } from './picker-window.ts';
import { type Calendar, isOpenOn, nextOpenTime, OPEN_DAYS_MAX, openUntil } from './sending-hours.ts';

/** Finds the times when offices in Japan are closed. A mail may be sent then, after a warning. */

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

export interface TimeNote {
  readonly code: 'holiday' | 'closed_day' | 'outside_hours';
  /** The text for people. */
  readonly text: string;
}

/** What a person should know about a day on which a group is closed. */
export interface ClosedDay extends TimeNote {
  /** Shown beside the day, like the name of a holiday. */
  readonly mark: string;
}

/** Returns why a group is closed on a whole day ('YYYY-MM-DD'); null: open at some time. Parameters as in timeNote. */
export function closedDay(
  day: string,
  calendar: Calendar,
  holidayOf: (day: string) => string | null,
  now: number,
): ClosedDay | null {
  const name = calendar.closedBy(day);
  if (name === null) {
    if (isOpenOn(day, calendar)) return null;
    return { code: 'outside_hours', mark: '送信時間外', text: `送信時間外（${WEEKDAYS[weekdayOf(day)]}曜日）です。` };
  }
  const isHoliday = name === holidayOf(day);
  const mark = `${name}（${isHoliday ? '祝日' : '休業日'}）`;
  return { code: isHoliday ? 'holiday' : 'closed_day', mark, text: `${dayInSentence(day, now)}は${mark}です。` };
}

/**
 * Returns the warning of a reserved time at which its group is closed; null: it is open.
 * @param calendar made of `warnedHours`
 */
export function timeNote(
  instant: number,
  calendar: Calendar,
  holidayOf: (day: string) => string | null,
  now: number,
): TimeNote | null {
  if (openUntil(instant, calendar) !== null) return null;
  const closed = closedDay(dayOf(instant), calendar, holidayOf, now);
  const next = calendar.outside === 'hold' ? nextOpenTime(instant, calendar) : null;
  const then = next === null ? '' : `${timeInSentence(next, now)}から送信します。`;
  return { code: closed?.code ?? 'outside_hours', text: `${closed?.text ?? '送信時間外です。'}${then}` };
}

/**
 * Returns the first instant from `instant` on at which the group is open and a reservation is allowed. It is at the
 * same time of day if possible, otherwise at an opening. An open instant is returned unchanged.
 * @returns null: none within OPEN_DAYS_MAX days
 */
export function nextOfficeTime(instant: number, calendar: Calendar): number | null {
  const isOpen = (at: number): boolean => openUntil(at, calendar) !== null;
  if (isOpen(instant)) return instant;
  const minute = minuteOfDay(instant);
  // Limited by days, not openings: a group may open for a quarter of an hour a year.
  const latest = instant + OPEN_DAYS_MAX * DAY_MS;
  for (let from: number | null = instant; from <= latest; ) {
    from = nextOpenTime(from, calendar);
    if (from === null) return null;
    const day = dayOf(from);
    const opens = nextOpenTime(Math.max(from, instantOf(day, PICKER_FIRST_HOUR * 60)), calendar);
    const found = [instantOf(day, minute), opens].find(
      (at) => at !== null && dayOf(at) === day && timeFault(minuteOfDay(at)) === null && isOpen(at),
    );
    if (!isWeekend(day) && found) return found;
    from = instantOf(addDays(day, 1), 0);
  }
  return null;
}
