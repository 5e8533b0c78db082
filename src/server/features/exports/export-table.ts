import iconv from 'iconv-lite';
import type { ExportFormat } from '#contract/companies/exports.ts';
import { csvCell, harmlessCell } from '#domain/text/harmless-cell.ts';
import type { Problem } from '../../platform/problem.ts';

/** Maps characters that CP932 lacks to the Unicode twin it has. */
const RESPELLED: Readonly<Record<string, string>> = {
  '〜': '～',
  '−': '－',
  '‖': '∥',
  '—': '―',
  '¢': '￠',
  '£': '￡',
  '¬': '￢',
};

export type Cell = string | number | null;

export type Row = readonly Cell[];

/** Headings with the value of each row. */
export type Columns<Source> = readonly (readonly [heading: string, value: (row: Source) => Cell])[];

/** An exported table: headings, and rows that are read page by page. */
export interface ExportTable {
  /** The first part of the file's name. */
  readonly title: string;
  readonly headings: readonly string[];
  /** Reads the rows. @returns the refusal of `take`, or a 404 if the requested object does not exist */
  readonly read: (take: TakeRows) => Promise<Problem | undefined>;
}

/** Takes a page of rows of a table with `total` rows. A refusal ends the reading. */
export type TakeRows = (rows: readonly Row[], total: number) => Promise<Problem | undefined>;

export const FILE_TYPES: Readonly<Record<ExportFormat, { readonly extension: string; readonly mediaType: string }>> = {
  csv_utf8: { extension: 'csv', mediaType: 'text/csv; charset=utf-8' },
  csv_cp932: { extension: 'csv', mediaType: 'text/csv; charset=Shift_JIS' },
  xlsx: { extension: 'xlsx', mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
};

function cellText(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'number' ? String(cell) : csvCell(harmlessCell(cell));
}

/** Formats rows as lines of a CSV file (RFC 4180, CRLF). */
export const csvText = (rows: readonly Row[]): string =>
  rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');

/** Encodes rows as CSV. @returns the bytes, and the number of characters that the encoding lacks */
export function csvBytes(rows: readonly Row[], format: 'csv_utf8' | 'csv_cp932') {
  const text = csvText(rows);
  return format === 'csv_utf8' ? { bytes: Buffer.from(text), replaced: 0 } : encodeCp932(text);
}

/** Excel reads a CSV file as UTF-8 only with this mark. */
export const UTF8_BOM = Buffer.from('\uFEFF');

/** What Excel shows for a character that Shift_JIS lacks. */
const GETA = '〓';
const RESPELLED_PATTERN = new RegExp(`[${Object.keys(RESPELLED).join('')}]`, 'g');

/** Encodes a text in CP932, the Shift_JIS of Windows. @returns the bytes, and the number of characters replaced by 〓 */
function encodeCp932(text: string): { readonly bytes: Buffer; readonly replaced: number } {
  const wanted = text.replace(RESPELLED_PATTERN, (character) => RESPELLED[character] ?? character);
  const bytes = iconv.encode(wanted, 'cp932');
  if (iconv.decode(bytes, 'cp932') === wanted) return { bytes, replaced: 0 };
  let replaced = 0;
  const possible = Array.from(wanted, (character) => {
    if (iconv.decode(iconv.encode(character, 'cp932'), 'cp932') === character) return character;
    replaced += 1;
    return GETA;
  });
  return { bytes: iconv.encode(possible.join(''), 'cp932'), replaced };
}
