import { addDays, monthOf, yearOf } from './calendar.ts';
import { isOfYear } from './shown-time.ts';

/** The most days of a report, so that a year can be compared with the year before. */
export const MAX_REPORT_DAYS = 366;

/**
 * Rates are compared with their targets only for mails of this age: bounces and replies arrive within days. Below a
 * minimum of mails no rate is judged, because a single reply would decide.
 */
export const JUDGED_AFTER_DAYS = 3;
export const MIN_JUDGED_MAILS = 20;

/** Days as 'YYYY-MM-DD', both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** Returns the days of a period. @param limit the most days */
export function daysOf({ from, to }: Period, limit = MAX_REPORT_DAYS): string[] {
  const days: string[] = [];
  for (let day = from; day <= to && days.length < limit; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Returns the number of days of a period, at most MAX_REPORT_DAYS + 1. 0: it ends before it starts. */
export const lengthOf = (period: Period): number => daysOf(period, MAX_REPORT_DAYS + 1).length;

/** Returns the period of the same length that ends on the day before. */
export const periodBefore = (period: Period): Period => ({
  from: addDays(period.from, -lengthOf(period)),
  to: addDays(period.from, -1),
});

/** Formats `2026年`, for sentences about a year. */
export const yearInSentence = (day: string): string => `${yearOf(day)}年`;

/** Formats `11月`, or `2025年11月` of another year, for sentences about a month. */
export const monthInSentence = (day: string, now: number): string =>
  `${isOfYear(day, now) ? '' : yearInSentence(day)}${monthOf(day)}月`;
