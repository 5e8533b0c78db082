import { dayOf, instantOf } from '#domain/time/tokyo-time.ts';
import { DAY_MS } from '#domain/time-units.ts';
import type { RUN_PERIODS } from '#web/lib/address/params.ts';

interface Days {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Returns the first and last day of a period in Japan. Weeks start on Monday. @param now epoch milliseconds */
export function daysOf(period: Exclude<(typeof RUN_PERIODS)[number], 'custom'>, now: number): Days {
  const today = dayOf(now);
  const [year = 0, month = 0] = today.split('-').map(Number);
  switch (period) {
    case 'today':
      return { from: today, to: today };
    case 'week': {
      const sinceMonday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
      return { from: dayOf(instantOf(today, 0) - sinceMonday * DAY_MS), to: today };
    }
    case 'month':
      return { from: firstDay(year, month), to: today };
    case 'last_month':
      return { from: firstDay(year, month - 1), to: dayOf(instantOf(firstDay(year, month), 0) - 1) };
  }
}

/** @param month 0 is December of the previous year */
const firstDay = (year: number, month: number): string =>
  new Date(Date.UTC(year, month - 1, 1)).toISOString().slice(0, 10);
