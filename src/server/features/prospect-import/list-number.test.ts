import { expect, it } from 'vitest';
import { parseCount, parseListNumber } from './list-number.ts';

it.each([
  ['1234', '', 1234],
  ['-500', '', -500],
  ['1,234', '', 1234],
  ['１２３４', '', 1234],
  ['△500', '', -500],
  ['▲５００', '百万円', -500_000_000],
  ['1億2千万', '', 120_000_000],
  ['12.5', '百万円', 12_500_000],
  ['1,234', '千円', 1_234_000],
  ['3', '千万円', 30_000_000],
  ['2.5', '十億円', 2_500_000_000],
  ['4', '億円', 400_000_000],
  ['700', '万円', 7_000_000],
  ['700', '円', 700],
  ['0', '百万円', 0],
  ['¥1,200', '', 1200],
  ['1億', '百万円', 100_000_000],
])('bad-inputs 87: %s in %j is %d', (text, unit, expected) => {
  expect(parseListNumber(text, unit)).toBe(expected);
});

it.each([
  ['1e5', ''],
  ['100000000000000000000', ''],
  ['9007199254740993', ''],
  ['99999999999999', '百万円'],
  ['¥1,200', '百万円'],
  ['1.5', ''],
  ['1.2345', '千円'],
  ['約100', ''],
  ['+1', ''],
  ['=1+1', ''],
  ['1 2', ''],
])('bad-inputs 87: %s in %j is refused', (text, unit) => {
  expect(parseListNumber(text, unit)).toBeUndefined();
});

it.each([
  ['50', 50],
  ['５０名', 50],
  ['1,200人', 1200],
  ['-5', undefined],
  ['△5', undefined],
  ['名', undefined],
])('bad-inputs 87: %s heads: %s', (text, expected) => {
  expect(parseCount(text)).toBe(expected);
});
