import { createHash } from 'node:crypto';
import iconv from 'iconv-lite';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CallAnswer } from '#contract/call.ts';
import type { lookAtImport } from '#contract/imports/imports-steps.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { workbookOf } from '#test/workbook.ts';

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant, { worker: false });
});

type Look = CallAnswer<typeof lookAtImport>;
const look = async (id: number, query = '') => (await by.client.get(`/import/${id}/look${query}`)).body as Look;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const begin = async (bytes: number, more: object = {}) =>
  (await by.client.post('/import', { add_info: { name: '見込み客.csv', bytes, ...more } })) as {
    status: number;
    body: { id: number };
  };

describe('an upload', () => {
  const content = Buffer.from('会社名,住所\n甲,東京都\n');

  test('bad-inputs 233: is cut, tells how much is there, and is resumed', async () => {
    const { id } = (await begin(content.length)).body;
    expect(await by.part(id, 0, content.subarray(0, 10))).toStrictEqual({ status: 200, body: { uploaded: 10 } });
    expect(await by.read(id)).toMatchObject({ state: 'uploading', uploaded: 10, bytes: content.length });
    expect(await by.part(id, 0, content.subarray(0, 10))).toMatchObject({
      status: 409,
      body: { code: 'wrong_start', details: [{ path: 'start', message: '10' }] },
    });
    expect(await by.part(id, 10, content.subarray(10))).toMatchObject({ status: 200 });
    expect(await by.read(id)).toMatchObject({ state: 'uploaded', uploaded: content.length });
  });

  test('bad-inputs 233: is not resumed with another file', async () => {
    const other = Buffer.from(content.toString().replace('甲', '乙'));
    const { id } = (await begin(content.length, { head_sha256: sha256(content) })).body;
    expect(await by.part(id, 0, other)).toMatchObject({ status: 409, body: { code: 'other_file' } });
    await by.part(id, 0, content);
    expect(await by.part(id, content.length, other, `&head_sha256=${sha256(other)}`)).toMatchObject({
      status: 409,
      body: { code: 'other_file' },
    });
    expect(await by.read(id)).toMatchObject({ head_sha256: sha256(content) });
  });

  test('is not longer than it said, and has no empty part', async () => {
    const { id } = (await begin(5)).body;
    expect(await by.part(id, 0, content)).toMatchObject({ status: 400, body: { code: 'empty_part' } });
    expect(await by.part(id, 0, Buffer.alloc(0))).toMatchObject({ status: 400 });
  });

  test('bad-inputs 82: is refused beyond 512 MB, and a part beyond 4 MB', async () => {
    expect(await begin(512 * 1024 * 1024 + 1)).toMatchObject({ status: 413, body: { code: 'file_too_large' } });
    expect(await begin(50 * 1024 * 1024 + 1, { name: '一覧.XLSX' })).toMatchObject({ status: 413 });
    expect(await begin(0)).toMatchObject({ status: 400 });
    const { id } = (await begin(8 * 1024 * 1024)).body;
    expect(await by.part(id, 0, Buffer.alloc(4 * 1024 * 1024 + 1))).toMatchObject({ status: 413 });
    expect(await by.part(id, 0, Buffer.alloc(4 * 1024 * 1024))).toMatchObject({ status: 200 });
  });

  test('is bytes, and other calls are JSON', async () => {
    const { id } = (await begin(10)).body;
    expect(await by.client.put(`/import/${id}/content?start=0`, { all: 1 })).toMatchObject({ status: 415 });
  });

  test('begun twice with one key is one', async () => {
    const body = { add_info: { name: '甲.csv', bytes: 10 } };
    const key = { 'idempotency-key': 'the-same-upload' };
    const first = await by.client.post('/import', body, key);
    expect(await by.client.post('/import', body, key)).toStrictEqual(first);
  });
});

