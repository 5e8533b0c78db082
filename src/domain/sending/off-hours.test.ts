import { expect, test } from 'vitest';
import { nextOfficeTime, offHours, timeNote } from './off-hours.ts';
import { calendarOf } from './rules/closing-days.ts';
import type { Calendar } from './sending-hours.ts';

const HOLIDAYS = { '2026-11-23': { name: '勤労感謝の日' }, '2026-05-03': { name: '憲法記念日' } };
const HOLIDAYS_BY_DAY = new Map(Object.entries(HOLIDAYS));

test.each([
  ['2026-11-24T04:59:59+09:00', ['night']],
  ['2026-11-24T07:59:59+09:00', ['early_morning']],
  ['2026-11-24T08:00:00+09:00', []],
  ['2026-11-24T20:59:59+09:00', []],
  ['2026-11-24T21:00:00+09:00', ['night']],
  // The day is Tokyo's: in London it is still Sunday.
  ['2026-11-22T23:30:00Z', ['holiday']],
  ['2026-11-21T10:00:00+09:00', ['weekend']],
  ['2026-11-22T23:00:00+09:00', ['weekend', 'night']],
  ['2026-11-23T22:00:00+09:00', ['holiday', 'night']],
  // A holiday on a Sunday is reported once, by its name.
  ['2026-05-03T10:00:00+09:00', ['holiday']],
])('at %s offices are closed by %j', (instant, expected) => {
  expect(offHours(Date.parse(instant), HOLIDAYS)).toStrictEqual(expected);
});

test('a day without a known holiday counts as no holiday', () => {
  expect(offHours(Date.parse('2026-11-23T10:00:00+09:00'))).toStrictEqual([]);
});

/** Weekdays 9:00–12:00 and 13:00–18:00, Saturdays 6:00–10:00; closed on holidays and on a founding day. */
const CALENDAR: Calendar = calendarOf(
  {
    periods: [
      ...[1, 2, 3, 4, 5].flatMap((weekday) => [
        { weekday, opens: 9 * 60, closes: 12 * 60 },
        { weekday, opens: 13 * 60, closes: 18 * 60 },
      ]),
      { weekday: 6, opens: 6 * 60, closes: 10 * 60 },
    ],
    outside: 'warn',
    onHolidays: false,
  },
  [{ firstDay: '2026-11-25', lastDay: '2026-11-25', name: '創立記念日', working: false, yearly: true }],
  (day) => HOLIDAYS_BY_DAY.get(day)?.name ?? null,
);

test.each([
  ['an open time stays', '2026-11-24T10:30:00+09:00', '2026-11-24T10:30:00+09:00'],
  ['an open time stays on a day that no picker offers', '2026-11-21T09:00:00+09:00', '2026-11-21T09:00:00+09:00'],
  ['Saturday to Tuesday, over the holiday', '2026-11-21T10:30:00+09:00', '2026-11-24T10:30:00+09:00'],
  ['an early morning to the opening of the day', '2026-11-24T06:00:00+09:00', '2026-11-24T09:00:00+09:00'],
  ['a lunch break to its end', '2026-11-24T12:30:00+09:00', '2026-11-24T13:00:00+09:00'],
  ['an evening over the closing day, to a morning', '2026-11-24T20:00:00+09:00', '2026-11-26T09:00:00+09:00'],
])('the next time that may be reserved and is open: %s', (_, instant, expected) => {
  expect(nextOfficeTime(Date.parse(instant), CALENDAR)).toBe(Date.parse(expected));
});

test('a calendar without an open day has no next office time', () => {
  expect(nextOfficeTime(Date.parse('2026-11-21T12:00:00+09:00'), { ...CALENDAR, periods: [] })).toBeNull();
});

test.each([
  ['2026-11-24T09:00:00+09:00', 'warn', null],
  ['2026-11-23T09:00:00+09:00', 'warn', { code: 'holiday', text: '11/23（月）は勤労感謝の日（祝日）です。' }],
  ['2026-11-25T09:00:00+09:00', 'warn', { code: 'closed_day', text: '11/25（水）は創立記念日（休業日）です。' }],
  ['2026-11-22T09:00:00+09:00', 'warn', { code: 'outside_hours', text: '送信時間外（日曜日）です。' }],
  [
    '2026-11-24T18:00:00+09:00',
    'hold',
    { code: 'outside_hours', text: '送信時間外です。11/26（木）9:00から送信します。' },
  ],
] as const)('at %s, a group that would %s notes %j', (instant, outside, expected) => {
  const holidayOf = (day: string) => HOLIDAYS_BY_DAY.get(day)?.name ?? null;
  expect(timeNote(Date.parse(instant), { ...CALENDAR, outside }, holidayOf, Date.parse(instant))).toStrictEqual(
    expected,
  );
});

test('hours of a night that come once a year are searched for 400 days, not for 400 openings', () => {
  const yearly = (firstDay: string, lastDay: string) => ({
    firstDay,
    lastDay,
    name: '休業',
    working: false,
    yearly: true,
  });
  const closed = [
    yearly('2020-01-02', '2020-04-01'),
    yearly('2020-04-02', '2020-07-01'),
    yearly('2020-07-02', '2020-09-30'),
    yearly('2020-10-01', '2020-12-31'),
  ];
  const periods = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, opens: 0, closes: 15 }));
  const calendar = calendarOf({ periods, outside: 'hold', onHolidays: true }, closed, () => null);
  let asked = 0;
  const counted = {
    ...calendar,
    closedBy: (day: string) => {
      asked += 1;
      return calendar.closedBy(day);
    },
  };
  expect(nextOfficeTime(Date.parse('2026-11-20T10:00:00+09:00'), counted)).toBeNull();
  expect(asked).toBeLessThan(4 * 400);
});
