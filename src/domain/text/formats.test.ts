import { expect, test } from 'vitest';
import { formatNumber } from './formats.ts';

test.each([
  [null, ''],
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [-1234567, '-1,234,567'],
  [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
])('%j is shown as %j', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});
