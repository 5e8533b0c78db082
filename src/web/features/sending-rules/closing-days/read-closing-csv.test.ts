import { expect, it } from 'vitest';
import { decodeTable, readClosingRows } from './read-closing-csv.ts';

const bytes = (...values: number[]) => new Uint8Array(values).buffer;

it('reads days and names, without a heading and blank lines, each with its line of the file', () => {
  expect(readClosingRows('日付,名称\r\n2026/12/1,創立記念日\r\n\r\n2027-08-13,"お盆, ""夏休み"""\r\n')).toEqual([
    { line: 2, day: '2026/12/1', name: '創立記念日' },
    { line: 4, day: '2027-08-13', name: 'お盆, "夏休み"' },
  ]);
  expect(readClosingRows('2026-12-01\t創立記念日')).toEqual([{ line: 1, day: '2026-12-01', name: '創立記念日' }]);
  expect(readClosingRows('')).toEqual([]);
  expect(readClosingRows('元日,休み')).toEqual([{ line: 1, day: '元日', name: '休み' }]);
});

it.each([
  ['UTF-8 with a mark', bytes(0xef, 0xbb, 0xbf, 0xe7, 0x9b, 0x86), '盆'],
  ['Shift_JIS', bytes(0x96, 0x7e), '盆'],
])('decodes %s', (_, file, text) => {
  expect(decodeTable(file)).toBe(text);
});
