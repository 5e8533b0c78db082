import { createHash } from 'node:crypto';
import { foldHeading } from '#domain/text/fold-heading.ts';
import { Problem, type Refusal } from '../../../../platform/problem.ts';
import type { AddressPart } from '../cells/address-parts.ts';
import { duplicateColumn, fileFaults, headingMissing } from '../faults.ts';
import { COLUMNS, type Column, type ExtraField, FILE_COLUMNS, type FileField, type NewField } from './columns.ts';
import {
  CLOSED_HEADINGS,
  isCountryHeading,
  isUnitOf,
  type Mapping,
  matchHeading,
  NO_MAPPING,
  PART_BY_HEADING,
  splitUnit,
} from './headings.ts';

/* The header of a table: the fields of its columns, read from the heading row or chosen by a person. */

/** An imported column of the file. */
export interface FileColumn {
  column: Column;
  /** Its position in the file, from 0; of a joined address, the position of its first part. */
  index: number;
  /** The unit of numbers in cells without one, such as `百万円`, or ''. */
  unit: string;
  /** For an address in several columns: the position of each part. */
  parts?: readonly PartOfFile[];
}
export interface PartOfFile {
  part: AddressPart;
  index: number;
}

export interface Header {
  columns: FileColumn[];
  /** Headings that match no import column. */
  ignored: string[];
  /** The number of columns in the file. */
  width: number;
  /** The heading row. Empty for a file that has none and is known by its shape. */
  cells: readonly string[];
  /** The column with the day on which a company was closed. */
  closedAt?: number;
  /** The column that is `0` in rows replaced by a later row. */
  latestAt?: number;
  /** The columns with a country or a country code. */
  countriesAt?: readonly number[];
}

/** Finds the columns with a country. */
const countriesIn = (heading: readonly string[]): Pick<Header, 'countriesAt'> => {
  const countriesAt = [...heading.keys()].filter((at) => isCountryHeading(foldHeading(heading[at] ?? '')));
  return countriesAt.length === 0 ? {} : { countriesAt };
};

/**
 * Finds the column whose texts become the remarks: the first that is called 備考, else the first with another heading.
 * @returns -1 if there is none
 */
function remarksAt(heading: readonly string[], isFree: (index: number) => boolean = () => true): number {
  const found = [...heading.keys()].filter(
    (index) => isFree(index) && matchHeading(heading[index] ?? '')?.column.field === 'remarks',
  );
  return found.find((index) => foldHeading(heading[index] ?? '').startsWith('備考')) ?? found[0] ?? -1;
}

/** Lists have several columns of telephone numbers and of remarks. One of each is imported, the others are not. */
const isSpare = ({ field }: Column, hasTwin: boolean, isRemarks: boolean): boolean =>
  field === 'remarks' ? !isRemarks : field === 'phone' && hasTwin;

/** Finds the columns that a user mapped. Headings are compared without width, case and white space. */
function mappedColumns(folded: readonly string[], mapping: Mapping): FileColumn[] | Refusal {
  const columns: FileColumn[] = [];
  for (const column of FILE_COLUMNS) {
    const headings = mapping.get(column.field) ?? [];
    const indexes: number[] = [];
    for (const heading of headings) {
      const index = folded.indexOf(foldHeading(heading));
      if (index < 0) return headingMissing(heading);
      indexes.push(index);
    }
    const [index, second] = indexes;
    if (index === undefined) continue;
    const { unit } = splitUnit(folded[index] ?? '');
    const known = { column, index, unit: column.kind === 'money' && isUnitOf(column, unit) ? unit : '' };
    if (second === undefined) columns.push(known);
    else if (column.field !== 'address') return duplicateColumn(column.label, index + 1, second + 1);
    else columns.push({ ...known, parts: indexes.map((at) => ({ part: 'rest', index: at })) });
  }
  return columns;
}

/**
 * Reads a record as the heading row, and maps its columns to fields.
 * A mapped field takes only its mapped headings; the others are matched by name.
 */
