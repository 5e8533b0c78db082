import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareForList, type SortValue } from './prospect-order.ts';

const sorted = (values: SortValue[], order: 'asc' | 'desc') =>
  values
    .map((value, index) => ({ id: index + 1, value }))
    .sort((a, b) => compareForList(a, b, order))
    .map(({ value }) => value);

test.each([
  [
    [3, null, 1, 2],
    [1, 2, 3, null],
    [3, 2, 1, null],
  ],
  [
    [-1, 0, 10, 9],
    [-1, 0, 9, 10],
    [10, 9, 0, -1],
  ],
  [
    ['b', '', 'a', null],
    ['a', 'b', '', null],
    ['b', 'a', '', null],
  ],
  [
    [true, false],
    [false, true],
    [true, false],
  ],
  [
    ['ab', 'a', 'abc'],
    ['a', 'ab', 'abc'],
    ['abc', 'ab', 'a'],
  ],
  [
    ['𠮷', 'ﾃ', '東'],
    ['東', 'ﾃ', '𠮷'],
    ['𠮷', 'ﾃ', '東'],
  ],
])('%j', (values: SortValue[], ascending, descending) => {
  expect(sorted(values, 'asc')).toStrictEqual(ascending);
  expect(sorted(values, 'desc')).toStrictEqual(descending);
});

test('ties go by id in the direction of the order, blanks by rising id in both', () => {
  const ids = (value: number | null, order: 'asc' | 'desc') =>
    [2, 3, 1]
      .map((id) => ({ id, value }))
      .sort((a, b) => compareForList(a, b, order))
      .map(({ id }) => id);
  expect(ids(5, 'asc')).toStrictEqual([1, 2, 3]);
  expect(ids(5, 'desc')).toStrictEqual([3, 2, 1]);
  expect(ids(null, 'asc')).toStrictEqual([1, 2, 3]);
  expect(ids(null, 'desc')).toStrictEqual([1, 2, 3]);
});

test('text goes in the order of its UTF-8 bytes', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(Math.sign(compareForList({ id: 1, value: a }, { id: 1, value: b }, 'asc'))).toBe(expected);
    }),
  );
});
