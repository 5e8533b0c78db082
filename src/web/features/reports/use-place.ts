import { useState } from 'react';
import { isDay } from '#domain/time/calendar.ts';
import { lengthOf, MAX_REPORT_DAYS, type Period, periodBefore } from '#domain/time/report-period.ts';
import { type PeriodName, periodOf } from '#domain/time/report-presets.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { REPORT, type Values } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';

const CUSTOM = 'custom';

export interface ReportPlace {
  readonly name: PeriodName | typeof CUSTOM;
  readonly period: Period;
  readonly before: Period;
  /** Whether the days in the address are no valid period; the current month is shown instead. */
  readonly isWrong: boolean;
  readonly groupId: number | undefined;
  readonly templateId: number | undefined;
}

/** Returns the period and filters of an address. @param today 'YYYY-MM-DD' in Tokyo */
function placeOf({ period: name, from, to, group, template }: Values<typeof REPORT>, today: string): ReportPlace {
  const filters = { groupId: group, templateId: template };
  if (name === CUSTOM) {
    const period = { from: from ?? '', to: to ?? '' };
    const isRight = isDay(period.from) && isDay(period.to) && period.from <= period.to;
    if (isRight && lengthOf(period) <= MAX_REPORT_DAYS) {
      return { name, period, before: periodBefore(period), isWrong: false, ...filters };
    }
    return { name, ...periodOf('this_month', today), isWrong: true, ...filters };
  }
  return { name, ...periodOf(name, today), isWrong: false, ...filters };
}

/** Stores the period and the filters in the address, for reloads, links and the back button. */
export function usePlace() {
  const [values, change] = useAddress(REPORT);
  const [today] = useState(() => dayOf(Date.now()));
  const place = placeOf(values, today);
  return {
    place,
    today,
    /** The days as typed, valid or not. */
    typed: { from: values.from ?? place.period.from, to: values.to ?? place.period.to },
    /** A custom period starts with the one that was shown. */
    choosePeriod: (name: string) =>
      change(
        name === CUSTOM
          ? { period: name, from: place.period.from, to: place.period.to }
          : { period: name, from: undefined, to: undefined },
      ),
    setDays: (days: Partial<Period>) => change({ ...days }),
    setGroup: (group: string) => change({ group }),
    setTemplate: (template: string) => change({ template }),
  };
}
