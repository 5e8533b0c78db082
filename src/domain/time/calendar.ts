import { DAY_MS } from '../time-units.ts';

/** Calendar days as 'YYYY-MM-DD' strings. They have no time and no zone, so no clock change can shift them. */

/** Returns midnight of the day as if it were in UTC. The number serves arithmetic only; it is not an instant. */
const toCount = (day: string): number => Date.parse(`${day}T00:00:00Z`);

const toDay = (count: number): string => new Date(count).toISOString().slice(0, 10);

/** Returns whether the text is an existing day, from year 0001 to 9999. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false;
  const count = toCount(text);
  return !Number.isNaN(count) && toDay(count) === text;
}

export const addDays = (day: string, days: number): string => toDay(toCount(day) + days * DAY_MS);

/** Returns the same day of another month, or that month's last day: 31 August + 3 months = 30 November. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  // Day 0 of the next month is the last day of this month.
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0));
  const result = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), Math.min(date, last.getUTCDate())));
  return toDay(result.getTime());
}

/** Return the parts of a day: its year, its month (1 to 12), its number in the month. */
export const yearOf = (day: string): number => Number(day.slice(0, 4));
export const monthOf = (day: string): number => Number(day.slice(5, 7));
export const dateOf = (day: string): number => Number(day.slice(8));

/** Returns the weekday, from 0 (Sunday) to 6 (Saturday). */
export const weekdayOf = (day: string): number => new Date(toCount(day)).getUTCDay();

export const isWeekend = (day: string): boolean => weekdayOf(day) % 6 === 0;

/** Returns the day itself, or the Monday after a weekend. */
export function skipWeekend(day: string): string {
  const weekday = weekdayOf(day);
  if (weekday === 6) return addDays(day, 2);
  return weekday === 0 ? addDays(day, 1) : day;
}

export const startOfMonth = (day: string): string => `${day.slice(0, 8)}01`;

/** Returns the Monday of the day's week. */
export const startOfWeek = (day: string): string => addDays(day, -((weekdayOf(day) + 6) % 7));

/** Returns `count` weeks, starting with the one of a day. */
export const weeksFrom = (day: string, count: number): string[][] =>
  Array.from({ length: count }, (_, week) =>
    Array.from({ length: 7 }, (_, place) => addDays(startOfWeek(day), 7 * week + place)),
  );

/** Returns the five or six weeks of a month, with at least one day of the months before and after it. */
export function weeksAround(day: string): string[][] {
  const next = addMonths(startOfMonth(day), 1);
  const weeks = weeksFrom(addDays(startOfMonth(day), -1), 6);
  return weeks.filter(([monday = '']) => monday <= next);
}

/** Returns the weeks of a month. null stands for a day of another month. */
export function weeksOf(day: string): (string | null)[][] {
  const month = day.slice(0, 7);
  const weeks = weeksFrom(startOfMonth(day), 6).map((week) => week.map((it) => (it.startsWith(month) ? it : null)));
  return weeks.filter((week) => week.some((it) => it !== null));
}

export const WEEKDAYS = ['日', '月', '火', '水', '木', '金', '土'] as const;

/** Formats a day with its weekday: `2026-11-24` becomes `11月24日(火)`. */
export function formatDayWithWeekday(day: string): string {
  return `${monthOf(day)}月${dateOf(day)}日(${WEEKDAYS[weekdayOf(day)]})`;
}
