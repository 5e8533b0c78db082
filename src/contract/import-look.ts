import { z } from 'zod';
import { MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { call } from './call.ts';
import { ofImport } from './import.ts';
import { UNSORTED_COLUMNS } from './prospect-columns.ts';
import { intInQuery } from './wire.ts';

/** How a file is read, and which of its columns are which fields. */

export const IMPORT_ENCODINGS = ['utf-8', 'cp932', 'utf-16le', 'utf-16be'] as const;
export const IMPORT_SEPARATORS = ['comma', 'tab', 'semicolon'] as const;
export const MAX_HEADER_ROW = 50;
const IMPORT_FIELDS = [
  'corporate_number',
  'company_name',
  'company_email',
  'ceo',
  'major_industry_type',
  'included_industry_type',
  'address',
  'number_of_employees',
  'amount_of_sales',
  'ordinary_profit',
  'capital',
  'year_of_establishment',
  'company_url',
  'contact_url',
  ...UNSORTED_COLUMNS,
  'remarks',
] as const;
/** The units of a column of money. '' means yen. */
export const MONEY_UNITS = ['', '円', '千円', '万円', '百万円', '千万円', '億円', '十億円'] as const;

export const encoding = z
  .enum(IMPORT_ENCODINGS)
  .meta({ description: '文字コードです。`cp932` はShift_JISです。', examples: ['cp932'] });
export const separator = z.enum(IMPORT_SEPARATORS).meta({ description: '区切りです。', examples: ['comma'] });
const headerRowMeta = { description: '見出しの行です。0は見出しなしです。', examples: [1] };
export const headerRow = z.int().min(0).max(MAX_HEADER_ROW).meta(headerRowMeta);

/** Excel opens fewer sheets than this. */
const MAX_SHEETS = 10_000;
const sheetMeta = { description: 'Excelのシートの位置です。0から数えます。', examples: [0] };
export const sheet = z
  .int()
  .min(0)
  .max(MAX_SHEETS - 1)
  .meta(sheetMeta);

export const mappedColumn = {
  index: z
    .int()
    .min(0)
    .max(MAX_IMPORT_COLUMNS - 1)
    .meta({ description: '列の位置です。0から数えます。', examples: [0] }),
  field: z.enum(IMPORT_FIELDS).meta({
    description: '項目です。`remarks`（備考）は、送信者グループごとに残ります。',
    examples: ['company_name'],
  }),
  unit: z.enum(MONEY_UNITS).meta({ description: '金額の単位です。空は円です。', examples: [''] }),
};

const cells = z.array(z.string().meta({ examples: ['株式会社みどり'] }));

const workbookErrors = {
  encrypted: { status: 400, when: 'パスワードのかかったファイルのとき' },
  macros: { status: 400, when: 'マクロを含むブックのとき' },
  broken_workbook: { status: 400, when: 'ブックが壊れているとき' },
  not_calculated: { status: 400, when: '計算結果が保存されていない数式があるとき' },
  sheet_missing: { status: 400, when: '指定したシートがないとき' },
  file_too_large: { status: 413, when: 'ブック（または展開した大きさ）が大きすぎるとき' },
} as const;

export const WORKBOOK_BUSY = {
  busy: {
    status: 503,
    when: 'ほかのExcelのファイルをいくつも読んでいるとき。`Retry-After` の秒数を待ってください',
  },
} as const;

export const lookAtImport = call({
  method: 'GET',
  path: '/import/:id/look',
  summary: '取り込むファイルの先頭を読む',
  description: `文字コード、区切り、見出しの行と、列の対応の案を返します。指定したものは、判定せずにその値で読みます。
CSVは先頭の部分だけを読むので、アップロードの途中でも使えます。Excel（.xlsx）は、すべて届いてから読みます。

Excelのファイルは、\`sheet\` を省略すると、会社名の見出しがある最初のシート（なければ、値のある最初のシート）を読みます。文字コードと区切りには意味がありません。
数式は計算済みの値を、日付は表示どおりの日付を、結合したセルは左上の値を読みます。非表示の行と列も読みます。外部リンクはたどりません。`,
  errors: {
    not_uploaded: { status: 409, when: 'まだ何も届いていないか、ファイルの期限が過ぎているとき' },
    empty_file: { status: 400, when: 'ファイルが空のとき' },
    not_a_table: { status: 400, when: '表として読めないファイルのとき' },
    not_complete: { status: 409, when: 'Excelのファイルが、まだすべて届いていないとき' },
    ...workbookErrors,
    too_many_columns: { status: 400, when: `列が${MAX_IMPORT_COLUMNS}を超えるとき` },
    record_too_long: { status: 413, when: '1行が長すぎるとき' },
    ...WORKBOOK_BUSY,
  },
  params: ofImport,
  query: z.strictObject({
    encoding: encoding.optional(),
    separator: separator.optional(),
    header_row: intInQuery(0, MAX_HEADER_ROW).optional().meta(headerRowMeta),
    sheet: intInQuery(0, MAX_SHEETS - 1)
      .optional()
      .meta(sheetMeta),
  }),
  response: z
    .object({
      encoding,
      separator,
      sheets: z
        .array(z.object({ index: sheet, name: z.string().meta({ description: '名前です。', examples: ['会社一覧'] }) }))
        .describe('Excelのシートです。CSVでは空です。'),
      sheet: sheet.nullable().describe('読んだシートです。CSVでは null です。'),
      header_row: headerRow,
      heading: cells.describe('見出しです。見出しがなければ空です。'),
      rows: z
        .array(
          z.object({
            row: z.int().meta({ description: '表計算ソフトで数えた行番号です。', examples: [2] }),
            cells: cells.describe('値です。'),
          }),
        )
        .describe('見出しの後の5行です。'),
      columns: z
        .array(
          z.object({
            index: mappedColumn.index,
            heading: z.string().meta({ description: '見出しです。', examples: ['企業名'] }),
            samples: cells.describe('値の見本（3件まで）です。'),
            field: mappedColumn.field.nullable().describe('対応する項目の案です。'),
            unit: mappedColumn.unit,
          }),
        )
        .describe('列と、対応する項目の案です。対応しない列は `field` が null です。'),
      mapping: z.enum(['auto', 'saved']).meta({
        description: '対応の案が、見出しから判定したもの（`auto`）か、前回保存したもの（`saved`）かです。',
        examples: ['auto'],
      }),
      missing: z.array(mappedColumn.field).meta({ description: '対応する列がない、必須の項目です。', examples: [[]] }),
    })
    .meta({ schemaName: 'ImportLook' }),
});
