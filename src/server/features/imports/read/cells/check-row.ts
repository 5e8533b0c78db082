import { identityKey } from '#domain/company/prospect-identity.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { normalizeText } from '#domain/text/text-filter.ts';
import type { CsvRecord } from '../csv-parser.ts';
import { type RowFault, rowFault, shownValue } from '../faults.ts';
import type { ColumnKind, Field } from '../table/columns.ts';
import type { FileColumn, Header } from '../table/header.ts';
import { joinAddress } from './address-parts.ts';
import { readCell } from './check-cell.ts';

/** A checked row: the values as they are stored, and what is derived from them. */
export interface ProspectRow {
  /** The row as a spreadsheet counts it, from 1. */
  row: number;
  identityKey: string;
  values: Record<Field, string | number | null>;
  /** For the sender group of the import; null: the file has none. */
  remarks: string | null;
  addressSearch: string | null;
  emailSearch: string | null;
  /** Cells that could not be read and were left blank. */
  blanked: readonly RowFault[];
}

/** No mail needs these: a cell that cannot be read is left blank, and reported. Other cells refuse their row. */
const BLANKABLE: ReadonlySet<ColumnKind> = new Set<ColumnKind>([
  'money',
  'count',
  'year',
  'url',
  'industry',
  'phone',
  'day',
]);

/** An entry of a B-tree index holds 2,704 bytes, and NFKC can lengthen a text many times. */
const MAX_IDENTITY_BYTES = 2400;

/** The values of a company of which nothing is known. */
export const NO_VALUES: Readonly<ProspectRow['values']> = {
  corporate_number: null,
  company_name: null,
  company_email: null,
  ceo: null,
  major_industry_type: null,
  included_industry_type: null,
  address: null,
  number_of_employees: null,
  amount_of_sales: null,
  ordinary_profit: null,
  capital: null,
  year_of_establishment: null,
  company_url: null,
  contact_url: null,
  phone: null,
  published_at_url: null,
  published_seen_on: null,
  publication_notice: null,
};

const NOTHING_BLANKED: readonly RowFault[] = [];

/**
 * Checks a row. Missing cells at its end are blank: Excel writes such rows.
 * @returns the row, or why it is not imported: its first fault
 */
export function checkRow(record: CsvRecord, header: Header, latestYear: number): ProspectRow | RowFault {
  const fault = shapeFault(record, header) ?? closedFault(record, header);
  if (fault !== null) return fault;
  const values = { ...NO_VALUES };
  let remarks: string | null = null;
  let blanked = NOTHING_BLANKED;
  for (const fileColumn of header.columns) {
    const { column, unit } = fileColumn;
    const cell = cellOf(record.cells, fileColumn);
    const read = readCell(cell, column, unit, latestYear);
    if (read !== null && typeof read === 'object') {
      const cellFault = { column: column.label, value: shownValue(cell), reason: read.fault };
      if (read.refusesRow || !BLANKABLE.has(column.kind)) return { kind: 'refused', ...cellFault };
      blanked = [...blanked, { kind: 'blanked', ...cellFault }];
    } else if (column.field === 'remarks') remarks = read === null ? null : String(read);
    else values[column.field] = read;
  }
  const row = withDerived(record.row, values, blanked);
  if (!('reason' in row)) row.remarks = remarks;
  return row;
}

/** Checks whether a record repeats the heading row: files that were joined have it in the middle. */
export const isHeadingAgain = ({ cells }: CsvRecord, header: Header): boolean =>
  header.cells.length > 0 &&
  cells.length === header.cells.length &&
  cells.every((cell, at) => cell === header.cells[at]);

const cellOf = (cells: readonly string[], { index, parts }: FileColumn): string =>
  parts === undefined
    ? (cells[index] ?? '')
    : joinAddress(parts.map((part) => ({ part: part.part, text: cells[part.index] ?? '' })));

/** Finds what is wrong with a record before its cells are read. */
function shapeFault({ cells, badQuote, open }: CsvRecord, { width }: Header): RowFault | null {
  if (badQuote) return rowFault('引用符（"）の使い方が正しくありません。値の中の引用符は2つ重ねて書いてください。');
  if (open && cells.length < width) {
    return rowFault('最後の行の列が足りません。ファイルが途中で切れていないか確認してください。');
  }
  const surplus = cells.slice(width).find((cell) => cell.trim() !== '');
  if (surplus !== undefined) {
    return rowFault(
      `見出しの${width}列より列が多い行です。コンマを含む値は引用符（"）で囲んでください。`,
      shownValue(surplus),
    );
  }
  return null;
}

/** Finds whether the file states that the company is closed, or that a later row replaces this one. */
function closedFault({ cells }: CsvRecord, { closedAt, latestAt }: Header): RowFault | null {
  const fault = { kind: 'closed', column: '', value: '' } as const;
  if (latestAt !== undefined && cells[latestAt] === '0') return { ...fault, reason: '変更前の内容の行です。' };
  const closed = closedAt === undefined ? '' : (cells[closedAt] ?? '').trim();
  if (closed === '' || meansBlank(closed)) return null;
  return { ...fault, value: shownValue(closed), reason: '閉鎖された会社の行です。' };
}

/** Derives the identity of the company and the texts that filters search. */
export function withDerived(
  row: number,
  values: ProspectRow['values'],
  blanked: ProspectRow['blanked'],
): ProspectRow | RowFault {
  const { company_name, address, company_email } = values;
  if (typeof company_name !== 'string') return { ...rowFault('会社名が空です。'), column: '会社名' };
  const addressText = typeof address === 'string' ? address : null;
  const key = identityKey({ company_name, address: addressText });
  if (key.length * 3 > MAX_IDENTITY_BYTES && Buffer.byteLength(key) > MAX_IDENTITY_BYTES) {
    return rowFault('会社名と住所が長すぎます。', shownValue(company_name));
  }
  return {
    row,
    identityKey: key,
    values,
    remarks: null,
    addressSearch: searchText(address),
    emailSearch: searchText(company_email),
    blanked,
  };
}

const searchText = (value: string | number | null): string | null =>
  typeof value === 'string' ? normalizeText(value) : null;
