import { expect, test } from 'vitest';
import { type DailyLimit, limitAt, limitOf, stepOf, stepsLeft } from './daily-limit.ts';

const RAMP = { start: 20, percent: 30 };
const LIMIT: DailyLimit = {
  perDay: 200,
  ramp: RAMP,
  rampFrom: '2026-11-27',
  step: 0,
  rampDay: null,
  heldUntil: null,
};

test('20 mails that grow by 30 % reach 200 on the tenth sending day', () => {
  const limits = Array.from({ length: 11 }, (_, step) => limitAt(200, RAMP, step));
  expect(limits).toStrictEqual([20, 26, 34, 44, 58, 75, 97, 126, 164, 200, 200]);
  expect(stepsLeft(LIMIT, 0)).toBe(9);
  expect(limitAt(200, { start: 20, percent: 10 }, 1)).toBe(22);
  expect(limitAt(10, RAMP, 0)).toBe(10);
});

test.each<[string, Partial<DailyLimit>, string, number, number]>([
  ['on its first day', {}, '2026-11-27', 0, 0],
  ['later on the same day', { rampDay: '2026-11-27' }, '2026-11-27', 20, 0],
  ['on the day after a used one', { rampDay: '2026-11-27' }, '2026-11-28', 20, 1],
  ['after a weekend: one step', { rampDay: '2026-11-27' }, '2026-11-30', 10, 1],
  ['after a day of which less than half was used', { rampDay: '2026-11-27' }, '2026-11-28', 9, 0],
  ['while bounces hold it', { rampDay: '2026-11-27', heldUntil: '2026-12-04' }, '2026-12-04', 20, 0],
  ['after that', { rampDay: '2026-11-27', heldUntil: '2026-12-04' }, '2026-12-05', 20, 1],
  ['at its end', { rampDay: '2026-11-27', step: 9 }, '2026-11-28', 200, 9],
  ['when the clock was set back', { rampDay: '2026-11-28', step: 1 }, '2026-11-27', 20, 1],
])('the step %s', (_, limit, today, usedThen, step) => {
  expect(stepOf({ ...LIMIT, ...limit }, today, usedThen)).toBe(step);
});

test('a ramp limits mails from its first day on', () => {
  expect(limitOf(LIMIT, '2026-11-26', 0)).toBe(200);
  expect(limitOf(LIMIT, '2026-11-27', 0)).toBe(20);
  expect(limitOf({ ...LIMIT, ramp: null }, '2026-11-27', 0)).toBe(200);
});
