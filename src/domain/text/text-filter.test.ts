import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_FILTERS_IN_ADDRESS } from '../limits.ts';
import { tooLongFilter } from './filter-length.ts';
import { hasTooManyTerms, spelledTerms, splitTerms } from './text-filter.ts';

test.each([
  ['', []],
  [' , 、，､ ', []],
  ['IT', ['it']],
  ['製造業,ＩＴ', ['製造業', 'it']],
  ['製造業、 建設 ，小売､ﾃｽﾄ', ['製造業', '建設', '小売', 'テスト']],
  ['東京 都, 大阪', ['東京 都', '大阪']],
  ['it,IT,ＩＴ', ['it']],
  ['東京都\r\n大阪府\t愛知県\n', ['東京都', '大阪府', '愛知県']],
])('%j splits into %j', (text, terms) => {
  expect(splitTerms(text)).toStrictEqual(terms);
  expect([...spelledTerms(text).keys()]).toStrictEqual(terms);
});

test('terms keep the letter case of their first spelling, in characters of one width', () => {
  expect([...spelledTerms('ＩＴ、it, ﾃｽﾄ ').values()]).toStrictEqual(['IT', 'テスト']);
});

test.each([
  [100, false],
  [101, true],
])('%d different terms are too many: %s', (count, isTooMany) => {
  const terms = Array.from({ length: count }, (_, index) => `町${index}`);
  expect(hasTooManyTerms([...terms, ...terms].join('、'))).toBe(isTooMany);
});

const unit = fc.constantFrom(..."!'()~*-._ aZ9あ😀%&+、");
const text = fc.string({ unit, minLength: 500, maxLength: 3000 });

test('filters are too long where their part of the address is, and the longest is named', () => {
  fc.assert(
    fc.property(text, text, (address, ceo) => {
      const filters = { address, ceo, page: undefined, founded: 1999 };
      const written = `${new URLSearchParams({ address, ceo, founded: '1999' })}&`;
      const isTooLong = written.length > MAX_FILTERS_IN_ADDRESS;
      const found = tooLongFilter(filters);
      expect(found !== null).toBe(isTooLong);
      if (found !== null) expect(['address', 'ceo']).toContain(found);
    }),
    { numRuns: 50 },
  );
});

test('the longest filter is named, and just enough is not too long', () => {
  const fits = 'x'.repeat(MAX_FILTERS_IN_ADDRESS - 'address=&'.length);
  expect(tooLongFilter({ address: fits })).toBeNull();
  expect(tooLongFilter({ address: `${fits}x` })).toBe('address');
  expect(tooLongFilter({ address: fits, company_email: 'a' })).toBe('address');
  const nested = 'custom%5Bevent%5D=&custom%5Bseats%5D%5Bfrom%5D=1&';
  const own = (event: string) => ({ custom: { event, seats: { from: '1', to: undefined } } });
  const rest = 'x'.repeat(MAX_FILTERS_IN_ADDRESS - nested.length);
  expect(tooLongFilter(own(rest))).toBeNull();
  expect(tooLongFilter(own(`${rest}x`))).toBe('custom');
  expect(tooLongFilter({ company_email: 'a@', address: '東'.repeat(MAX_FILTERS_IN_ADDRESS / 9) })).toBe('address');
});
