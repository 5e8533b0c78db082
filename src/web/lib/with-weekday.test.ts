import { beforeEach, expect, it, vi } from 'vitest';
import { minuteWithWeekday, spokenMinute, withWeekday } from './with-weekday.ts';

beforeEach(() => {
  vi.setSystemTime(new Date('2026-12-31T12:00:00+09:00'));
  return () => vi.useRealTimers();
});

it.each([
  ['2026/11/27 11:15', '11/27（金）11:15'],
  ['2026/11/27 11:15:30', '11/27（金）11:15:30'],
  ['2027/01/04 09:00', '2027/1/4（月）09:00'],
  ['2025/12/31 09:00', '2025/12/31（水）09:00'],
  ['', ''],
])('writes %s as %s: the year only where it is another one', (text, shown) => {
  expect(withWeekday(text)).toBe(shown);
});

it.each([
  ['2026/11/27 09:05:00', '11/27（金）9:05'],
  ['2027/01/04 10:00', '2027/1/4（月）10:00'],
])('says %s in a sentence as %s', (text, said) => {
  expect(spokenMinute(text)).toBe(said);
});

it('uses the current year in Tokyo', () => {
  vi.setSystemTime(new Date('2027-01-01T00:30:00+09:00'));
  expect(minuteWithWeekday('2027/01/04 09:00:59')).toBe('1/4（月）09:00');
  expect(minuteWithWeekday('2026/12/31 09:00:59')).toBe('2026/12/31（木）09:00');
});
