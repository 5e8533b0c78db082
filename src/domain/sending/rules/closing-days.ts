import { addDays, isDay } from '../../time/calendar.ts';
import type { Calendar } from '../sending-hours.ts';

/** Days on which a group is closed, or works although it would be closed. Days are 'YYYY-MM-DD'. */

export interface ClosingDay {
  readonly firstDay: string;
  readonly lastDay: string;
  readonly name: string;
  /** The group works on these days: it is no closing day, and neither is a holiday on it. */
  readonly working: boolean;
  /** Each year from that of `firstDay` on. 29 February: no day in common years. */
  readonly yearly: boolean;
}

/** The most days of one closing day, its first one included. */
export const CLOSING_DAYS_MAX = 92;
/** The most closing days of an account, of all groups. */
export const MAX_CLOSING_DAYS = 500;

/** The years that a closing day may be of. */
export const CLOSING_YEARS = { first: 2000, last: 2100 };

/** Reads `2026-12-29`, `2026/12/29` or `2026年12月29日`; null: no such day. */
export function readClosingDay(written: string): string | null {
  const [, year = '', month = '', date = ''] = /^(\d{4})[-/年](\d{1,2})[-/月](\d{1,2})日?$/.exec(written.trim()) ?? [];
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  return isDay(day) && Number(year) >= CLOSING_YEARS.first && Number(year) <= CLOSING_YEARS.last ? day : null;
}

/** Returns whether a closing day may have these days: in their order, and not too many. */
export const isClosingPeriod = ({ firstDay, lastDay }: Pick<ClosingDay, 'firstDay' | 'lastDay'>): boolean =>
  lastDay >= firstDay && lastDay < addDays(firstDay, CLOSING_DAYS_MAX);

/** Month and day compare as texts, as days do. */
const withinYear = (day: string): string => day.slice(5);

/** Returns whether a day is one of a closing day's. */
export function covers({ firstDay, lastDay, yearly }: ClosingDay, day: string): boolean {
  if (!yearly || day < firstDay) return day >= firstDay && day <= lastDay;
  const [first, last, on] = [firstDay, lastDay, day].map(withinYear) as [string, string, string];
  return first <= last ? on >= first && on <= last : on >= first || on <= last;
}

/** Returns the name of the closing day or holiday on a day; null: the group is not closed, or works nevertheless. */
export const closedBy = (
  day: string,
  closingDays: readonly ClosingDay[],
  holidayOf: (day: string) => string | null,
): string | null => {
  const found = closingDays.filter((one) => covers(one, day));
  if (found.some(({ working }) => working)) return null;
  return found[0]?.name ?? holidayOf(day);
};

/** What a person chooses for a group. */
export type HoursOfGroup = Pick<Calendar, 'periods' | 'outside'> & {
  /** Mails leave on holidays, too. */
  readonly onHolidays: boolean;
};

/** Returns the hours by which a person is warned of a time. Who has chosen none is warned of holidays too. */
export const warnedHours = <H extends HoursOfGroup & { readonly version: number }>(hours: H): H =>
  hours.version === 0 ? { ...hours, onHolidays: false } : hours;

/** Makes the calendar of a group. @param holidayOf returns the name of the holiday on a day */
export const calendarOf = (
  { periods, outside, onHolidays }: HoursOfGroup,
  closingDays: readonly ClosingDay[],
  holidayOf: (day: string) => string | null,
): Calendar => ({
  periods,
  outside,
  closedBy: (day) => closedBy(day, closingDays, onHolidays ? () => null : holidayOf),
  isWorking: (day) => closingDays.some((one) => one.working && covers(one, day)),
});

export const CLOSING_PRESETS = ['new_year', 'obon'] as const;
export type ClosingPreset = (typeof CLOSING_PRESETS)[number];

/** Returns the usual closing days of a year: 年末年始 12/29–1/3, お盆 8/13–8/16. */
export function presetDays(preset: ClosingPreset, year: number): Pick<ClosingDay, 'firstDay' | 'lastDay' | 'name'> {
  const [from, days, name] =
    preset === 'new_year' ? (['12-29', 6, '年末年始'] as const) : (['08-13', 4, 'お盆'] as const);
  const firstDay = `${year}-${from}`;
  return { firstDay, lastDay: addDays(firstDay, days - 1), name };
}