export function readHeader(cells: readonly string[], mapping: Mapping = NO_MAPPING): Header | Refusal {
  const folded = cells.map(foldHeading);
  const columns = mappedColumns(folded, mapping);
  if (!Array.isArray(columns)) return columns;
  const taken = new Set(columns.flatMap(({ index, parts }) => [index, ...(parts ?? []).map((part) => part.index)]));
  const remarks = remarksAt(cells, (index) => !taken.has(index));
  const parts: PartOfFile[] = [];
  const ignored: string[] = [];
  let closedAt: number | undefined;
  for (const [index, heading] of cells.entries()) {
    if (taken.has(index)) continue;
    const meaning = meaningOf(heading, folded[index] ?? '', mapping);
    if (meaning === 'closed') closedAt = index;
    else if (meaning === 'ignored') ignored.push(heading.trim().slice(0, 100));
    else if ('part' in meaning) parts.push({ ...meaning, index });
    else {
      const twin = columns.find(({ column }) => column === meaning.column);
      if (isSpare(meaning.column, twin !== undefined, index === remarks)) ignored.push(heading.trim().slice(0, 100));
      else if (twin === undefined) columns.push({ ...meaning, index });
      else return duplicateColumn(meaning.column.label, twin.index + 1, index + 1);
    }
  }
  const fault = joinParts(columns, parts);
  if (fault !== null) return fault;
  if (!columns.some(({ column }) => column.field === 'company_name')) return fileFaults.noCompanyName;
  return {
    columns,
    ignored: ignored.filter((heading) => heading !== ''),
    width: cells.length,
    cells,
    ...(closedAt !== undefined && { closedAt }),
    ...countriesIn(cells),
  };
}

/** Drops a file's remarks column if no sender group gets the remarks. */
export function withoutRemarks(header: Header): Header {
  const remarks = header.columns.find(({ column }) => column.field === 'remarks');
  if (remarks === undefined) return header;
  const heading = (header.cells[remarks.index] ?? '').trim().slice(0, 100);
  return {
    ...header,
    columns: header.columns.filter((column) => column !== remarks),
    ignored: heading === '' ? header.ignored : [...header.ignored, heading],
  };
}

/** Reads an unmapped heading: a field, a part of the address, the mark of closed companies, or none. */
function meaningOf(heading: string, folded: string, mapping: Mapping) {
  const match = matchHeading(heading);
  if (match !== null && !mapping.has(match.column.field)) return match;
  const part = PART_BY_HEADING.get(folded);
  if (part !== undefined && !mapping.has('address')) return { part };
  return CLOSED_HEADINGS.has(folded) ? 'closed' : 'ignored';
}

/** Joins the address parts to one column. A column 住所 beside them is one of the parts. */
function joinParts(columns: FileColumn[], parts: PartOfFile[]): Refusal | null {
  const whole = columns.find(({ column }) => column.field === 'address');
  const all = whole === undefined ? parts : [{ part: 'address' as const, index: whole.index }, ...parts];
  for (const part of ['prefecture', 'city', 'address'] as const) {
    const [first, twin] = all.filter((one) => one.part === part);
    if (first !== undefined && twin !== undefined) return duplicateColumn('住所', first.index + 1, twin.index + 1);
  }
  const [first] = all;
  if (parts.length === 0 || first === undefined) return null;
  if (whole !== undefined) whole.parts = all;
  else columns.push({ column: addressColumn, index: first.index, unit: '', parts: all });
  return null;
}

const addressColumn = COLUMNS.find(({ field }) => field === 'address') as Column;

/** Counts the known headings of a record, to detect the separator of a file. */
export const countKnownHeadings = (cells: readonly string[], mapping: Mapping): number =>
  cells.filter((heading) => {
    const folded = foldHeading(heading);
    const isMapped = [...mapping.values()].flat().some((mapped) => foldHeading(mapped) === folded);
    return isMapped || PART_BY_HEADING.has(folded) || matchHeading(heading) !== null;
  }).length;

