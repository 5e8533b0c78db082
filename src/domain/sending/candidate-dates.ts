import { DEFAULT_CANDIDATE_END, DEFAULT_CANDIDATE_START } from '../limits.ts';
import { addDays, formatDayWithWeekday, isDay, skipWeekend } from '../time/calendar.ts';
import { formatTimeOfDay, instantOf, parseTimeOfDay } from '../time/tokyo-time.ts';
import {
  type DayFault,
  type DayRange,
  dayFault,
  firstAllowedDay,
  pickerFaultTexts,
  pickerWindow,
  type TimeFault,
  timeFault,
} from './picker-window.ts';

/** Meeting slots offered in a mail (候補日). Times are `H:mm` or `HH:mm` in Tokyo; both mean the same. */

export interface CandidateDate {
  readonly date: string;
  readonly start_time: string;
  readonly end_time: string;
}

export type CandidateFault = 'bad_date' | 'bad_time' | DayFault | TimeFault | 'end_not_after_start' | 'overlap';

export const CANDIDATE_FAULT_MESSAGES: Readonly<Record<CandidateFault, string>> = {
  bad_date: '候補日の日付が正しくありません',
  bad_time: '候補日の時刻が正しくありません',
  ...pickerFaultTexts('候補日'),
  end_not_after_start: '候補日の終了時刻は開始時刻より後にしてください',
  overlap: '候補日の時間帯が重なっています',
};

const onDay = (date: string): CandidateDate => ({
  date,
  start_time: DEFAULT_CANDIDATE_START,
  end_time: DEFAULT_CANDIDATE_END,
});

/**
 * Returns the days with room for a slot. The pickers' window closes at 8:00 of its last day, when that day's first slot
 * would start.
 */
export function candidateDays(now: number): DayRange {
  const { firstDay, lastDay } = pickerWindow(now);
  return { firstDay, lastDay: addDays(lastDay, -1) };
}

/**
 * Returns a new row: the day after the previous row, or the first allowed day after the mail is sent. Skips weekends
 * and closed days, up to the end of the window.
 * @param sendAt when the mail is sent, in epoch milliseconds; null: at once
 * @param isClosed whether the sender group is closed on a day
 */
export function nextCandidate(
  rows: readonly CandidateDate[],
  now: number,
  sendAt: number | null = null,
  isClosed: (day: string) => boolean = () => false,
): CandidateDate {
  const previous = rows.at(-1)?.date;
  let day =
    previous !== undefined && isDay(previous)
      ? skipWeekend(addDays(previous, 1))
      : firstAllowedDay(Math.max(now, sendAt ?? now));
  const { lastDay } = candidateDays(now);
  while (day <= lastDay && isClosed(day)) day = skipWeekend(addDays(day, 1));
  return onDay(day);
}

interface Slot {
  date: string;
  start: number;
  end: number;
}

function readSlot(row: CandidateDate, now: number): Slot | CandidateFault {
  if (!isDay(row.date)) return 'bad_date';
  const start = parseTimeOfDay(row.start_time);
  const end = parseTimeOfDay(row.end_time);
  if (start === null || end === null) return 'bad_time';
  const fault = dayFault(row.date, candidateDays(now)) ?? timeFault(start) ?? timeFault(end);
  if (fault !== null) return fault;
  return end > start ? { date: row.date, start, end } : 'end_not_after_start';
}

/**
 * Returns one fault or null for each row. Of two overlapping slots the later row has the fault; adjoining slots are
 * valid.
 */
export function candidateFaults(rows: readonly CandidateDate[], now: number): (CandidateFault | null)[] {
  const kept: Slot[] = [];
  return rows.map((row) => {
    const slot = readSlot(row, now);
    if (typeof slot === 'string') return slot;
    const overlaps = kept.some((other) => other.date === slot.date && other.start < slot.end && slot.start < other.end);
    kept.push(slot);
    return overlaps ? 'overlap' : null;
  });
}

/**
 * Returns whether a valid slot has ended at an instant (epoch milliseconds), so that a mail sent then cannot offer it.
 */
export const isOver = (candidate: CandidateDate, instant: number): boolean => endOfCandidate(candidate) <= instant;

/** Returns when a valid slot ends, epoch milliseconds. */
export const endOfCandidate = ({ date, end_time }: CandidateDate): number =>
  instantOf(date, parseTimeOfDay(end_time) ?? 0);

const clock = (text: string): string => {
  const minute = parseTimeOfDay(text);
  return minute === null ? text : formatTimeOfDay(minute);
};

/** Formats valid rows (candidateFaults), one per line in the given order: `・11月24日(火) 9:00〜18:00`. */
export const renderCandidates = (rows: readonly CandidateDate[]): string =>
  rows.map((row) => `・${formatDayWithWeekday(row.date)} ${clock(row.start_time)}〜${clock(row.end_time)}`).join('\n');
