import { addDays } from './calendar.ts';

/** The most days of a report, so that a year can be compared with the year before. */
export const MAX_REPORT_DAYS = 366;

/**
 * Rates are compared with their targets over mails that were sent so long ago: bounces and answers come within days.
 * Of fewer mails than the minimum a single answer decides, so nothing is said.
 */
export const JUDGED_AFTER_DAYS = 3;
export const MIN_JUDGED_MAILS = 20;

/** Days as 'YYYY-MM-DD', both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** Returns the days of a period. @param limit at most so many */
export function daysOf({ from, to }: Period, limit = MAX_REPORT_DAYS): string[] {
  const days: string[] = [];
  for (let day = from; day <= to && days.length < limit; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Returns how many days a period has; more than MAX_REPORT_DAYS are not counted on. 0: it is the wrong way round. */
export const lengthOf = (period: Period): number => daysOf(period, MAX_REPORT_DAYS + 1).length;

/** Returns the period of the same length that ends on the day before. */
export const periodBefore = (period: Period): Period => ({
  from: addDays(period.from, -lengthOf(period)),
  to: addDays(period.from, -1),
});
