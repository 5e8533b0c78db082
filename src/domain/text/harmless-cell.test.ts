import fc from 'fast-check';
import { expect, test } from 'vitest';
import { harmlessCell, typedCell, unmarkedCell } from './harmless-cell.ts';

const FORMULAS = [
  '=A("http://a.example")',
  '+81',
  '-5',
  '@x',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1+1',
  '＋81',
  '－5',
  '−5',
  '＠x',
  ' =1',
  '\u3000＝1',
  '\u200b\ufeff=1',
];

test.each(FORMULAS)('bad-inputs 239: %j is marked as text', (text) => {
  expect(harmlessCell(text)).toBe(`'${text}`);
  expect(typedCell(text)).toBe(text);
});

test.each(['', '株式会社みどり', "'90年代社", "O'Reilly", "'", 'a=b', '03-1234-5678', '1億'])(
  '%j stays as it is',
  (text) => expect([harmlessCell(text), typedCell(text), unmarkedCell(text)]).toStrictEqual([text, text, text]),
);

test('any text is read again as it was, also one that begins with apostrophes', () => {
  const start = fc.constantFrom('', "'", "''", "'''");
  const texts = fc.tuple(start, fc.oneof(fc.constantFrom(...FORMULAS), fc.string())).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      expect(unmarkedCell(harmlessCell(text))).toBe(text);
      expect(unmarkedCell(typedCell(text))).toBe(text);
    }),
  );
});
