import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, weekdayOf } from '../time/calendar.ts';
import { dayOf, instantOf } from '../time/tokyo-time.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';
import { calendarOf } from './rules/closing-days.ts';
import {
  type Calendar,
  closedReason,
  DEFAULT_CALENDAR,
  DEFAULT_PERIODS,
  endOfSending,
  mayLeaveAt,
  nextDayOpening,
  nextOpenTime,
  openUntil,
  type Period,
} from './sending-hours.ts';

/** Parses a time as a clock in Tokyo shows it. */
const tokyo = (text: string) => Date.parse(`${text}+09:00`);
const HOLD: Calendar = { ...DEFAULT_CALENDAR, outside: 'hold' };

test.each([
  ['on a Wednesday at 8:00', '2026-11-18T08:00:00', '2026-11-18T08:00:00'],
  ['just before 21:00', '2026-11-18T20:59:59.999', '2026-11-18T20:59:59.999'],
  ['a moment before 8:00', '2026-11-18T07:59:59.999', '2026-11-18T08:00:00'],
  ['after midnight', '2026-11-18T00:10:00', '2026-11-18T08:00:00'],
  ['at 21:00', '2026-11-18T21:00:00', '2026-11-19T08:00:00'],
  ['late on a Friday', '2026-11-20T23:00:00', '2026-11-23T08:00:00'],
  ['on a Saturday', '2026-11-21T12:00:00', '2026-11-23T08:00:00'],
  ['late on a Sunday', '2026-11-22T22:00:00', '2026-11-23T08:00:00'],
  ['in the last moment of a year', '2026-12-31T23:59:59.999', '2027-01-01T08:00:00'],
])('without rules of its own, a group that is asked %s', (_, at, expected) => {
  expect(nextOpenTime(tokyo(at), DEFAULT_CALENDAR)).toBe(tokyo(expected));
});

test.each([
  ['an hour late, in the evening', '2026-11-18T20:30:00', '2026-11-18T21:30:00', '2026-11-19T08:00:00'],
  ['not yet an hour late', '2026-11-18T23:00:00', '2026-11-18T23:59:59.999', '2026-11-18T23:59:59.999'],
  ['late, in the hours', '2026-11-18T09:00:00', '2026-11-18T14:00:00', '2026-11-18T14:00:00'],
  ['a day late, at night', '2026-11-18T09:00:00', '2026-11-19T03:00:00', '2026-11-19T08:00:00'],
])('a reserved mail that is %s', (_, reservedFor, at, expected) => {
  expect(mayLeaveAt(tokyo(at), tokyo(reservedFor), DEFAULT_CALENDAR)).toBe(tokyo(expected));
  expect(mayLeaveAt(tokyo(at), null, DEFAULT_CALENDAR)).toBe(tokyo(at));
});

test('a group that holds its mails has them wait, sent at once or reserved, but no test', () => {
  const night = tokyo('2026-11-18T22:00:00');
  for (const reservedFor of [null, night]) {
    expect(mayLeaveAt(night, reservedFor, HOLD)).toBe(tokyo('2026-11-19T08:00:00'));
    expect(mayLeaveAt(night, reservedFor, null)).toBe(night);
  }
});

test.each([
  ['in its first hour', '2026-11-18T23:00:00', '2026-11-18T23:10:00', 30, '2026-11-18T23:40:00'],
  ['over the end of that hour into the night', '2026-11-18T23:00:00', '2026-11-18T23:30:00', 40, '2026-11-19T08:10:00'],
  [
    'over the end of that hour within the hours',
    '2026-11-18T09:00:00',
    '2026-11-18T09:30:00',
    40,
    '2026-11-18T10:10:00',
  ],
  ['over closing time on a Friday', '2026-11-20T18:00:00', '2026-11-20T20:50:00', 25, '2026-11-23T08:15:00'],
  ['for longer than a day', '2026-11-18T08:00:00', '2026-11-18T08:00:00', 24 * 60, '2026-11-19T19:00:00'],
])('a reserved run that goes on %s', (_, reservedFor, from, minutes, expected) => {
  const ms = minutes * MINUTE_MS;
  expect(endOfSending(tokyo(from), ms, tokyo(reservedFor), DEFAULT_CALENDAR)).toBe(tokyo(expected));
  expect(endOfSending(tokyo(from), ms, null, DEFAULT_CALENDAR)).toBe(tokyo(from) + ms);
});

test('with two periods a day, the rest of the mails waits over noon', () => {
  const monday = [
    { weekday: 1, opens: 13 * 60, closes: 18 * 60 },
    { weekday: 1, opens: 9 * 60, closes: 12 * 60 },
  ];
  const calendar = { ...HOLD, periods: monday };
  expect(nextOpenTime(tokyo('2026-11-16T12:00:00'), calendar)).toBe(tokyo('2026-11-16T13:00:00'));
  expect(openUntil(tokyo('2026-11-16T11:59:00'), calendar)).toBe(tokyo('2026-11-16T12:00:00'));
  expect(openUntil(tokyo('2026-11-16T12:00:00'), calendar)).toBeNull();
  expect(endOfSending(tokyo('2026-11-16T11:00:00'), 7 * 60 * MINUTE_MS, null, calendar)).toBe(
    tokyo('2026-11-23T10:00:00'),
  );
  expect(nextDayOpening(tokyo('2026-11-16T09:00:00'), calendar)).toBe(tokyo('2026-11-23T09:00:00'));
});

