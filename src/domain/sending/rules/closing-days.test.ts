import fc from 'fast-check';
import { expect, test } from 'vitest';
import { covers, plainAnswers, plainCalendar } from '#test/plain-calendar.ts';
import { addDays } from '../../time/calendar.ts';
import { instantOf } from '../../time/tokyo-time.ts';
import { closedReason, DEFAULT_PERIODS, nextOpenTime, openUntil, type Period } from '../sending-hours.ts';
import { CLOSING_DAYS_MAX, type ClosingDay, calendarOf, closingDayOn, presetDays } from './closing-days.ts';

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
  expect(closingDayOn([closing])(day)).toBe(isClosed ? closing : undefined);
});

test('a working day wins over closing days and holidays, and has the hours of the last weekday with any', () => {
  const days = [one('2026-09-19', '2026-09-22'), one('2026-09-19', '2026-09-19', { working: true })];
  const hours = { periods: DEFAULT_PERIODS, outside: 'hold', onHolidays: false } as const;
  const calendar = calendarOf(hours, days, holidayOf);
  expect(calendar.closedBy('2026-09-19')).toBeNull();
  expect(calendarOf(hours, [], holidayOf).closedBy('2026-09-21')).toBe('敬老の日');
  const worked = [one('2026-09-21', '2026-09-21', { working: true })];
  expect(calendarOf(hours, worked, holidayOf).closedBy('2026-09-21')).toBeNull();
  // Friday night before a Saturday that is worked; then closed days and holidays until Wednesday.
  expect(nextOpenTime(Date.parse('2026-09-18T22:00:00+09:00'), calendar)).toBe(Date.parse('2026-09-19T08:00:00+09:00'));
  expect(nextOpenTime(Date.parse('2026-09-19T21:00:00+09:00'), calendar)).toBe(Date.parse('2026-09-23T08:00:00+09:00'));
});

/** Days of leap years, common years and both ends of the years that may be saved; many of them near each other. */
const someDay = fc
  .tuple(fc.constantFrom('2000-01-01', '2024-01-20', '2026-11-20', '2027-02-20', '2100-02-20'), fc.nat(450))
  .map(([from, days]) => addDays(from, days));
const closingDay: fc.Arbitrary<ClosingDay> = fc
  .record({
    firstDay: someDay,
    days: fc.nat(CLOSING_DAYS_MAX - 1),
    name: fc.constantFrom('一', '二', '三'),
    working: fc.boolean(),
    yearly: fc.boolean(),
  })
  .map(({ days, ...day }) => ({ ...day, lastDay: addDays(day.firstDay, days) }));
const periodsOfWeek: fc.Arbitrary<Period[]> = fc.uniqueArray(
  fc
    .record({ weekday: fc.nat(6), half: fc.nat(1), from: fc.nat(47), length: fc.integer({ min: 1, max: 48 }) })
    .map(({ weekday, half, from, length }) => ({
      weekday,
      opens: half * 720 + from * 15,
      closes: half * 720 + Math.min(48, from + length) * 15,
    })),
  { maxLength: 14, selector: ({ weekday, opens }) => weekday * 2 + (opens < 720 ? 0 : 1) },
);

test('any closing days: each day is marked as one that looks at all of them says', () => {
  fc.assert(
    fc.property(fc.array(closingDay, { maxLength: 12 }), fc.array(someDay, { minLength: 20 }), (days, asked) => {
      const closing = closingDayOn(days);
      for (const day of [...asked, ...days.flatMap(({ firstDay, lastDay }) => [firstDay, addDays(lastDay, 365)])]) {
        const own = days.filter((one) => covers(one, day));
        expect(closing(day)).toBe(own.find(({ working }) => working) ?? own[0]);
      }
    }),
  );
});

test('any calendar: all answers are those of the plain one, of which each question looks at all closing days', () => {
  const hours = fc.record({ periods: periodsOfWeek, outside: fc.constant('hold' as const), onHolidays: fc.boolean() });
  const instant = fc
    .tuple(someDay, fc.nat(24 * 4 - 1), fc.constantFrom(0, 1, 59_999))
    .map(([day, quarter, ms]) => instantOf(day, quarter * 15) + ms);
  // Each 1st is one, so that holidays lie beside and below closing days.
  const isHoliday = (day: string) => (day.endsWith('-01') ? '祝日' : null);
  fc.assert(
    fc.property(hours, fc.array(closingDay, { maxLength: 12 }), fc.array(instant, { minLength: 5 }), (of, days, at) => {
      const calendar = calendarOf(of, days, isHoliday);
      const plain = plainCalendar(of, days, isHoliday);
      for (const one of at) {
        expect({
          openUntil: openUntil(one, calendar),
          nextOpenTime: nextOpenTime(one, calendar),
          closedReason: closedReason(one, calendar),
        }).toStrictEqual(plainAnswers(one, plain));
      }
    }),
  );
});

test('500 yearly closing days are read once for all days of a search, not once for each of them', () => {
  let reads = 0;
  const days = Array.from({ length: 500 }, (_, n) => ({
    ...one(addDays('2020-01-01', n % 366), addDays('2020-01-01', (n % 366) + CLOSING_DAYS_MAX - 1), { yearly: true }),
    get working() {
      reads += 1;
      return false;
    },
  }));
  const calendar = calendarOf({ periods: DEFAULT_PERIODS, outside: 'hold', onHolidays: true }, days, holidayOf);
  for (let n = 0; n < 100; n += 1) expect(nextOpenTime(instantOf('2026-11-20', 600), calendar)).toBeNull();
  // Two or three years, and the answer of each day.
  expect(reads).toBeLessThan(3 * 500 + 100 * 401 + 1);
});

test('a group that sends on holidays is not closed on them', () => {
  const calendar = calendarOf({ periods: DEFAULT_PERIODS, outside: 'hold', onHolidays: true }, [], holidayOf);
  expect(calendar.closedBy('2026-09-21')).toBeNull();
});

test('the presets have the usual closing days of a year', () => {
  expect(presetDays('new_year', 2026)).toStrictEqual({
    firstDay: '2026-12-29',
    lastDay: '2027-01-03',
    name: '年末年始',
  });
  expect(presetDays('obon', 2027)).toStrictEqual({ firstDay: '2027-08-13', lastDay: '2027-08-16', name: 'お盆' });
});
