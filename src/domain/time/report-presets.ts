import { addDays, addMonths, startOfMonth, startOfWeek } from './calendar.ts';
import { type Period, periodBefore } from './report-period.ts';

export const PERIOD_NAMES = ['this_week', 'this_month', 'last_month', 'last_90_days', 'this_year'] as const;
export type PeriodName = (typeof PERIOD_NAMES)[number];

/**
 * Returns a period by name, with the previous one up to the same day: on the 23rd, this month is compared with the last
 * one up to the 23rd.
 */
export function periodOf(name: PeriodName, today: string): { readonly period: Period; readonly before: Period } {
  switch (name) {
    case 'this_week': {
      const period = { from: startOfWeek(today), to: today };
      return { period, before: { from: addDays(period.from, -7), to: addDays(today, -7) } };
    }
    case 'this_month': {
      const period = { from: startOfMonth(today), to: today };
      return { period, before: { from: addMonths(period.from, -1), to: addMonths(today, -1) } };
    }
    case 'last_month': {
      const from = addMonths(startOfMonth(today), -1);
      const end = addDays(startOfMonth(today), -1);
      return { period: { from, to: end }, before: { from: addMonths(from, -1), to: addDays(from, -1) } };
    }
    case 'last_90_days': {
      const period = { from: addDays(today, -89), to: today };
      return { period, before: periodBefore(period) };
    }
    case 'this_year': {
      const period = { from: `${today.slice(0, 4)}-01-01`, to: today };
      return { period, before: { from: addMonths(period.from, -12), to: addMonths(today, -12) } };
    }
  }
}