describe('the look at a file', () => {
  test('shows its encoding, separator, first rows and the fields of its columns', async () => {
    const text = '企業名,売上高(百万円),FAX\r\n㈱花,120,03\r\n株式会社月,"3,400",\r\n';
    expect(await look(await by.upload(iconv.encode(text, 'cp932')))).toStrictEqual({
      encoding: 'cp932',
      separator: 'comma',
      sheets: [],
      sheet: null,
      header_row: 1,
      heading: ['企業名', '売上高(百万円)', 'FAX'],
      rows: [
        { row: 2, cells: ['㈱花', '120', '03'] },
        { row: 3, cells: ['株式会社月', '3,400', ''] },
      ],
      columns: [
        {
          index: 0,
          heading: '企業名',
          samples: ['㈱花', '株式会社月'],
          field: 'company_name',
          unit: '',
          group: 'company',
        },
        {
          index: 1,
          heading: '売上高(百万円)',
          samples: ['120', '3,400'],
          field: 'amount_of_sales',
          unit: '百万円',
          group: 'company',
        },
        {
          index: 2,
          heading: 'FAX',
          samples: ['03'],
          field: null,
          unit: '',
          new_field: { label: 'FAX', type: 'text', key: 'fax' },
        },
      ],
      sure: 1,
      mapping: 'auto',
      missing: [],
    });
  });

  test.each([
    ['bad-inputs 226: a heading in row 3', '一覧\n\n会社名,住所\n甲,東京都\n', 3, ['company_name', 'address']],
    ['bad-inputs 226: no heading', '甲,東京都\n乙,大阪府\n', 1, [null, null]],
    ['bad-inputs 227: two columns for one field', '会社名,企業名\n甲,乙\n', 1, ['company_name', null]],
    [
      'bad-inputs 229: 住所1 and 住所2',
      '会社名,住所1,住所2\n甲,東京都,1-1\n',
      1,
      ['company_name', 'address', 'address'],
    ],
  ])('%s', async (_, text, row, fields) => {
    const found = await look(await by.upload(text));
    expect([found.header_row, found.columns.map(({ field }) => field)]).toStrictEqual([row, fields]);
  });

  test('bad-inputs 10: headings named as members of every object are names of new fields', async () => {
    const found = await look(await by.upload('会社名,constructor,__proto__\n甲,A,B\n'));
    expect(found.columns.slice(1)).toMatchObject([
      { field: 'own', new_field: { label: 'constructor', type: 'text' } },
      { field: 'own', new_field: { label: '__proto__', type: 'text' } },
    ]);
    expect(found.columns.flatMap(({ new_field }) => new_field?.key ?? [])).toStrictEqual([]);
  });

  const cp932 = (text: string) => iconv.encode(text, 'cp932');
  const UTF8_BOM = [0xef, 0xbb, 0xbf];
  const broken = (bytes: Uint8Array, at: number) =>
    Buffer.concat([bytes.slice(0, at), Buffer.from([0xff]), bytes.slice(at)]);
  const LIST = '会社名,担当メモ\n甲株式会社,山田\n';
  test.each<[string, string | Buffer, 0 | 1]>([
    ['UTF-8', LIST, 1],
    ['UTF-8 with its mark', `\ufeff${LIST}`, 1],
    ['ASCII', 'company_name,company_email\na,a@a.example\n', 1],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${LIST.replaceAll(',', '\t')}`, 'utf16le'), 1],
    ['CP932', cp932(LIST), 1],
    ['CP932 with characters of Windows', cp932('会社名,住所\n㈱髙﨑①,〜‖−\n'), 1],
    ['CP932 with a broken byte', broken(cp932(LIST), cp932(LIST).length - 3), 0],
    ['UTF-8 with a broken byte', broken(Buffer.from(LIST), 40), 0],
    ['UTF-8 with its mark and a broken byte', Buffer.concat([Buffer.from(UTF8_BOM), broken(Buffer.from(LIST), 40)]), 0],
    ['UTF-16 that ends within a character', Buffer.from(`\ufeff${LIST}`, 'utf16le').subarray(0, -1), 0],
    ['headings in row 3', '一覧\n\n会社名,住所\n甲,東京都\n', 1],
    ['a title of one known word', '会社,一覧\n会社名,住所\n甲,東京都\n', 0],
    ['one known heading', '会社名\n甲\n', 0],
    ['no heading', '甲,東京都\n乙,大阪府\n', 0],
    ['known headings, but no company name', '住所,電話番号,メモ\n東京都,03-1111-1111,\n', 1],
  ])('is sure or not of a file: %s', async (_, content, sure) => {
    expect(await look(await by.upload(content))).toMatchObject({ sure });
  });

  test('is as sure of a file whose head ends within a character', async () => {
    const row = '甲株式会社,山田\n';
    const list = `会社名,担当メモ\n${row.repeat(20_000)}`;
    for (const offset of ['', 'a', 'ab']) {
      const text = list.replace('山田', `山田${offset}`);
      for (const content of [text, cp932(text)]) {
        expect(await look(await by.upload(content))).toMatchObject({ sure: 1 });
      }
    }
  });

  test.each([
    ['one sheet', [{ name: '一覧' }], 1],
    ['two sheets', [{ name: '一覧' }, { name: '控え' }], 0],
  ] as const)('is sure or not of a workbook: %s', async (_, sheets, sure) => {
    const content = sheets.map(({ name }) => ({
      name,
      rows: [
        ['会社名', '住所'],
        ['甲', '東京都'],
      ],
    }));
    expect(await look(await by.upload(workbookOf({ sheets: content })))).toMatchObject({ sure });
  });

  test('reads as the person chose', async () => {
    const id = await by.upload('会社名;住所\n甲;東京都\n');
    expect(await look(id)).toMatchObject({ separator: 'semicolon', missing: [] });
    expect(await look(id, '?separator=comma')).toMatchObject({ heading: ['会社名;住所'], missing: ['company_name'] });
    expect(await look(id, '?header_row=0')).toMatchObject({ heading: [], rows: [{ row: 1 }, { row: 2 }] });
    expect(await look(id, '?encoding=cp932')).toMatchObject({ encoding: 'cp932' });
  });

  test('reads UTF-16 with its mark', async () => {
    const id = await by.upload(Buffer.from('\ufeff会社名\t住所\n甲\t東京都\n', 'utf16le'));
    expect(await look(id)).toMatchObject({ encoding: 'utf-16le', separator: 'tab', heading: ['会社名', '住所'] });
  });

  const compound = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  test.each([
    ['bad-inputs 224: .xls', compound, 'not_a_table'],
    [
      'bad-inputs 224: an encrypted xlsx',
      Buffer.concat([compound, Buffer.from('EncryptedPackage', 'utf16le')]),
      'encrypted',
    ],
    ['bad-inputs 85: the head of a zip', Buffer.from('PK\u0003\u0004rest'), 'broken_workbook'],
    ['a table of HTML', Buffer.from('<html><body><table><tr><th>会社名</th></tr></table>'), 'not_a_table'],
    ['a PDF', Buffer.from('%PDF-1.7\n'), 'not_a_table'],
    ['bytes', Buffer.from([1, 0, 2, 0, 10]), 'not_a_table'],
    ['bad-inputs 225: 200,000 columns', Buffer.from(`${'a,'.repeat(200_000)}\n`), 'record_too_long'],
    ['too many columns', Buffer.from(`${'a,'.repeat(1000)}\n`), 'too_many_columns'],
    ['blank lines', Buffer.from('\n\n'), 'empty_file'],
    ['EUC-JP', iconv.encode('会社名\n株式会社甲\n', 'euc-jp'), 'unknown_encoding'],
  ])('refuses %s', async (_, bytes, code) => {
    expect(await look(await by.upload(bytes))).toMatchObject({ code, message: expect.stringMatching(/[ぁ-ん]/) });
  });

  const rows = [
    ['会社名', '設立年'],
    ['甲', 1991],
  ];
  const workbook = workbookOf({
    sheets: [{ name: '表紙' }, { name: '一覧', rows }, { name: '控え', rows: [['会社名']] }],
  });

  test('bad-inputs 224: reads the first sheet of a workbook with values, or the chosen one', async () => {
    const id = await by.upload(workbook);
    expect(await look(id)).toMatchObject({
      sheets: [
        { index: 0, name: '表紙' },
        { index: 1, name: '一覧' },
        { index: 2, name: '控え' },
      ],
      sheet: 1,
      heading: ['会社名', '設立年'],
      rows: [{ row: 2, cells: ['甲', '1991'] }],
      missing: [],
    });
    expect(await look(id, '?sheet=2')).toMatchObject({ sheet: 2, heading: ['会社名'] });
    expect(await look(id, '?sheet=0')).toMatchObject({ code: 'empty_file' });
    expect(await look(id, '?sheet=3')).toMatchObject({ code: 'sheet_missing' });
  });

  test('reads a workbook once all of it is there', async () => {
    const { id } = (await begin(workbook.length)).body;
    await by.part(id, 0, workbook.subarray(0, 500));
    expect(await look(id)).toMatchObject({ code: 'not_complete' });
    await by.part(id, 500, workbook.subarray(500));
    expect(await look(id)).toMatchObject({ sheet: 1 });
  });

  test('has nothing before the first part', async () => {
    expect(await look((await begin(10)).body.id)).toMatchObject({ code: 'not_uploaded' });
  });
});
