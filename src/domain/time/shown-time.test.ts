import { expect, test } from 'vitest';
import { calendarDay, daysInSentence, monthName, weekName } from './calendar-names.ts';
import { monthInSentence, yearInSentence } from './report-period.ts';
import {
  clockInList,
  clockInSentence,
  dayInSentence,
  monthAndDate,
  plainDay,
  shortDay,
  timeInList,
  timeInSentence,
} from './shown-time.ts';
import { parseDateTime } from './tokyo-time.ts';

const at = (text: string): number => parseDateTime(text) ?? Number.NaN;
/** The last second of a year in Tokyo, and the first of the next one, where most zones have the old year. */
const OLD_YEAR = at('2026/12/31 23:59:59');
const NEW_YEAR = at('2027/01/01 00:00:00');

test.each([
  ['2026/11/29 09:00:59', OLD_YEAR, '11/29（日）9:00', '11/29（日）09:00'],
  ['2026/11/29 09:00', NEW_YEAR, '2026/11/29（日）9:00', '2026/11/29（日）09:00'],
  ['2026/12/31 23:59:59', OLD_YEAR, '12/31（木）23:59', '12/31（木）23:59'],
  ['2026/12/31 23:59:59', NEW_YEAR, '2026/12/31（木）23:59', '2026/12/31（木）23:59'],
  ['2027/01/01 00:00', OLD_YEAR, '2027/1/1（金）0:00', '2027/1/1（金）00:00'],
  ['2027/01/01 00:00', NEW_YEAR, '1/1（金）0:00', '1/1（金）00:00'],
  ['2028/02/29 10:15', OLD_YEAR, '2028/2/29（火）10:15', '2028/2/29（火）10:15'],
])('%s is shown with the year only where that is another one', (text, now, sentence, list) => {
  expect([timeInSentence(at(text), now), timeInList(at(text), now)]).toStrictEqual([sentence, list]);
});

test('a time of a named day is shown without the day', () => {
  expect([clockInSentence(NEW_YEAR), clockInList(NEW_YEAR)]).toStrictEqual(['0:00', '00:00']);
  expect([clockInSentence(OLD_YEAR), clockInList(OLD_YEAR)]).toStrictEqual(['23:59', '23:59']);
});

test.each([
  [OLD_YEAR, '12/31（木）', '12/31', '12月'],
  [NEW_YEAR, '2026/12/31（木）', '2026/12/31', '2026年12月'],
])('a day has its year only where that is another one', (now, ...forms) => {
  const day = '2026-12-31';
  expect([dayInSentence(day, now), shortDay(day, now), monthInSentence(day, now)]).toStrictEqual(forms);
});

test.each([
  ['2026-12-29', '2026-12-29', OLD_YEAR, '12/29（火）'],
  ['2026-12-29', '2026-12-31', OLD_YEAR, '12/29（火）〜12/31（木）'],
  ['2026-12-29', '2027-01-03', OLD_YEAR, '12/29（火）〜2027/1/3（日）'],
  ['2026-12-29', '2027-01-03', NEW_YEAR, '2026/12/29（火）〜2027/1/3（日）'],
  ['2027-12-29', '2027-12-31', OLD_YEAR, '2027/12/29（水）〜12/31（金）'],
])('%s to %s is a range', (first, last, now, text) => {
  expect(daysInSentence(first, last, now)).toBe(text);
});

test.each([
  ['2026-12-07', '2026-12-13', '2026年12月7日〜13日'],
  ['2026-11-30', '2026-12-06', '2026年11月30日〜12月6日'],
  ['2026-12-28', '2027-01-03', '2026年12月28日〜2027年1月3日'],
])('the week from %s to %s', (first, last, text) => {
  expect(weekName(first, last)).toBe(text);
});

test('names of periods, and of days beside them', () => {
  expect(calendarDay('2027-01-04')).toBe('1月4日（月）');
  expect([monthName('2026-11-30'), monthName('2027-01'), yearInSentence('2026-11-30')]).toStrictEqual([
    '2026年11月',
    '2027年1月',
    '2026年',
  ]);
  expect([monthAndDate('2026-01-04'), plainDay('2026-01-04'), plainDay('')]).toStrictEqual(['1/4', '2026/01/04', '']);
});
