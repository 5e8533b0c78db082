import fc from 'fast-check';
import { expect, test } from 'vitest';
import { industryText, splitTerms } from '#domain/text/text-filter.ts';
import { compareForList, inRange, matchesTerms, type SortValue } from './list-rules.ts';

test.each([
  ['東京都港区', '東京', true],
  ['東京都港区', '大阪', false],
  ['東京都港区', '大阪、港', true],
  ['ＩＴサービス', 'it', true],
  ['ガラス', 'カ\u3099ラス', true],
  ['ｶﾞﾗｽ', 'ガラス', true],
  ['東京', '', true],
  ['東京', ' 、 ', true],
  [null, '', true],
  [null, '東京', false],
  ['', '東京', false],
  ['100%', '%', true],
  ['100', '%', false],
  ['株式会社', '㍿', true],
])('%j filtered by %j: %s', (value, filter, matches) => {
  expect(matchesTerms(value, splitTerms(filter))).toBe(matches);
});

test('a term matches a value, and the dictionary items of it, exactly if it is in one of its items', () => {
  const unit = fc.constantFrom(..."!'()~*-._ aZ9あ😀%&+、");
  const text = fc.string({ unit, minLength: 500, maxLength: 3000 });
  fc.assert(
    fc.property(text, text, (value, filter) => {
      const terms = splitTerms(filter);
      const items = splitTerms(value);
      const byItem = terms.length === 0 || terms.some((term) => items.some((item) => item.includes(term)));
      expect(matchesTerms(value, terms)).toBe(byItem);
      expect(matchesTerms(industryText(value), terms)).toBe(byItem);
    }),
  );
});

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

test('ties are sorted by id in the direction of the order, blanks by rising id in both', () => {
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

test('text is sorted by its UTF-8 bytes', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(Math.sign(compareForList({ id: 1, value: a }, { id: 1, value: b }, 'asc'))).toBe(expected);
    }),
  );
});
