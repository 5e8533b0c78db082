import { MAIL_MESSAGES } from '#contract/wire.ts';
import { type CorporateNumberFault, parseCorporateNumber } from '#domain/company/corporate-number.ts';
import { type PhoneFault, parsePhone } from '#domain/company/phone.ts';
import { identityKey } from '#domain/company/prospect-identity.ts';
import { MAX_PHONE_LENGTH } from '#domain/limits.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { meansBlank } from '#domain/text/blank-text.ts';
import { industryText, normalizeText } from '#domain/text/text-filter.ts';
import { cleanCell } from '../../../cells/cell-text.ts';
import { parseEstablishmentYear } from '../../../cells/establishment-year.ts';
import { parseListDay } from '../../../cells/list-day.ts';
import { parseCount, parseListNumber } from '../../../cells/list-number.ts';
import { parseWebAddress } from '../../../cells/web-address.ts';
import { type RowFault, rowFault, shownValue } from '../faults.ts';
import type { CsvRecord } from '../read-records.ts';
import type { ColumnKind, Field } from '../table/columns.ts';
import type { FileColumn, Header } from '../table/header.ts';
import { joinAddress } from './address-parts.ts';
import { mendPhone, type PhoneRules } from './cut-phone.ts';
import type { RowExtra } from './extra-row.ts';
import { parseNotice } from './publication-notice.ts';

/** A checked row: the values as stored, and derived texts. */
export interface ProspectRow {
  /** The row number as a spreadsheet counts, from 1. */
  row: number;
  identityKey: string;
  values: Record<Field, string | number | null>;
  /** For the sender group of the import; null: the file has none. */
  remarks: string | null;
  addressSearch: string | null;
  emailSearch: string | null;
  /** Reported faults of the row: unreadable cells left blank, a telephone number without its 0. */
  notes: readonly RowFault[];
  /** What the row says beside the company's own columns (read-extras). */
  extra?: RowExtra;
}

/** Kinds that no mail needs: an unreadable cell is left blank and reported. Other unreadable cells refuse their row. */
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

/** A company's values before any cell is read. */
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

const NO_NOTES: readonly RowFault[] = [];

/** How the rows of a file are read. */
export interface RowRules extends PhoneRules {
  /** The latest accepted year of establishment. */
  readonly latestYear: number;
}

/**
 * Checks a row. Missing cells at its end are blank: Excel writes such rows.
 * @returns the row, or the first fault that keeps it from being imported
 */
export function checkRow(record: CsvRecord, header: Header, rules: RowRules): ProspectRow | RowFault {
  const fault = shapeFault(record, header) ?? closedFault(record, header);
  if (fault !== null) return fault;
  const values = { ...NO_VALUES };
  let remarks: string | null = null;
  let notes = NO_NOTES;
  for (const fileColumn of header.columns) {
    const { column, unit } = fileColumn;
    const cell = cellOf(record.cells, fileColumn);
    const read = readCell(cell, column, unit, rules.latestYear);
    if (read !== null && typeof read === 'object') {
      const cellFault = { column: column.label, value: shownValue(cell), reason: read.fault };
      if (read.refusesRow || !BLANKABLE.has(column.kind)) return { kind: 'refused', ...cellFault };
      notes = [...notes, { kind: 'blanked', ...cellFault }];
    } else if (column.field === 'remarks') remarks = read === null ? null : String(read);
    else values[column.field] = read;
  }
  const note = mendPhone(values, record, header, rules);
  if (note !== null) notes = [...notes, note];
  const row = withDerived(record.row, values, notes);
  if (!('reason' in row)) row.remarks = remarks;
  return row;
}

/** Checks whether a record repeats the heading row, as joined files do in the middle. */
export const isHeadingAgain = ({ cells }: CsvRecord, header: Header): boolean =>
  header.cells.length > 0 &&
  cells.length === header.cells.length &&
  cells.every((cell, at) => cell === header.cells[at]);

const cellOf = (cells: readonly string[], { index, parts }: FileColumn): string =>
  parts === undefined
    ? (cells[index] ?? '')
    : joinAddress(parts.map((part) => ({ part: part.part, text: cells[part.index] ?? '' })));

/** Finds faults of a record's shape before its cells are read. */
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

/** Finds whether the file marks the company as closed, or the row as replaced by a later one. */
function closedFault({ cells }: CsvRecord, { closedAt, latestAt }: Header): RowFault | null {
  const fault = { kind: 'closed', column: '', value: '' } as const;
  if (latestAt !== undefined && cells[latestAt] === '0') return { ...fault, reason: '変更前の内容の行です。' };
  const closed = closedAt === undefined ? '' : (cells[closedAt] ?? '').trim();
  if (closed === '' || meansBlank(closed)) return null;
  return { ...fault, value: shownValue(closed), reason: '閉鎖された会社の行です。' };
}

/** Derives the company's identity key and the texts that filters search. */
export function withDerived(
  row: number,
  values: ProspectRow['values'],
  notes: ProspectRow['notes'],
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
    notes,
  };
}

const searchText = (value: string | number | null): string | null =>
  typeof value === 'string' ? normalizeText(value) : null;

