import { expect, test } from 'vitest';
import { formatNumber, formatShortNumber } from './formats.ts';

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

test.each([
  [null, ''],
  [0, '0'],
  [9_999, '9,999'],
  [-9_999, '-9,999'],
  [10_000, '1万'],
  [12_345, '1.23万'],
  [12_355_000, '1,240万'],
  [99_949_999, '9,990万'],
  [99_950_000, '1億'],
  [-5_000_000, '-500万'],
  [120_000_000, '1.2億'],
  [123_456_789, '1.23億'],
  [999_400_000_000, '9,990億'],
  [999_999_999_999, '1兆'],
  [-98_765_432_100_000, '-98.8兆'],
  [Number.MAX_SAFE_INTEGER, '9,010兆'],
])('%j is shortened to %j', (value, text) => {
  expect(formatShortNumber(value)).toBe(text);
});
