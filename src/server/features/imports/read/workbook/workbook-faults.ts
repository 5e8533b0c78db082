import { MAX_WORKBOOK_BYTES, MAX_WORKBOOK_CELLS, MAX_WORKBOOK_ROWS, MB } from '#domain/company/import-limits.ts';
import { Problem, type Refusal } from '../../../../platform/problem.ts';

const AS_XLSX = '「Excelブック（.xlsx）」として保存し直してください。';
const AS_CSV = 'Excelで「CSV UTF-8（コンマ区切り）」として保存し直してください。';

const RETRY_SECONDS = 5;

const notATable = (what: string) => new Problem('not_a_table', what);

/** Why a workbook is refused. */
export const workbookFaults = {
  encrypted: new Problem('encrypted', 'パスワードのかかったファイルは読めません。'),
  macros: new Problem('macros', `マクロを含むブックは読めません。${AS_XLSX}`),
  broken: new Problem('broken_workbook', 'Excelのファイルが壊れています。Excelで開き、保存し直してください。'),
  oldExcel: notATable(`古い形式（.xls）のファイルは読めません。${AS_XLSX}`),
  binaryExcel: notATable(`バイナリ形式（.xlsb）のファイルは読めません。${AS_XLSX}`),
  openDocument: notATable(`OpenDocument（.ods）のファイルは読めません。${AS_XLSX}`),
  numbers: notATable('Numbersのファイルは読めません。NumbersでCSVかExcelに書き出してください。'),
  html: notATable(`このファイルの中身は、Excelではなく、HTMLの表です。Excelで開き、${AS_XLSX}`),
  xmlSpreadsheet: notATable(`XMLスプレッドシート（Excel 2003）のファイルは読めません。Excelで開き、${AS_XLSX}`),
  webArchive: notATable(`このファイルの中身は、Excelではなく、Webページ（MHTML）です。Excelで開き、${AS_XLSX}`),
  notATable: notATable('このファイルは表として読めません。CSVかExcelのファイルを選んでください。'),
  /** The unpacked size, or the text of the cells, is too large. */
  expandsTooFar: new Problem('file_too_large', `Excelのファイルが、展開すると大きすぎます。${AS_CSV}`),
  busy: new Problem('busy', 'ほかのExcelのファイルを読んでいます。少し待ってから、やり直してください。', RETRY_SECONDS),
  tooSlow: new Problem('file_too_large', `Excelのファイルを、時間内に読めませんでした。${AS_CSV}`),
  tooLarge: new Problem(
    'file_too_large',
    `大きすぎます。Excelのファイルは${MAX_WORKBOOK_BYTES / MB}MBまでです。${AS_CSV}`,
  ),
  tooManyCells: new Problem(
    'file_too_large',
    `セルが多すぎます（書式だけの空のセルも含めて${(MAX_WORKBOOK_CELLS / 10_000).toLocaleString('ja-JP')}万個まで）。\
必要な行と列だけを新しいブックに貼り付けて、保存し直してください。`,
  ),
  tooManyRows: new Problem(
    'file_too_large',
    `行が多すぎます。Excelのファイルは${MAX_WORKBOOK_ROWS / 10_000}万行までです。${AS_CSV}`,
  ),
};

export const rowTooLong = (row: number) =>
  new Problem('record_too_long', `${row}行目が長すぎます。不要な文字を消してください。`);

/** A formula without a stored value: a program wrote it, and no spreadsheet has calculated it. */
export const notCalculated = (cell: string) =>
  new Problem(
    'not_calculated',
    `計算結果が保存されていない数式があります（${cell}）。Excelで開き、保存し直してください。`,
  );

export const sheetMissing = (names: readonly string[]) =>
  new Problem('sheet_missing', `指定したシートがありません。このファイルのシート: ${names.join('、')}`);

/** Stops reading a workbook; workbook-thread.ts answers with the fault. */
export class WorkbookFault extends Error {
  readonly fault: Refusal;

  constructor(fault: Refusal) {
    super(fault.message);
    this.fault = fault;
  }
}
