import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnName, rowsXml, sheetXml, type TestCell, workbookOf } from '#test/workbook.ts';
import { zipOf } from '#test/zip.ts';
import { WorkbookFault } from './workbook-faults.ts';
import { type WorkbookToCsv, workbookToCsv } from './workbook-to-csv.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kaitaku-list-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Reads a workbook without the thread. @returns the CSV and the sheets, or why it is refused */
async function read(bytes: Buffer, choice: Partial<WorkbookToCsv> = {}, maxCells?: number) {
  const path = join(folder, 'list.xlsx');
  const csvPath = join(folder, 'list.csv');
  await writeFile(path, bytes);
  try {
    const workbook = await workbookToCsv({ path, csvPath, sheet: null, headRows: null, ...choice }, maxCells);
    return { csv: await readFile(csvPath, 'utf8'), workbook };
  } catch (error) {
    if (!(error instanceof WorkbookFault)) throw error;
    const { code, message } = error.fault;
    return { code, message };
  }
}
const csvOf = async (...[bytes, choice]: Parameters<typeof read>) => (await read(bytes, choice)) as { csv: string };
const sheet = (rows: readonly (readonly TestCell[])[]) => workbookOf({ sheets: [{ rows }] });
const xml = (text: string): TestCell => ({ xml: text });

describe('a sheet', () => {
  it('becomes CSV, row by row', async () => {
    const bytes = sheet([['会社名', '住所'], ['甲', '東京都, "港区"'], [], ['', '大阪府']]);
    expect(await read(bytes)).toStrictEqual({
      csv: '会社名,住所\n甲,"東京都, ""港区"""\n\n,大阪府\n',
      workbook: { sheets: ['Sheet1'], sheet: 0 },
    });
  });

  it('bad-inputs 232: keeps the line breaks of a cell, and the rows as Excel counts them', async () => {
    const rows = '<row r="3"><c r="B3" t="inlineStr"><is><t>甲\n本社</t></is></c></row><row><c><v>1</v></c></row>';
    expect(await csvOf(workbookOf({ sheets: [{ xml: rows }] }))).toMatchObject({ csv: '\n\n,"甲\n本社"\n1\n' });
  });

  it.each([
    ['a corporate number with all digits', 7_000_012_050_002, '7000012050002'],
    ['a corporate number in scientific notation', xml('<c><v>7.000012050002E12</v></c>'), '7000012050002'],
    ['a postal code that is a text', '0600001', '0600001'],
    ['a number as Excel shows it', xml('<c><v>0.30000000000000004</v></c>'), '0.3'],
    ['a negative number', -500, '-500'],
    ['a truth value', xml('<c t="b"><v>1</v></c>'), 'TRUE'],
    ['an error', xml('<c t="e"><v>#N/A</v></c>'), '#N/A'],
    ['bad-inputs 224: a formula, by its value', xml('<c t="str"><f>A1&amp;"x"</f><v>甲x</v></c>'), '甲x'],
    ['bad-inputs 224: a formula of another file', xml('<c><f>[1]Sheet1!A1</f><v>12</v></c>'), '12'],
    ['a formula whose value is empty', xml('<c t="str"><f>""</f><v></v></c>'), ''],
    ['a text with runs, and without its reading', xml('<c t="s"><v>1</v></c>'), '東京都'],
    ['an escaped character', xml('<c t="s"><v>2</v></c>'), '"甲\r_x000D_乙"'],
    ['a day', xml('<c s="1"><v>33329</v></c>'), '1991/04/01'],
    ['a day with a time', xml('<c s="1"><v>33329.75</v></c>'), '1991/04/01 18:00:00'],
    ['a day in an era', xml('<c s="2"><v>33329</v></c>'), '1991/04/01'],
    ['a day of early 1900', xml('<c s="1"><v>1</v></c>'), '1900/01/01'],
    ['a day in ISO 8601', xml('<c t="d"><v>1991-04-01T00:00:00</v></c>'), '1991/04/01'],
    ['a number with a unit and a colour', xml('<c s="3"><v>33329</v></c>'), '33329'],
    ['a number in scientific format', xml('<c s="4"><v>33329</v></c>'), '33329'],
    ['a time alone', xml('<c s="1"><v>0.5</v></c>'), '0.5'],
  ])('reads %s', async (_, cell, text) => {
    const bytes = workbookOf({
      sheets: [{ rows: [[cell, 'x']] }],
      strings:
        '<si><t>甲</t></si>' +
        '<si><r><t>東京</t></r><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><r><t>都</t></r></si>' +
        '<si><t>甲_x000D__x005F_x000D_乙</t></si>',
      styles:
        '<numFmts><numFmt numFmtId="176" formatCode="[$-411]ggge&quot;年&quot;m&quot;月&quot;"/>' +
        '<numFmt numFmtId="177" formatCode="[Red]#,##0&quot;days&quot;;G/標準"/></numFmts>' +
        '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="176"/><xf numFmtId="177"/>' +
        '<xf numFmtId="11"/></cellXfs>',
    });
    expect(await csvOf(bytes)).toMatchObject({ csv: `${text},x\n` });
  });

  it('bad-inputs 224: counts days from 1904 where the workbook says so', async () => {
    const styles = '<cellXfs><xf numFmtId="14"/></cellXfs>';
    const bytes = workbookOf({ sheets: [{ rows: [[31_867]] }], styles, from1904: true });
    expect(await csvOf(bytes)).toMatchObject({ csv: '1991/04/01\n' });
  });

  it('bad-inputs 224: takes a merged cell once, and hidden rows and columns as all others', async () => {
    const rows = rowsXml([
      ['会社名', '住所'],
      ['甲', ''],
      ['乙', ''],
    ]).replace('<row r="2"', '<row r="2" hidden="1"');
    const merged = sheetXml(rows).replace(
      '</sheetData>',
      '</sheetData><mergeCells><mergeCell ref="A2:B2"/></mergeCells>',
    );
    const bytes = workbookOf({ sheets: [{}], parts: [{ name: 'xl/worksheets/sheet1.xml', content: merged }] });
    expect(await csvOf(bytes)).toMatchObject({ csv: '会社名,住所\n甲\n乙\n' });
  });

  it('is read whatever prefix its elements have', async () => {
    const content = sheetXml(rowsXml([['甲']]))
      .replaceAll(/<(\/?)(?=\w)/g, '<$1x:')
      .replace('xmlns', 'xmlns:x');
    expect(
      await csvOf(workbookOf({ sheets: [{}], parts: [{ name: 'xl/worksheets/sheet1.xml', content }] })),
    ).toMatchObject({ csv: '甲\n' });
  });

  it('is read only to so many rows for a look', async () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => [`甲${at}`, 'x'.repeat(100)]);
    const { csv } = await csvOf(sheet(rows), { headRows: 3 });
    expect(csv.split('\n')).toHaveLength(4);
  });
});