/** A column of a file, and the field that a person chose for it. */
export interface ChosenColumn {
  /** The position in the file, from 0. */
  readonly index: number;
  readonly field: FileField | ExtraField;
  /** The unit of the column's numbers; '' for the field's default. */
  readonly unit: string;
  /** For `own`: the field, or the one that the import makes. */
  readonly custom_field_id?: number | undefined;
  readonly new_field?: NewField | undefined;
}

/** The person's choices for reading a file. */
export interface ChosenTable {
  /** `,`, tab or `;` */
  readonly separator: string;
  /** As a spreadsheet counts, from 1; 0: the file has no heading row. */
  readonly headerRow: number;
  readonly columns: readonly ChosenColumn[];
}

/** Proposes fields for columns by their headings. Of two columns for one field the first is taken, or 備考. */
export function proposeColumns(heading: readonly string[]): ChosenColumn[] {
  const taken = new Set<FileField>();
  const remarks = remarksAt(heading);
  return heading.flatMap((text, index): ChosenColumn[] => {
    const match = matchHeading(text);
    if (match?.column.field === 'remarks' && index !== remarks) return [];
    if (match !== null && !taken.has(match.column.field)) {
      taken.add(match.column.field);
      return [{ index, field: match.column.field, unit: match.unit }];
    }
    return match === null && PART_BY_HEADING.has(foldHeading(text)) ? [{ index, field: 'address', unit: '' }] : [];
  });
}

/**
 * Makes the header of a chosen table. Several columns chosen as the address are joined.
 * @param heading the heading row, or [] without one
 * @param width the number of columns
 */
export function chosenHeader(
  heading: readonly string[],
  width: number,
  chosen: readonly ChosenColumn[],
): Header | Problem {
  const columns: FileColumn[] = [];
  for (const column of FILE_COLUMNS) {
    const found = chosenOf(heading, column, chosen);
    if (found instanceof Problem) return found;
    if (found !== null) columns.push(found);
  }
  if (!columns.some(({ column }) => column.field === 'company_name')) return fileFaults.noCompanyColumn;
  const used = new Set(chosen.map(({ index }) => index));
  const closedAt = heading.findIndex((text, index) => !used.has(index) && CLOSED_HEADINGS.has(foldHeading(text)));
  const ignored = heading.filter((text, index) => !used.has(index) && index !== closedAt && text.trim() !== '');
  return {
    columns,
    ignored: ignored.map((text) => text.trim().slice(0, 100)),
    width,
    cells: heading,
    ...(closedAt >= 0 && { closedAt }),
    ...countriesIn(heading),
  };
}

/** Finds the chosen column of a field. @returns null if there is none */
function chosenOf(
  heading: readonly string[],
  column: Column,
  chosen: readonly ChosenColumn[],
): FileColumn | Problem | null {
  const [first, second, ...others] = chosen.filter(({ field }) => field === column.field);
  if (first === undefined) return null;
  const { index, unit } = first;
  if (second === undefined) return { column, index, unit };
  if (column.field !== 'address') return duplicateColumn(column.label, index + 1, second.index + 1);
  const taken = new Set<AddressPart>();
  const parts = [first, second, ...others].map((one): PartOfFile => {
    const part = partOf(heading[one.index] ?? '');
    const isTwin = taken.has(part);
    taken.add(part);
    return { part: isTwin ? 'rest' : part, index: one.index };
  });
  return { column, index, unit: '', parts };
}

function partOf(heading: string): AddressPart {
  const part = PART_BY_HEADING.get(foldHeading(heading));
  return part ?? (matchHeading(heading)?.column.field === 'address' ? 'address' : 'rest');
}

/** Hashes a heading row. Remembered fields are stored under this hash. */
export const headingHash = (heading: readonly string[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(heading.map(foldHeading)))
    .digest();
