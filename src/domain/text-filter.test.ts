import fc from 'fast-check';
import { expect, test } from 'vitest';
import { industryText, matchesTerms, splitTerms } from './text-filter.ts';

test.each([
  ['', []],
  [' , 、，､ ', []],
  ['IT', ['it']],
  ['製造業,ＩＴ', ['製造業', 'it']],
  ['製造業、 建設 ，小売､ﾃｽﾄ', ['製造業', '建設', '小売', 'テスト']],
  ['東京 都, 大阪', ['東京 都', '大阪']],
  ['it,IT,ＩＴ', ['it']],
])('%j splits into %j', (text, terms) => {
  expect(splitTerms(text)).toStrictEqual(terms);
});

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

test('a term is in a value, and in what the dictionary holds of it, exactly where it is in one of its items', () => {
  const text = fc.string({ unit: fc.constantFrom(...'aAＢ業ｶﾞ 　,、'), maxLength: 12 });
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
