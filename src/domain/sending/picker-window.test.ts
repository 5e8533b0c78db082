import { expect, test } from 'vitest';
import { dayFault, firstAllowedDay, PICKER_TIMES, pickerWindow, timeFault } from './picker-window.ts';

/** Parses a time as a clock in Tokyo shows it. */
const tokyo = (text: string) => Date.parse(`${text}+09:00`);

test.each([
  ['2026-11-20T12:00:00', '2026-11-21', '2027-02-21'],
  ['2026-11-20T00:00:00', '2026-11-21', '2027-02-21'],
  ['2026-11-20T23:59:59.999', '2026-11-21', '2027-02-21'],
  ['2026-11-21T00:00:00', '2026-11-22', '2027-02-22'],
  ['2026-08-30T12:00:00', '2026-08-31', '2026-11-30'],
  ['2026-11-28T12:00:00', '2026-11-29', '2027-02-28'],
  ['2027-11-28T12:00:00', '2027-11-29', '2028-02-29'],
  ['2028-02-28T12:00:00', '2028-02-29', '2028-05-29'],
])('at %s the window is %s to %s', (now, firstDay, lastDay) => {
  expect(pickerWindow(tokyo(now))).toStrictEqual({
    firstDay,
    lastDay,
    start: tokyo(`${firstDay}T08:00:00`),
    end: tokyo(`${lastDay}T08:00:00`),
  });
});

test.each([
  ['2026-11-20', 'out_of_window'],
  ['2026-11-21', 'weekend'],
  ['2026-11-22', 'weekend'],
  // A public holiday (勤労感謝の日) is marked in the picker, and allowed.
  ['2026-11-23', null],
  ['2027-02-19', null],
  ['2027-02-21', 'weekend'],
  ['2027-02-22', 'out_of_window'],
  ['9999-12-31', 'out_of_window'],
])('seen from Friday 20 November 2026, %s: %s', (day, fault) => {
  expect(dayFault(day, pickerWindow(tokyo('2026-11-20T12:00:00')))).toBe(fault);
});

test.each([
  [0, 'hour'],
  [7 * 60 + 45, 'hour'],
  [8 * 60, null],
  [8 * 60 + 7, 'step'],
  [8 * 60 + 15, null],
  [20 * 60 + 45, null],
  [20 * 60 + 59, 'step'],
  [21 * 60, 'hour'],
  [23 * 60 + 45, 'hour'],
])('minute %d of the day: %s', (minute, fault) => {
  expect(timeFault(minute)).toBe(fault);
});

test('a picker opens on tomorrow, after a weekend on Monday', () => {
  expect(firstAllowedDay(tokyo('2026-11-19T12:00:00'))).toBe('2026-11-20');
  expect(firstAllowedDay(tokyo('2026-11-20T12:00:00'))).toBe('2026-11-23');
});

test('a picker offers times from 8:00 to 20:45', () => {
  expect(PICKER_TIMES.slice(0, 2)).toStrictEqual(['8:00', '8:15']);
  expect(PICKER_TIMES.slice(-1)).toStrictEqual(['20:45']);
  expect(PICKER_TIMES).toHaveLength(13 * 4);
});
