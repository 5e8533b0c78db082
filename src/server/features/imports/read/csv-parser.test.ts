import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvRecord, createCsvParser, MAX_RECORD_LENGTH } from './csv-parser.ts';

function parse(pieces: string[], separator = ',') {
  const records: CsvRecord[] = [];
  const parser = createCsvParser(separator, (record) => records.push(record));
  for (const piece of pieces) {
    const fault = parser.write(piece);
    if (fault !== null) return { records, fault };
  }
  return { records, fault: parser.end() };
}

const cellsOf = (text: string, separator?: string) => parse([text], separator).records.map(({ cells }) => cells);

describe('records', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\r\nb\nc\rd', [['a'], ['b'], ['c'], ['d']]],
    [
      'a,\n,b\n',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['a,', [['a', '']]],
    ['\n\na\n\n', [['a']]],
    ['"株式会社\r\n甲",x\n', [['株式会社\r\n甲', 'x']]],
    ['"say ""hi""","",""""\n', [['say "hi"', '', '"']]],
    ['a"b,c\n', [['a"b', 'c']]],
    ['"a" ,b\n', [['a', 'b']]],
    ['="a,b",c\n', [['="a,b"', 'c']]],
    ['="a"&x,="b\n', [['="a"&x', '="b']]],
    ['', []],
  ])('%j', (text, expected) => {
    expect(cellsOf(text)).toEqual(expected);
  });

  it.each([';', '\t'])('separated by %j', (separator) => {
    expect(cellsOf(`a${separator}"1${separator}2"\n`, separator)).toEqual([['a', `1${separator}2`]]);
  });

  it('bad-inputs 232: counts rows as a spreadsheet does: line breaks in a cell are no rows, empty lines are', () => {
    const { records } = parse(['h\r\n"1\n2\r3\r\n4"\n\nx\ry']);
    expect(records.map(({ row }) => row)).toEqual([1, 2, 4, 5]);
  });

  it('marks text behind a closing quote and keeps it', () => {
    expect(parse(['"a"b,c\n']).records).toEqual([{ cells: ['ab', 'c'], row: 1, badQuote: true, open: false }]);
  });
});

it('tells a last record without a line break', () => {
  expect(parse(['a\nb']).records.map(({ open }) => open)).toEqual([false, true]);
});

describe('faults', () => {
  it('bad-inputs 74: an unclosed quote names the line where its record starts', () => {
    expect(parse(['a\n', 'b,"c\nd\n']).fault).toEqual({ code: 'unclosed_quote', line: 2 });
  });

  it('a record over the limit stops before the file is in memory', () => {
    let written = 0;
    const parser = createCsvParser(',', () => {});
    const piece = 'x'.repeat(50_000);
    while (parser.write(piece) === null && written < 100) written += 1;
    expect(written * piece.length).toBeLessThanOrEqual(MAX_RECORD_LENGTH);
  });
});

it('bad-inputs 75: any cells, written quoted, come back from any cut into pieces', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '漢', ' ') });
  const record = fc.array(cell, { minLength: 2, maxLength: 4 });
  const property = fc.property(
    fc.array(record, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.array(fc.nat(60), { maxLength: 6 }),
    (rows, lineBreak, cuts) => {
      const text = rows.map((row) => row.map((c) => `"${c.replaceAll('"', '""')}"`).join(',') + lineBreak).join('');
      const at = [0, ...cuts.sort((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((end, index) => text.slice(at[index], end));
      const { records, fault } = parse(pieces);
      expect(fault).toBeNull();
      expect(records.map(({ cells }) => cells)).toEqual(rows);
    },
  );
  fc.assert(property, { numRuns: 500 });
});
