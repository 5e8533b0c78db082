import { MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { Problem, type Refusal } from '../../../platform/problem.ts';

import { fileFaults, recordTooLong, tooManyColumns } from './faults.ts';
import { detectSeparator, MAX_ROWS_TO_HEADER } from './find-header.ts';
import { detectHeadEncoding } from './list-file.ts';
import { type CsvRecord, createCsvParser, decodeOrNull, decoderOf, type Encoding } from './read-records.ts';
import { type ChosenColumn, proposeColumns } from './table/chosen-header.ts';
import { countKnownHeadings } from './table/header.ts';
import { NO_MAPPING } from './table/headings.ts';
import { ntaHeader } from './table/nta-file.ts';

const MAX_RECORDS = 100;
/** One known heading may be a word of a title above the table. */
const SURE_HEADINGS = 2;

/** The beginning of a file, read as a table. */
export interface Head {
  readonly encoding: Encoding;
  readonly separator: string;
  /** From 1; 0: the file has no heading row. */
  readonly headerRow: number;
  readonly heading: readonly string[];
  /** The records after the heading row, at most 100. */
  readonly records: readonly CsvRecord[];
  /** The columns of the widest record. */
  readonly width: number;
  /** The proposed fields of the columns, by their headings. */
  readonly proposed: readonly ChosenColumn[];
  /** The bytes are valid in the encoding, and the heading row is known by its words. */
  readonly isSure: boolean;
}

/** The person's choices; the rest is detected. */
interface Chosen {
  readonly encoding?: Encoding | undefined;
  readonly separator?: string | undefined;
  readonly headerRow?: number | undefined;
}

/** Reads the beginning of a file as a table. @param isWhole `bytes` is the whole file */
export function lookAtHead(bytes: Buffer, isWhole: boolean, chosen: Chosen): Head | Refusal {
  const detected = detectHeadEncoding(bytes);
  if (detected instanceof Problem) return detected;
  const encoding = chosen.encoding ?? detected;
  const { text, isFaultless } = decodeHead(bytes, encoding, isWhole);
  const separator = chosen.separator ?? detectSeparator(text, NO_MAPPING);
  const records = firstRecords(text, separator, isWhole);
  if (records instanceof Problem) return records;
  const width = Math.max(0, ...records.map(({ cells }) => cells.length));
  if (width === 0) return fileFaults.empty;
  if (width > MAX_IMPORT_COLUMNS) return tooManyColumns(width);
  const headerRow = chosen.headerRow ?? findHeaderRow(records);
  const heading = records.find(({ row }) => row === headerRow)?.cells ?? [];
  return {
    encoding,
    separator,
    headerRow,
    heading,
    records: records.filter(({ row }) => row > headerRow),
    width,
    proposed: (headerRow === 0 ? ntaColumns(records[0]?.cells ?? []) : null) ?? proposeColumns(heading),
    isSure: isFaultless && countKnownHeadings(heading, NO_MAPPING) >= SURE_HEADINGS,
  };
}

/** Decodes the beginning of a file, with a replacement for each faulty byte. */
function decodeHead(bytes: Buffer, encoding: Encoding, isWhole: boolean): { text: string; isFaultless: boolean } {
  const decode = (fatal: boolean) => decoderOf(encoding, { fatal }).decode(bytes, { stream: !isWhole });
  const faultless = decodeOrNull(() => decode(true));
  return { text: faultless ?? decode(false), isFaultless: faultless !== null };
}

/** Returns the fields of a file without a heading row that is known by its shape. */
const ntaColumns = (cells: readonly string[]): ChosenColumn[] | undefined =>
  ntaHeader(cells)?.columns.flatMap(({ column: { field }, index, parts }) =>
    (parts ?? [{ index }]).map((part) => ({ index: part.index, field, unit: '' })),
  );

function firstRecords(text: string, separator: string, isWhole: boolean): CsvRecord[] | Refusal {
  const records: CsvRecord[] = [];
  const parser = createCsvParser(separator, (record) => {
    if (records.length < MAX_RECORDS && record.cells.some((cell) => cell.trim() !== '')) records.push(record);
  });
  // An unclosed quote makes one record of the rest. The check reports it with its line.
  const fault = parser.write(text) ?? (isWhole ? parser.end() : null);
  return records.length === 0 && fault !== null ? recordTooLong(fault.line) : records;
}

/** Finds the row with a company name heading, or with most known headings, or the first. 0: known by its shape. */
function findHeaderRow(records: readonly CsvRecord[]): number {
  if (ntaHeader(records[0]?.cells ?? []) !== null) return 0;
  let best = { row: records[0]?.row ?? 1, known: 0 };
  for (const { cells, row } of records.slice(0, MAX_ROWS_TO_HEADER)) {
    const known = proposeColumns(cells);
    if (known.some(({ field }) => field === 'company_name')) return row;
    if (known.length > best.known) best = { row, known: known.length };
  }
  return best.row;
}
