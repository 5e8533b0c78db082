import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addDays,
  addMonths,
  formatDayWithWeekday,
  isDay,
  isWeekend,
  skipWeekend,
  weekdayOf,
  weeksAround,
  weeksFrom,
  weeksOf,
} from './calendar.ts';

const anyDay = fc
  .date({ min: new Date(Date.UTC(1900, 0, 1)), max: new Date(Date.UTC(2200, 0, 1)), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

test.each([
  ['2026-11-24', true],
  ['2028-02-29', true],
  ['2027-02-29', false],
  ['2026-02-30', false],
  ['2026-13-01', false],
  ['2026-00-10', false],
  ['2026-01-00', false],
  ['0000-00-00', false],
  ['0000-01-01', false],
  ['9999-12-31', true],
  ['10000-01-01', false],
  ['2026-1-1', false],
  ['2026/11/24', false],
  ['２０２６-11-24', false],
  ['令和8年', false],
  ['', false],
])('%j is a day: %s', (text, expected) => {
  expect(isDay(text)).toBe(expected);
});

test.each([
  ['2026-11-30', 1, '2026-12-01'],
  ['2026-12-31', 1, '2027-01-01'],
  ['2028-02-28', 1, '2028-02-29'],
  ['2027-03-01', -1, '2027-02-28'],
])('%s + %d days = %s', (day, days, expected) => {
  expect(addDays(day, days)).toBe(expected);
});

test.each([
  ['2026-08-31', 3, '2026-11-30'],
  ['2026-11-30', 3, '2027-02-28'],
  ['2027-11-30', 3, '2028-02-29'],
  ['2028-02-29', 3, '2028-05-29'],
  ['2028-02-29', 12, '2029-02-28'],
  ['2026-10-01', 3, '2027-01-01'],
  ['2026-09-30', 3, '2026-12-30'],
  ['2027-01-31', -2, '2026-11-30'],
])('%s + %d months = %s', (day, months, expected) => {
  expect(addMonths(day, months)).toBe(expected);
});

test('a day some months on is in that month, and on the same date where the month has it', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 0, max: 24 }), (day, months) => {
      const later = addMonths(day, months);
      const monthOf = (text: string) => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7));
      expect(monthOf(later)).toBe(monthOf(day) + months);
      const clamped = later.slice(8) !== day.slice(8);
      // addMonths clamps to a month's last day only, so the next day is the first of a month.
      if (clamped) expect(addDays(later, 1).slice(8)).toBe('01');
    }),
  );
});

test('adding days and subtracting them restores each day', () => {
  fc.assert(
    fc.property(anyDay, fc.integer({ min: -1000, max: 1000 }), (day, days) => {
      expect(addDays(addDays(day, days), -days)).toBe(day);
      expect(weekdayOf(addDays(day, 1))).toBe((weekdayOf(day) + 1) % 7);
    }),
  );
});

test.each([
  ['2026-11-20', '2026-11-20'],
  ['2026-11-21', '2026-11-23'],
  ['2026-11-22', '2026-11-23'],
  ['2026-11-23', '2026-11-23'],
])('from %s the next working day is %s', (day, expected) => {
  expect(skipWeekend(day)).toBe(expected);
  expect(isWeekend(day)).toBe(day !== expected);
});

test.each([
  ['2026-11-24', '11月24日(火)'],
  ['2026-01-02', '1月2日(金)'],
  ['2026-11-22', '11月22日(日)'],
  ['2028-02-29', '2月29日(火)'],
])('%s is written %s', (day, text) => {
  expect(formatDayWithWeekday(day)).toBe(text);
});

test.each([
  ['a Monday', '2026-11-30', '2026-11-30'],
  ['a Sunday', '2027-01-03', '2026-12-28'],
])('the week of %s begins on Monday', (_, day, monday) => {
  expect(weeksFrom(day, 1)).toStrictEqual([Array.from({ length: 7 }, (_, at) => addDays(monday, at))]);
});

test('a month has its days once and in order, in weeks from Monday, blank where another month is', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const weeks = weeksOf(day);
      const first = `${day.slice(0, 7)}-01`;
      const days = weeks.flat().filter((it) => it !== null);
      expect(days).toStrictEqual(days.map((_, at) => addDays(first, at)));
      expect(addDays(first, days.length)).toBe(addMonths(first, 1));
      for (const week of weeks) {
        const places = week.map((it, place) => (it === null ? place : (weekdayOf(it) + 6) % 7));
        expect(places).toStrictEqual([0, 1, 2, 3, 4, 5, 6]);
      }
    }),
  );
});

test('the weeks around a month have all of it, and days of the months before and after, and no week more', () => {
  fc.assert(
    fc.property(anyDay, (day) => {
      const days = weeksAround(day).flat();
      const first = `${day.slice(0, 7)}-01`;
      expect([days.length % 7, weekdayOf(days[0] ?? '')]).toStrictEqual([0, 1]);
      expect(days).toStrictEqual(days.map((_, at) => addDays(days[0] ?? '', at)));
      expect(days).toEqual(expect.arrayContaining([addDays(first, -1), first, addMonths(first, 1)]));
      expect(days.indexOf(addDays(first, -1))).toBeLessThan(7);
      expect(days.indexOf(addMonths(first, 1))).toBeGreaterThanOrEqual(days.length - 7);
    }),
  );
});
