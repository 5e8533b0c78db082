import { addDays, addMonths, startOfMonth, startOfWeek } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import type { RUN_PERIODS } from '#web/lib/address/params.ts';

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Returns the first and last day of a period in Japan. Weeks start on Monday. @param now epoch milliseconds */
export function daysOf(period: Exclude<(typeof RUN_PERIODS)[number], 'custom'>, now: number): Days {
  const today = dayOf(now);
  switch (period) {
    case 'today':
      return { from: today, to: today };
    case 'week':
      return { from: startOfWeek(today), to: today };
    case 'month':
      return { from: startOfMonth(today), to: today };
    case 'last_month':
      return { from: addMonths(startOfMonth(today), -1), to: addDays(startOfMonth(today), -1) };
  }
}
