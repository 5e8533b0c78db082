import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWeekend } from '../time/calendar.ts';
import { dayOf, minuteOfDay } from '../time/tokyo-time.ts';
import { timeFault } from './picker-window.ts';
import { endOfSending, mayLeaveAt, nextOpenTime } from './sending-hours.ts';

/** Parses a time as a clock in Tokyo shows it. */
const tokyo = (text: string) => Date.parse(`${text}+09:00`);

test.each([
  ['on a Wednesday at 8:00', '2026-11-18T08:00:00', '2026-11-18T08:00:00'],
  ['on a Wednesday at 20:45 and a little', '2026-11-18T20:45:59.999', '2026-11-18T20:45:59.999'],
  ['a moment before 8:00', '2026-11-18T07:59:59.999', '2026-11-18T08:00:00'],
  ['after midnight', '2026-11-18T00:10:00', '2026-11-18T08:00:00'],
  ['late in the evening', '2026-11-18T20:46:00', '2026-11-19T08:00:00'],
  ['late on a Friday', '2026-11-20T23:00:00', '2026-11-23T08:00:00'],
  ['on a Saturday', '2026-11-21T12:00:00', '2026-11-23T08:00:00'],
  ['late on a Sunday', '2026-11-22T22:00:00', '2026-11-23T08:00:00'],
])('%s', (_, at, expected) => {
  expect(nextOpenTime(tokyo(at))).toBe(tokyo(expected));
});

test('is never earlier, at most a weekend later, and a time at which mail may be reserved', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: tokyo('2100-01-01T00:00:00') }), (at) => {
      const open = nextOpenTime(at);
      expect(open).toBeGreaterThanOrEqual(at);
      expect(open - at).toBeLessThan(60 * 60 * 60 * 1000);
      expect(isWeekend(dayOf(open))).toBe(false);
      expect(timeFault(minuteOfDay(open) - (minuteOfDay(open) % 15))).toBeNull();
      expect(nextOpenTime(open)).toBe(open);
    }),
  );
});

test.each([
  ['an hour late, in the evening', '2026-11-18T20:30:00', '2026-11-18T21:30:00', '2026-11-19T08:00:00'],
  ['not yet an hour late', '2026-11-18T23:00:00', '2026-11-18T23:59:59.999', '2026-11-18T23:59:59.999'],
  ['late, in the hours', '2026-11-18T09:00:00', '2026-11-18T14:00:00', '2026-11-18T14:00:00'],
  ['a day late, at night', '2026-11-18T09:00:00', '2026-11-19T03:00:00', '2026-11-19T08:00:00'],
])('a reserved mail that is %s', (_, reservedFor, at, expected) => {
  expect(mayLeaveAt(tokyo(at), tokyo(reservedFor))).toBe(tokyo(expected));
  expect(mayLeaveAt(tokyo(at), null)).toBe(tokyo(at));
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
  ['over closing time on a Friday', '2026-11-20T18:00:00', '2026-11-20T20:36:00', 25, '2026-11-23T08:15:00'],
  ['for longer than a day', '2026-11-18T08:00:00', '2026-11-18T08:00:00', 24 * 60, '2026-11-19T19:14:00'],
])('a reserved run that goes on %s', (_, reservedFor, from, minutes, expected) => {
  expect(endOfSending(tokyo(from), minutes * 60_000, tokyo(reservedFor))).toBe(tokyo(expected));
  expect(endOfSending(tokyo(from), minutes * 60_000, null)).toBe(tokyo(from) + minutes * 60_000);
});
