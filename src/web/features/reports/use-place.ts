import { useState } from 'react';
import { isDay } from '#domain/time/calendar.ts';
import { lengthOf, MAX_REPORT_DAYS, type Period, periodBefore } from '#domain/time/report-period.ts';
import { PERIOD_NAMES, type PeriodName, periodOf } from '#domain/time/report-presets.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { readId } from '#web/lib/list-params.ts';
import { useSearchChanges } from '#web/lib/use-search-changes.ts';

const DEFAULT: PeriodName = 'this_month';
const CUSTOM = 'custom';

const isName = (text: string | null): text is PeriodName => PERIOD_NAMES.some((name) => name === text);

export interface ReportPlace {
  readonly name: PeriodName | typeof CUSTOM;
  readonly period: Period;
  readonly before: Period;
  /** The days in the address are no period of a report; this month is shown. */
  readonly isWrong: boolean;
  readonly groupId: number | undefined;
  readonly templateId: number | undefined;
}

/** Reads the period and the filters from an address. @param today 'YYYY-MM-DD' in Tokyo */
export function readPlace(params: URLSearchParams, today: string): ReportPlace {
  const filters = { groupId: readId(params.get('group')), templateId: readId(params.get('template')) };
  const name = params.get('period');
  if (name === CUSTOM) {
    const period = { from: params.get('from') ?? '', to: params.get('to') ?? '' };
    const isRight = isDay(period.from) && isDay(period.to) && period.from <= period.to;
    if (isRight && lengthOf(period) <= MAX_REPORT_DAYS) {
      return { name, period, before: periodBefore(period), isWrong: false, ...filters };
    }
    return { name, ...periodOf(DEFAULT, today), isWrong: true, ...filters };
  }
  const chosen = isName(name) ? name : DEFAULT;
  return { name: chosen, ...periodOf(chosen, today), isWrong: false, ...filters };
}

/** Reads and writes the period and the filters in the address, for reloads, links and the back button. */
export function usePlace() {
  const { params, change } = useSearchChanges();
  const [today] = useState(() => dayOf(Date.now()));
  const place = readPlace(params, today);
  return {
    place,
    today,
    /** The days as they are typed, also while they are no period. */
    typed: { from: params.get('from') ?? place.period.from, to: params.get('to') ?? place.period.to },
    /** A period of one's own starts at the one that was shown. */
    choosePeriod: (name: string) =>
      change(
        name === CUSTOM
          ? { period: name, from: place.period.from, to: place.period.to }
          : { period: name === DEFAULT ? undefined : name, from: undefined, to: undefined },
      ),
    setDays: (days: Partial<Period>) => change({ ...days }),
    setGroup: (group: string) => change({ group }),
    setTemplate: (template: string) => change({ template }),
  };
}