describe('bad-inputs 224: of several sheets', () => {
  const bytes = workbookOf({
    sheets: [
      { name: '表紙', rows: [] },
      { name: '控え', rows: [['控え']], state: 'hidden' },
      { name: '会社一覧', rows: [['会社名']] },
    ],
  });
  const sheets = ['表紙', '控え', '会社一覧'];

  it.each([
    ['the first visible one with a value', null, '会社名\n', 2],
    ['the one at a position', 1, '控え\n', 1],
    ['the one of a name', '会社一覧', '会社名\n', 2],
    ['an empty one that was chosen', 0, '', 0],
  ])('reads %s', async (_, choice, csv, at) => {
    expect(await read(bytes, { sheet: choice })).toStrictEqual({ csv, workbook: { sheets, sheet: at } });
  });

  it('the one with a company’s heading is proposed, else the first with a value', async () => {
    const summary = {
      name: '書き出しの概要',
      rows: [['この書類はNumbersから書き出されました。'], ['シート名', '表名']],
    };
    const note = { name: 'メモ', rows: [['x']] };
    const list = { name: 'シート1', rows: [['2026年'], ['会社名（必須）', '住所'], ['甲', '東京都']] };
    expect(await read(workbookOf({ sheets: [summary, note, list] }))).toMatchObject({
      csv: expect.stringContaining('甲,東京都'),
      workbook: { sheet: 2 },
    });
    expect(await read(workbookOf({ sheets: [summary, note] }))).toMatchObject({
      csv: expect.stringContaining('表名'),
      workbook: { sheet: 0 },
    });
    const notCalculated = { name: '集計', rows: [[xml('<c><f>A1</f></c>')]] };
    expect(await read(workbookOf({ sheets: [note, notCalculated, list] }))).toMatchObject({ workbook: { sheet: 2 } });
    // The cells of further sheets are too many to look at.
    expect(await read(workbookOf({ sheets: [note, list] }), {}, 3)).toMatchObject({
      csv: 'x\n',
      workbook: { sheet: 0 },
    });
  });

  it('names them where the chosen one is not there', async () => {
    expect(await read(bytes, { sheet: '名簿' })).toStrictEqual({
      code: 'sheet_missing',
      message: '指定したシートがありません。このファイルのシート: 表紙、控え、会社一覧',
    });
  });
});

const MANY = 20_000_000;
const zeros = (bytes: number) => Buffer.alloc(bytes, 0x20);
const named = (...names: string[]) =>
  workbookOf({ sheets: [{}], parts: names.map((name) => ({ name, content: 'x' })) });
const sheetPart = (content: string | Buffer, more = {}) =>
  workbookOf({ sheets: [{}], parts: [{ name: 'xl/worksheets/sheet1.xml', content, ...more }] });

