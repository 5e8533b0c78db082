import { expect, test } from 'vitest';
import { ticksTo } from './ticks.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [10, [0, 5, 10]],
  [120, [0, 50, 100, 150]],
  [1999, [0, 500, 1000, 1500, 2000]],
])('an axis for %i has the ticks %j', (max, ticks) => {
  expect(ticksTo(max)).toStrictEqual(ticks);
});
