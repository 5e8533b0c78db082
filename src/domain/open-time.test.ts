import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWeekend } from './calendar.ts';
import { nextOpenTime } from './open-time.ts';
import { timeFault } from './picker-window.ts';
import { dayOf, minuteOfDay } from './tokyo-time.ts';

/** An instant given as a clock in Tokyo shows it. */
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
