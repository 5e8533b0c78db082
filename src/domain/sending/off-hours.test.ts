import { expect, test } from 'vitest';
import { nextOfficeTime, offHours } from './off-hours.ts';

const HOLIDAYS = { '2026-11-23': { name: '勤労感謝の日' }, '2026-05-03': { name: '憲法記念日' } };

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

test('holidays that are not known yet are not told', () => {
  expect(offHours(Date.parse('2026-11-23T10:00:00+09:00'))).toStrictEqual([]);
});

test.each([
  ['an open time stays', '2026-11-24T10:30:00+09:00', '2026-11-24T10:30:00+09:00'],
  ['Saturday to Tuesday, over the holiday', '2026-11-21T10:30:00+09:00', '2026-11-24T10:30:00+09:00'],
  ['an early morning to 8:00 of the day', '2026-11-24T06:00:00+09:00', '2026-11-24T08:00:00+09:00'],
  ['a night to the next morning', '2026-11-24T22:00:00+09:00', '2026-11-25T08:00:00+09:00'],
  ['after midnight to 8:00 of the day', '2026-11-25T01:00:00+09:00', '2026-11-25T08:00:00+09:00'],
])('the next time at which offices are open: %s', (_, instant, expected) => {
  expect(nextOfficeTime(Date.parse(instant), HOLIDAYS)).toBe(Date.parse(expected));
});
