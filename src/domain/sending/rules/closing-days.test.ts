import { expect, test } from 'vitest';
import { DEFAULT_PERIODS, nextOpenTime } from '../sending-hours.ts';
import { type ClosingDay, calendarOf, closedBy, presetDays } from './closing-days.ts';

const HOLIDAYS: Readonly<Record<string, string>> = { '2026-09-21': '敬老の日', '2026-09-22': '国民の休日' };
const holidayOf = (day: string) => HOLIDAYS[day] ?? null;
const one = (firstDay: string, lastDay: string, rest: Partial<ClosingDay> = {}): ClosingDay => ({
  firstDay,
  lastDay,
  name: '休業',
  working: false,
  yearly: false,
  ...rest,
});

test.each<[string, ClosingDay, string, boolean]>([
  ['its first day', one('2026-12-29', '2027-01-03'), '2026-12-29', true],
  ['its last day', one('2026-12-29', '2027-01-03'), '2027-01-03', true],
  ['the day after', one('2026-12-29', '2027-01-03'), '2027-01-04', false],
  ['a later year, once', one('2026-12-29', '2027-01-03'), '2027-12-29', false],
  ['a later year, yearly', one('2026-12-29', '2027-01-03', { yearly: true }), '2030-01-02', true],
  ['the middle of a later year', one('2026-12-29', '2027-01-03', { yearly: true }), '2030-06-01', false],
  ['a year before the first', one('2026-12-01', '2026-12-01', { yearly: true }), '2025-12-01', false],
  ['29 February of a leap year', one('2024-02-29', '2024-02-29', { yearly: true }), '2028-02-29', true],
  ['28 February of a common year', one('2024-02-29', '2024-02-29', { yearly: true }), '2027-02-28', false],
  ['1 March of a common year', one('2024-02-29', '2024-02-29', { yearly: true }), '2027-03-01', false],
])('a closing day and %s', (_, closing, day, isClosed) => {
  expect(closedBy(day, [closing], () => null)).toBe(isClosed ? '休業' : null);
});

test('a working day wins over closing days and holidays, and has the hours of the last weekday with any', () => {
  const days = [one('2026-09-19', '2026-09-22'), one('2026-09-19', '2026-09-19', { working: true })];
  expect(closedBy('2026-09-19', days, holidayOf)).toBeNull();
  expect(closedBy('2026-09-21', [], holidayOf)).toBe('敬老の日');
  expect(closedBy('2026-09-21', [one('2026-09-21', '2026-09-21', { working: true })], holidayOf)).toBeNull();
  const calendar = calendarOf({ periods: DEFAULT_PERIODS, outside: 'hold', onHolidays: false }, days, holidayOf);
  // Friday night before a Saturday that is worked; then closed days and holidays until Wednesday.
  expect(nextOpenTime(Date.parse('2026-09-18T22:00:00+09:00'), calendar)).toBe(Date.parse('2026-09-19T08:00:00+09:00'));
  expect(nextOpenTime(Date.parse('2026-09-19T21:00:00+09:00'), calendar)).toBe(Date.parse('2026-09-23T08:00:00+09:00'));
});

test('where mails leave on holidays, they do not close', () => {
  const calendar = calendarOf({ periods: DEFAULT_PERIODS, outside: 'hold', onHolidays: true }, [], holidayOf);
  expect(calendar.closedBy('2026-09-21')).toBeNull();
});

test('the usual closing days of a year', () => {
  expect(presetDays('new_year', 2026)).toStrictEqual({
    firstDay: '2026-12-29',
    lastDay: '2027-01-03',
    name: '年末年始',
  });
  expect(presetDays('obon', 2027)).toStrictEqual({ firstDay: '2027-08-13', lastDay: '2027-08-16', name: 'お盆' });
});