describe('bad-inputs 224: refuses', () => {
  it.each([
    ['.numbers', zipOf([{ name: 'Index/Document.iwa', content: '' }]), 'not_a_table', 'Numbers'],
    ['.ods', zipOf([{ name: 'mimetype', content: '' }]), 'not_a_table', '.ods'],
    ['.xlsb', named('xl/workbook.bin'), 'not_a_table', '.xlsb'],
    ['.docx', named('word/document.xml'), 'not_a_table', '表として'],
    ['a zip of CSV files', zipOf([{ name: 'a.csv', content: '' }]), 'not_a_table', '表として'],
    ['macros', named('xl/vbaProject.bin'), 'macros', 'マクロ'],
    ['an entry that is encrypted', sheetPart('x', { isEncrypted: true }), 'encrypted', 'パスワード'],
    ['a formula without a value', sheet([['甲', xml('<c><f>A1</f></c>')]]), 'not_calculated', 'B1'],
    ['bad-inputs 93: half of a workbook', sheet([['甲']]).subarray(0, 700), 'broken_workbook', '壊れて'],
    ['bad-inputs 85: the head of a zip', Buffer.from('PK\u0003\u0004rest'), 'broken_workbook', '壊れて'],
    ['a flipped bit', sheetPart(sheetXml(''), { statedCrc: 1 }), 'broken_workbook', '壊れて'],
    ['broken XML', sheetPart('<worksheet>'), 'broken_workbook', '壊れて'],
    ['XML in another encoding', sheetPart(Buffer.from([0x3c, 0xff])), 'broken_workbook', '壊れて'],
    ['entities', sheetPart('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'), 'broken_workbook', '壊れて'],
    ['rows that go back', workbookOf({ sheets: [{ xml: '<row r="2"/><row r="1"/>' }] }), 'broken_workbook', '壊れて'],
    ['a string that is not there', sheet([[xml('<c t="s"><v>9</v></c>')]]), 'broken_workbook', '壊れて'],
    ['a zip bomb', sheetPart('x', { statedBytes: 2_000_000_000 }), 'file_too_large', '展開すると'],
    [
      'a workbook that unpacks to too much for its size',
      sheetPart('x', { statedBytes: 106e6 }),
      'file_too_large',
      '展開すると',
    ],
    ['a zip bomb that lies about its size', sheetPart(zeros(MANY), { statedBytes: 10 }), 'broken_workbook', '壊れて'],
    ['an endless cell', sheetPart(sheetXml(rowsXml([['x'.repeat(MANY)]]))), 'file_too_large', '展開すると'],
    ['an endless tag', sheetPart(`<worksheet a="${'x'.repeat(MANY)}"/>`), 'file_too_large', '展開すると'],
    ['a row that is too long', sheet([['甲'], Array(10).fill('x'.repeat(32_000))]), 'record_too_long', '2行目'],
    [
      'bad-inputs 225: 200,000 columns',
      workbookOf({ sheets: [{ xml: `<row r="1">${'<c><v>1</v></c>'.repeat(200_000)}</row>` }] }),
      'too_many_columns',
      '1,000列まで',
    ],
    [
      '200,002 rows',
      workbookOf({ sheets: [{ xml: '<row><c><v>1</v></c></row>'.repeat(200_002) }] }),
      'file_too_large',
      '20万行まで',
    ],
  ])('%s', async (_, bytes, code, words) => {
    expect(await read(bytes)).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  it.each([
    ['in a row', [`<row>${'<c/>'.repeat(101)}</row>`]],
    ['far to the right', [`<row>${'<c r="XFD1048576" s="1"/>'.repeat(101)}</row>`]],
    ['in rows of their own', [`<row><c></c></row>`.repeat(101)]],
    ['of several sheets', Array(3).fill(`<row>${'<c/>'.repeat(40)}</row>`)],
    ['with a prefix', [`<x:row xmlns:x="x">${'<x:c/>'.repeat(101)}</x:row>`]],
  ])('too many blank cells %s', async (_, sheets: string[]) => {
    const file = workbookOf({ sheets: sheets.map((rows) => ({ xml: rows })) });
    const tooMany = { code: 'file_too_large', message: expect.stringContaining('セルが多すぎます') };
    expect(await read(file, {}, 100)).toMatchObject(tooMany);
    expect(await read(file, { headRows: 3 }, 100)).toMatchObject(tooMany);
    expect(await read(file, {}, 120)).toMatchObject({ csv: '' });
  });

  it('more than 20 million blank cells', async () => {
    const rows = Buffer.alloc(20_000_001 * 4, '<c/>').toString('latin1');
    expect(await read(workbookOf({ sheets: [{ xml: `<row>${rows}</row>` }] }))).toMatchObject({
      message: expect.stringContaining('2,000万個まで'),
    });
  });

  it('not a value at the last column, but an empty cell there', async () => {
    const rows = `<row r="1"><c r="A1"><v>1</v></c><c r="${columnName(16_383)}1" s="1"/></row>`;
    expect(await csvOf(workbookOf({ sheets: [{ xml: rows }] }))).toMatchObject({ csv: '1\n' });
  });
});