test('a calendar without an open day opens never, and its mails wait for as long as is searched', () => {
  const never = { ...HOLD, closedBy: () => '休業' };
  const at = tokyo('2026-11-16T12:00:00');
  expect(nextOpenTime(at, never)).toBeNull();
  expect(mayLeaveAt(at, null, never)).toBe(at + 400 * DAY_MS);
  expect(endOfSending(at, 1, null, never)).toBeNull();
});

test('a closed group has a reason and its next opening', () => {
  const calendar = calendarOf(
    { periods: DEFAULT_PERIODS, outside: 'hold', onHolidays: false },
    [{ firstDay: '2026-11-21', lastDay: '2026-11-21', name: '創立記念日', working: false, yearly: false }],
    (day) => (day === '2026-11-23' ? '勤労感謝の日' : null),
  );
  const reasons = ['2026-11-20T10:00:00', '2026-11-20T22:00:00', '2026-11-21T10:00:00', '2026-11-22T10:00:00'];
  expect([...reasons, '2026-11-23T10:00:00'].map((at) => closedReason(tokyo(at), calendar))).toStrictEqual([
    null,
    '時間外',
    '創立記念日',
    '日曜日',
    '勤労感謝の日',
  ]);
  expect(nextOpenTime(tokyo('2026-11-20T22:00:00'), calendar)).toBe(tokyo('2026-11-24T08:00:00'));
});

const quarter = fc.integer({ min: 0, max: 95 });
const period = fc
  .record({ weekday: fc.integer({ min: 0, max: 6 }), from: quarter, length: fc.integer({ min: 1, max: 96 }) })
  .map(({ weekday, from, length }) => ({
    weekday,
    opens: from * 15,
    closes: Math.min(24, (from + length) / 4) * 60,
  }));
const dayOf2027 = fc.integer({ min: 0, max: 364 }).map((days) => addDays('2027-01-01', days));
const rules = fc.record({
  periods: fc.uniqueArray(period, { minLength: 1, maxLength: 7, selector: ({ weekday }) => weekday }),
  closed: fc.uniqueArray(dayOf2027, { maxLength: 60 }),
  working: fc.uniqueArray(dayOf2027, { maxLength: 20 }),
});

/** Judges one minute by looking at it alone. */
function isOpenAt(
  day: string,
  minute: number,
  { periods, closed, working }: typeof rules extends fc.Arbitrary<infer R> ? R : never,
) {
  const within = ({ opens, closes }: Period) => opens <= minute && minute < closes;
  const of = (weekday: number) => periods.filter((one) => one.weekday === weekday);
  if (closed.includes(day) && !working.includes(day)) return false;
  const own = of(weekdayOf(day));
  if (own.length > 0 || !working.includes(day)) return own.some(within);
  const before = [1, 2, 3, 4, 5, 6]
    .map((back) => of((weekdayOf(day) + 7 - back) % 7))
    .find((found) => found.length > 0);
  return (before ?? []).some(within);
}

test('each minute of a generated year: it may leave at the first open minute from then on', () => {
  fc.assert(
    fc.property(rules, (rule) => {
      const calendar: Calendar = {
        periods: rule.periods,
        outside: 'hold',
        closedBy: (day) => (rule.closed.includes(day) && !rule.working.includes(day) ? '休業' : null),
        isWorking: (day) => rule.working.includes(day),
      };
      const days = Array.from({ length: 365 }, (_, n) => addDays('2027-01-01', n));
      let first: number | null = null;
      let wrong = 0;
      for (const day of days.toReversed()) {
        for (let minute = 24 * 60 - 1; minute >= 0; minute -= 1) {
          const at = instantOf(day, 0) + minute * MINUTE_MS;
          if (isOpenAt(day, minute, rule)) first = at;
          if (first !== null && mayLeaveAt(at, null, calendar) !== first) wrong += 1;
        }
      }
      expect(wrong).toBe(0);
      // What is sent from the beginning of an open time on ends when its minutes are used up.
      const from = nextOpenTime(instantOf('2027-01-01', 0), calendar);
      if (from === null) return;
      let left = 1000;
      let at = from;
      for (; left > 0; at += MINUTE_MS)
        if (isOpenAt(dayOf(at), (at - instantOf(dayOf(at), 0)) / MINUTE_MS, rule)) left -= 1;
      const end = endOfSending(from, 1000 * MINUTE_MS, null, calendar);
      if (dayOf(at) < '2028-01-01') expect(end).toBe(at);
    }),
    { numRuns: 1 },
  );
});
