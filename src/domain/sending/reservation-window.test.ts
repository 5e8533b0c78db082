import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOf, parseTimeOfDay } from '../time/tokyo-time.ts';
import {
  defaultSendAt,
  moveFault,
  nextMove,
  RESERVATION_FAULT_MESSAGES,
  reservationFault,
  slotsOfDay,
} from './reservation-window.ts';

/** Parses a time as a clock in Tokyo shows it. */
const tokyo = (text: string) => Date.parse(`${text}+09:00`);
/** A Wednesday; the window is Thursday 19 November to Friday 19 February. */
const now = tokyo('2026-11-18T12:34:56');

describe('the default', () => {
  test.each([
    ['2026-11-18T10:40:00', '2026-11-18T11:00:00'],
    ['2026-11-18T10:00:00', '2026-11-18T11:00:00'],
    ['2026-11-18T10:59:59.999', '2026-11-18T11:00:00'],
    ['2026-11-18T23:30:00', '2026-11-19T00:00:00'],
  ])('at %s is %s', (at, expected) => {
    expect(defaultSendAt(tokyo(at))).toBe(tokyo(expected));
  });

  test('is later than now and valid at any hour and day, until that hour has come', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: tokyo('2100-01-01T00:00:00') }), (at) => {
        const sendAt = defaultSendAt(at);
        expect(sendAt).toBeGreaterThan(at);
        expect(reservationFault(sendAt, at)).toBeNull();
        expect(reservationFault(sendAt, sendAt - 1)).toBeNull();
        expect(reservationFault(sendAt, sendAt)).toBe('past');
      }),
    );
  });
});

describe('a time in the picker', () => {
  test.each([
    ['2026-11-18T12:34:56', 'past'],
    ['2026-11-17T12:00:00', 'past'],
    ['2025-11-19T09:00:00', 'past'],
    ['2026-11-18T14:00:00', 'out_of_window'],
    ['2026-11-19T07:59:59', 'out_of_window'],
    ['2026-11-19T08:00:00', null],
    ['2027-02-19T08:00:00', null],
    ['2027-02-19T08:15:00', 'out_of_window'],
    ['2027-02-20T08:00:00', 'out_of_window'],
    ['9999-12-31T08:00:00', 'out_of_window'],
    ['2026-11-20T07:45:00', 'hour'],
    ['2026-11-20T20:45:00', null],
    ['2026-11-20T21:00:00', 'hour'],
    ['2026-11-20T08:07:00', 'step'],
    ['2026-11-20T08:00:30', 'step'],
    ['2026-11-20T08:00:00.001', 'step'],
    ['2026-11-21T09:00:00', 'weekend'],
    ['2026-11-22T09:00:00', 'weekend'],
    ['2026-11-23T09:00:00', null],
  ])('%s: %s', (sendAt, fault) => {
    expect(reservationFault(tokyo(sendAt), now)).toBe(fault);
  });

  test('no instant but a slot of a day, or the default, is valid', () => {
    const anyTime = fc.integer({ min: now - 86_400_000, max: now + 110 * 86_400_000 });
    const quarter = fc.integer({ min: 0, max: 110 * 96 }).map((n) => Math.floor(now / 900_000) * 900_000 + n * 900_000);
    fc.assert(
      fc.property(fc.oneof(anyTime, quarter), (sendAt) => {
        const clock = new Date(sendAt + 9 * 3_600_000).toISOString();
        const slots = slotsOfDay(clock.slice(0, 10), now).map((time) =>
          instantOf(clock.slice(0, 10), parseTimeOfDay(time) ?? Number.NaN),
        );
        const valid = slots.includes(sendAt) || sendAt === defaultSendAt(now);
        expect(reservationFault(sendAt, now) === null).toBe(valid);
      }),
    );
  });
});

test.each([
  ['2026-11-18', 0, undefined, undefined],
  ['2026-11-19', 52, '8:00', '20:45'],
  ['2026-11-21', 0, undefined, undefined],
  ['2027-02-18', 52, '8:00', '20:45'],
  ['2027-02-19', 1, '8:00', '8:00'],
  ['2027-02-22', 0, undefined, undefined],
])('%s has %d slots', (day, count, first, last) => {
  const slots = slotsOfDay(day, now);
  expect([slots.length, slots[0], slots.at(-1)]).toStrictEqual([count, first, last]);
});

test('every fault has a message for the user', () => {
  for (const text of Object.values(RESERVATION_FAULT_MESSAGES)) expect(text).toMatch(/^予約日時.+$/);
});

describe('another day at the same time', () => {
  const friday = tokyo('2026-11-27T10:30:00');

  test.each([
    ['2026-11-17', 'past'],
    ['2026-11-18', 'past'],
    ['2026-11-19', null],
    ['2026-11-28', 'weekend'],
    ['2027-02-18', null],
    // At 8:00 of this day the window ends.
    ['2027-02-19', 'out_of_window'],
  ])('%s: %s', (day, fault) => {
    expect(moveFault(friday, day, now)).toBe(fault);
  });

  test('a reservation with an invalid time may be moved to another day, where a new time is chosen', () => {
    expect(moveFault(tokyo('2026-11-18T07:00:00'), '2026-11-20', now)).toBeNull();
  });

  test.each<[string, string, 1 | -1, string | null]>([
    ['over a weekend', '2026-11-27T10:30:00', 1, '2026-11-30'],
    ['back over a weekend', '2026-11-30T10:30:00', -1, '2026-11-27'],
    ['over the end of a year', '2026-12-31T10:30:00', 1, '2027-01-01'],
    ['from the past into the window', '2026-11-11T10:30:00', 1, '2026-11-19'],
    ['not into the past', '2026-11-19T10:30:00', -1, null],
    ['not behind the window', '2027-02-18T10:30:00', 1, null],
  ])('the next one goes %s', (_, from, step, day) => {
    expect(nextMove(tokyo(from), step, now)).toBe(day);
  });
});