interface CellFault {
  /** A message for the user. */
  fault: string;
  /** Refuses the row even where an unreadable cell of this kind may be left blank. */
  refusesRow?: true;
}

const CORPORATE_NUMBER_MESSAGES: Record<CorporateNumberFault, string> = {
  scientific: 'Excelで下の桁が失われています。セルの書式を「文字列」にして、13桁の数字を入れ直してください。',
  length: '法人番号は13桁の数字です。',
  characters: '法人番号は13桁の数字です。',
  check_digit: '法人番号の検査用数字（1桁目）が合いません。数字を確認してください。',
};

const PHONE_FAULTS: Record<PhoneFault, CellFault> = {
  length: { fault: `長すぎます（上限${MAX_PHONE_LENGTH}文字）。`, refusesRow: true },
  no_number: { fault: '電話番号として読めません（例: 03-1234-5678）。' },
  scientific: { fault: 'Excelで下の桁が失われています。セルの書式を「文字列」にして、番号を入れ直してください。' },
};

/** The most characters that NFKC makes of one. */
const NFKC_EXPANSION_MAX = 18;

/** What the reader of a cell asks of its column. */
export interface CellColumn {
  readonly kind: ColumnKind;
  /** The most characters of a text. Columns of other kinds have their own limits. */
  readonly maxLength?: number;
}

/**
 * Reads the value of a cell: yen, a number of people, a year or a text. A corporate number is a text of 13 digits, a
 * day a text of the form YYYY-MM-DD.
 * @returns null for a blank cell
 */
export function readCell(
  cell: string,
  column: CellColumn,
  unit: string,
  latestYear: number,
): string | number | null | CellFault {
  if (cell === '') return null;
  const text = cleanCell(cell, column.kind === 'remarks');
  if (text === null) return { fault: '使えない文字（制御文字など）が含まれています。' };
  // The API writes `none` for a checked company that accepts sales mails.
  const isNotice = column.kind === 'notice' && parseNotice(text) !== null;
  if (meansBlank(text) && !isNotice) return null;
  return READERS[column.kind](text, { column, unit, latestYear });
}

interface Place {
  readonly column: CellColumn;
  /** The unit of an amount of money, from the heading. */
  readonly unit: string;
  readonly latestYear: number;
}

const maxLengthOf = ({ maxLength = Number.POSITIVE_INFINITY }: CellColumn): number => maxLength;

type Reader = (text: string, place: Place) => string | number | null | CellFault;

const NO_URL = 'URLとして読めません。http:// または https:// で始まるURLを書いてください。';
const NO_DAY = '日付として読めません（例: 2026/11/20、2026年11月20日、令和8年11月20日）。';
const NO_NOTICE = '「○」か空で書いてください（営業メールをお断りする表示のある会社が「○」）。';

/** The readers of non-blank texts. */
const READERS: Readonly<Record<ColumnKind, Reader>> = {
  text: (text, { column }) => withinLength(text, maxLengthOf(column)),
  industry: (text, { column }) => readIndustry(text, maxLengthOf(column)),
  email: readEmail,
  corporate_number: readCorporateNumber,
  phone: readPhone,
  remarks: (text, { column }) => withinLength(text, maxLengthOf(column)),
  url: (text) => parseWebAddress(text) ?? { fault: NO_URL },
  money: (text, { unit }) =>
    orFault(parseListNumber(text, unit), '金額として読めません（例: 12000000、1,200万、△500）。'),
  count: (text) => orFault(parseCount(text), '人数として読めません（例: 120、120名）。'),
  year: (text, { latestYear }) =>
    parseEstablishmentYear(text, latestYear) ?? {
      fault: `設立年として読めません（1000年から${latestYear}年まで。例: 1991、1991/4、平成3年）。`,
    },
  day: (text, { latestYear }) => parseListDay(text, latestYear) ?? { fault: NO_DAY },
  notice: (text) => parseNotice(text) ?? { fault: NO_NOTICE },
};

const orFault = (value: number | null | undefined, fault: string): number | null | CellFault =>
  value === undefined ? { fault } : value;

const withinLength = (text: string, max: number): string | CellFault =>
  text.length <= max ? text : { fault: `長すぎます（上限${max}文字）。` };

/** Refuses an industry that is too long for an index, as written or as normalised for the search. */
function readIndustry(text: string, max: number): string | CellFault {
  // A text that is short enough even after the longest expansion need not be normalised.
  const searched = withinLength(text.length * NFKC_EXPANSION_MAX <= max ? text : industryText(text), max);
  return typeof searched === 'string' ? withinLength(text, max) : searched;
}

function readEmail(text: string): string | CellFault {
  const parsed = parseMailAddress(text);
  return parsed.ok ? parsed.address : { fault: MAIL_MESSAGES[parsed.reason] };
}

function readPhone(text: string): string | CellFault {
  const parsed = parsePhone(text);
  return parsed.ok ? parsed.phone : PHONE_FAULTS[parsed.reason];
}

function readCorporateNumber(text: string): string | CellFault {
  const parsed = parseCorporateNumber(text);
  return parsed.ok ? parsed.number : { fault: CORPORATE_NUMBER_MESSAGES[parsed.reason] };
}
