import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { harmlessCell, typedCell, unmarkedCell } from '#domain/text/harmless-cell.ts';
import type { OwnField } from './own-fields.queries.ts';
import { exportText, isFault, ownText, readOwnCell, readOwnValue } from './own-value.ts';

const field = (type: OwnField['type']): OwnField => ({
  id: 1,
  key: 'x',
  label: 'X',
  type,
  archived: false,
  options:
    type === 'choice'
      ? [
          { id: 7, label: 'Ａ級', archived: false },
          { id: 9, label: 'なし', archived: true },
        ]
      : [],
});
const read = (type: OwnField['type'], cell: string | number | null) => readOwnValue(field(type), cell);

describe('a cell', () => {
  test.each([
    ['text', '  東京\n産業展 ', '東京 産業展'],
    ['text', '-', null],
    ['text', '記載なし', null],
    ['text', null, null],
    ['text', 'あ'.repeat(500), 'あ'.repeat(500)],
    ['number', '1.2億', 120_000_000],
    ['number', '１，２００', 1200],
    ['number', 1.5, 1.5],
    ['number', '△0.5', -0.5],
    ['number', '-0.0', 0],
    ['number', '1,234.567', 1234.567],
    ['number', '非公開', null],
    ['date', 'R8.10.15', '2026-10-15'],
    ['date', '2026/2/28', '2026-02-28'],
    ['date', '1950年1月3日', '1950-01-03'],
    ['date', 46310, '2026-10-15'],
    ['flag', '○', true],
    ['flag', 'ＴＲＵＥ', true],
    ['flag', 1, true],
    ['flag', 'なし', false],
    ['flag', '×', false],
    ['flag', '未定', null],
    ['choice', 'a級', 7],
    ['choice', 'なし', 9],
    ['choice', '-', null],
    ['url', 'ｗｗｗ.example.jp', 'https://www.example.jp'],
    ['url', '', null],
  ] as const)('of the type %s, %j, is %j', (type, cell, value) => {
    expect(read(type, cell)).toStrictEqual(value);
  });

  test.each([
    ['text', 'あ'.repeat(501)],
    ['text', 'a\u0000b'],
    ['text', 'a\u202eb'],
    ['number', '1e400'],
    ['number', '∞'],
    ['number', 1e21],
    ['number', '1.2.3'],
    ['number', '99999999999999999'],
    ['number', '0.1234567'],
    ['number', '多い'],
    ['date', '2026-02-30'],
    ['date', '9999-01-01'],
    ['date', '秋'],
    ['flag', 'たぶん'],
    ['choice', 'B級'],
    ['choice', '__proto__'],
    ['url', 'javascript:alert(1)'],
    ['url', `https://x.jp/${'a'.repeat(500)}`],
  ] as const)('of the type %s, %j, is refused', (type, cell) => {
    expect(read(type, cell)).toStrictEqual({ fault: expect.stringMatching(/。$/) });
  });

  test('never throws, and what is read is read again as the same from an export', () => {
    const types = fc.constantFrom<OwnField['type'][]>('text', 'number', 'date', 'choice', 'flag', 'url');
    const cells = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('=', '"', "'", ' ', '-', '0', '1', '.', ',', '億', '△', 'a') }),
      fc.double({ noNaN: true }).map(String),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
      fc.constantFrom('はい', '×', 'Ａ級', 'なし', 'https://example.jp/?a=b', '="=""a"""'),
    );
    fc.assert(
      fc.property(types, cells, (type, cell) => {
        const value = read(type, cell);
        if (value === null || isFault(value)) return;
        const text = exportText(field(type), value);
        for (const written of [harmlessCell(text), typedCell(text)]) {
          expect(read(type, unmarkedCell(written))).toStrictEqual(value);
        }
        expect(ownText(field(type), value)).toMatch(/^[^\r\n]+$/);
      }),
      { numRuns: 2000 },
    );
  });
});

test.each([
  ['Ａ', 'A'],
  ['１０', '10'],
  ['ａ級', 'ａ級'],
  ['ＮＯＶＡ（株）', 'ＮＯＶＡ（株）'],
  ['①', '①'],
  ['Ａ級', 'Ａ級'],
])('the missing option %j of a file is made as %j: full-width letters and digits alone are narrow', (cell, label) => {
  expect(readOwnCell({ ...field('choice'), options: [] }, cell)).toBe(label);
});

test.each([
  ['number', 1_234_567.25, '1,234,567.25'],
  ['number', 0.000001, '0.000001'],
  ['date', '2026-10-15', '2026年10月15日'],
  ['flag', true, 'はい'],
  ['flag', false, 'いいえ'],
  ['choice', 7, 'Ａ級'],
  ['text', '東京産業展', '東京産業展'],
] as const)('a mail shows %s %j as %s', (type, value, text) => {
  expect(ownText(field(type), value)).toBe(text);
});
