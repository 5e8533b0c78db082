import { expect, test } from 'vitest';
import { inRange } from './range-filter.ts';

test.each([
  [null, {}, true],
  [null, { from: 0 }, false],
  [null, { to: 0 }, false],
  [5, {}, true],
  [5, { from: 5 }, false],
  [5, { from: 4 }, true],
  [5, { to: 5 }, false],
  [5, { to: 6 }, true],
  [5, { from: 4, to: 6 }, true],
  [5, { from: 5, to: 6 }, false],
  [5, { from: 6, to: 4 }, false],
  [-1, { from: -2, to: 0 }, true],
])('%j in %j: %s', (value, range, expected) => {
  expect(inRange(value, range)).toBe(expected);
});
