import { identityKey } from '#domain/prospect-identity.ts';
import { normalizeText } from '#domain/text-filter.ts';
import { readCell } from './check-cell.ts';
import type { Field } from './columns.ts';
import type { CsvRecord } from './csv-parser.ts';
import type { RowFault } from './faults.ts';
import type { Header } from './header.ts';

/** A checked row: the values as they are stored, and what is derived from them. */
export interface ProspectRow {
  /** The line of the file where the row starts, from 1. */
  line: number;
  identityKey: string;
  values: Record<Field, string | number | null>;
  addressSearch: string | null;
  emailSearch: string | null;
}

/** An entry of a B-tree index holds 2,704 bytes, and NFKC can lengthen a text many times. */
const MAX_IDENTITY_BYTES = 2400;

const NO_VALUES: Readonly<ProspectRow['values']> = {
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
};

const wholeRow = (message: string): RowFault => ({ column: '', message });

/** Checks a row. Missing cells at its end are blank: Excel writes such rows. @returns the row, or its first fault */
export function checkRow(record: CsvRecord, header: Header, latestYear: number): ProspectRow | RowFault {
  const fault = shapeFault(record, header);
  if (fault !== null) return fault;
  const values = { ...NO_VALUES };
  for (const { column, index, unit } of header.columns) {
    const read = readCell(record.cells[index] ?? '', column, unit, latestYear);
    if (read !== null && typeof read === 'object') return { column: column.label, message: read.fault };
    values[column.field] = read;
  }
  return withDerived(record.line, values);
}

/** Finds what is wrong with a record before its cells are read. */
function shapeFault({ cells, badQuote, open }: CsvRecord, { width }: Header): RowFault | null {
  if (badQuote) return wholeRow('引用符（"）の使い方が正しくありません。値の中の引用符は2つ重ねて書いてください。');
  if (open && cells.length < width) {
    return wholeRow('最後の行の列が足りません。ファイルが途中で切れていないか確認してください。');
  }
  if (cells.length > width && cells.slice(width).some((cell) => cell.trim() !== '')) {
    return wholeRow(
      `見出しより列が多い行です（見出し${width}列、この行${cells.length}列）。コンマを含む値は引用符（"）で囲んでください。`,
    );
  }
  return null;
}

/** Derives the identity of the company and the texts that filters search. */
function withDerived(line: number, values: ProspectRow['values']): ProspectRow | RowFault {
  const { company_name, address, company_email } = values;
  if (typeof company_name !== 'string') return { column: '会社名', message: '会社名が空です。' };
  const addressText = typeof address === 'string' ? address : null;
  const key = identityKey({ company_name, address: addressText });
  if (key.length * 3 > MAX_IDENTITY_BYTES && Buffer.byteLength(key) > MAX_IDENTITY_BYTES) {
    return wholeRow('会社名と住所が長すぎます。');
  }
  return {
    line,
    identityKey: key,
    values,
    addressSearch: addressText === null ? null : normalizeText(addressText),
    emailSearch: typeof company_email === 'string' ? normalizeText(company_email) : null,
  };
}
