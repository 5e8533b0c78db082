import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { iso2022jp } from '#test/inbox-mails.ts';
import { fileFaults } from './faults.ts';
import { detectSeparator } from './find-header.ts';
import { detectEncoding, detectHeadEncoding } from './list-file.ts';
import { type CsvRecord, createCsvParser, MAX_RECORD_LENGTH, readRecords } from './read-records.ts';
import { NO_MAPPING } from './table/headings.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-csv-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(bytes: Buffer | string): Promise<string> {
  const path = join(folder, 'list.csv');
  await writeFile(path, bytes);
  return path;
}

const cp932 = (text: string) => iconv.encode(text, 'cp932');
const HEADER = '会社名,住所\r\n';
const separatorOf = (head: string) => detectSeparator(head, NO_MAPPING);

async function read(bytes: Buffer | string) {
  const path = await fileOf(bytes);
  const encoding = await detectEncoding(path);
  if (typeof encoding === 'object') return { fault: encoding.code, rows: [] };
  const rows: string[][] = [];
  const fault = await readRecords(path, encoding, separatorOf, async (records) => {
    rows.push(...records.map(({ cells }) => cells));
    return null;
  });
  return { encoding, fault: fault?.code, rows };
}

describe('encodings', () => {
  it.each([
    ['UTF-8', Buffer.from(`${HEADER}髙﨑,甲\r\n`), 'utf-8'],
    ['UTF-8 with its mark', Buffer.from(`\ufeff${HEADER}髙﨑,甲\r\n`), 'utf-8'],
    ['CP932', cp932(`${HEADER}髙﨑,甲\r\n`), 'cp932'],
  ])('%s', async (_, bytes, encoding) => {
    expect(await read(bytes)).toEqual({
      encoding,
      fault: undefined,
      rows: [
        ['会社名', '住所'],
        ['髙﨑', '甲'],
      ],
    });
  });

  it('bad-inputs 70: CP932 keeps the letters of NEC and IBM', async () => {
    const { rows } = await read(cp932(`${HEADER}①㈱髙﨑～,ｶﾅ\\~\r\n`));
    expect(rows[1]).toEqual(['①㈱髙﨑～', 'ｶﾅ\\~']);
  });

  it('bad-inputs 71: UTF-16 is known by its mark, in both orders of bytes', async () => {
    const text = Buffer.from(`\ufeff${HEADER}髙﨑,𠮷\n`, 'utf16le');
    expect(await read(text)).toMatchObject({
      encoding: 'utf-16le',
      rows: [
        ['会社名', '住所'],
        ['髙﨑', '𠮷'],
      ],
    });
    expect(await read(text.swap16())).toMatchObject({
      encoding: 'utf-16be',
      rows: [
        ['会社名', '住所'],
        ['髙﨑', '𠮷'],
      ],
    });
  });

  it.each([
    ['empty', '', 'empty_file'],
    ['only a mark', '\ufeff', 'empty_file'],
    ['only blank lines', '\r\n \r\n', 'empty_file'],
    ['bad-inputs 71: UTF-16LE without its mark', Buffer.from(HEADER, 'utf16le'), 'not_csv'],
    ['no encoding at all', Buffer.from([0x81, 0x20, 0xff, 0xfd, 0x0a]), 'unknown_encoding'],
    ['UTF-8 cut within a character', Buffer.from(`${HEADER}髙﨑`).subarray(0, -1), 'truncated'],
    ['CP932 cut within a character', cp932(`${HEADER}髙﨑`).subarray(0, -1), 'truncated'],
  ])('%s is refused', async (_, bytes, code) => {
    expect((await read(bytes)).fault).toBe(code);
  });
});

it.each([
  ['JIS（ISO-2022-JP）', iso2022jp(`${HEADER}株式会社甲,東京都\r\n`)],
  ['EUC-JP', iconv.encode(`${HEADER}株式会社甲,東京都\r\n`, 'euc-jp')],
])('%s is named as an encoding, of a file and of its head', async (name, bytes) => {
  const message = expect.stringContaining(`文字コードが${name}です`);
  expect(await detectEncoding(await fileOf(bytes))).toMatchObject({ message });
  expect(detectHeadEncoding(bytes)).toMatchObject({ message });
});

it.each(['ｶﾌﾞｼｷｶﾞｲｼｬ,ﾄｳｷｮｳ', 'アイウ,ﾄｳｷｮｳ', '株式会社,東京都'])('CP932 is not taken for EUC-JP: %s', async (text) => {
  expect(await detectEncoding(await fileOf(cp932(`a,b\r\n${text}\r\n`)))).toBe('cp932');
});

describe('files larger than a piece', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `株式会社𠮷野①${at}`);

  it.each(['\n', '\r\n'])('are the same file again, with line break %j', async (lineBreak) => {
    const { rows } = await read(['会社名', ...names].join(lineBreak));
    expect(rows.slice(1).flat()).toEqual(names);
  });

  it('in CP932 too', async () => {
    const { encoding, rows } = await read(cp932(['会社名', ...names].join('\n').replaceAll('𠮷', '吉')));
    expect(encoding).toBe('cp932');
    expect(rows.slice(1).flat()).toEqual(names.map((name) => name.replace('𠮷', '吉')));
  });

  it('bad-inputs 82: one cell of 50 MB stops the reading', async () => {
    expect((await read(`${HEADER}"${'x'.repeat(50_000_000)}",a\n`)).fault).toBe('record_too_long');
    expect((await read(`${'x'.repeat(50_000_000)}`)).fault).toBe('record_too_long');
  });
});

it.each([
  [
    'semicolons',
    '会社名;住所\n甲;"乙;丙"\n',
    [
      ['会社名', '住所'],
      ['甲', '乙;丙'],
    ],
  ],
  [
    'tabs',
    '会社名\t住所\n甲\t乙\n',
    [
      ['会社名', '住所'],
      ['甲', '乙'],
    ],
  ],
  [
    'a heading in two lines',
    '"会社\n名",住所\n甲,乙\n',
    [
      ['会社\n名', '住所'],
      ['甲', '乙'],
    ],
  ],
  [
    'blank lines and blank records',
    '\n\n会社名,住所\n,\n\n甲,乙\n , \n',
    [
      ['会社名', '住所'],
      ['甲', '乙'],
    ],
  ],
])('%s', async (_, text, rows) => {
  expect(await read(text)).toMatchObject({ fault: undefined, rows });
});

it('stops where the reader of the records says so', async () => {
  const fault = fileFaults.noRows;
  expect(await readRecords(await fileOf(HEADER), 'utf-8', separatorOf, async () => fault)).toBe(fault);
});

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

it('marks a last record without a line break as open', () => {
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
