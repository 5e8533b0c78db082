import { foldHeading } from '#domain/text/fold-heading.ts';
import type { Refusal } from '../../../../platform/problem.ts';
import type { AddressPart } from '../cells/address-parts.ts';
import { duplicateColumn, fileFaults, headingMissing } from '../faults.ts';
import { COLUMNS, type Column, type ExtraField, FILE_COLUMNS, type NewField } from './columns.ts';
import { claimColumns, matchExtra } from './extra-headings.ts';
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

/** A column that is no company's own (extra-headings). */
export interface ExtraColumn {
  readonly field: ExtraField;
  readonly index: number;
  /** For `own`: the field, or the one that the import makes. */
  readonly custom_field_id?: number | undefined;
  readonly new_field?: NewField | undefined;
}

export interface Header {
  columns: FileColumn[];
  /** Columns of people, own fields, tags, our member, the company's id elsewhere. */
  extras: readonly ExtraColumn[];
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

/** The account's own fields in use: their ids by their folded labels. */
export type OwnLabels = ReadonlyMap<string, number>;
export const NO_OWN_LABELS: OwnLabels = new Map();

/** Finds the columns with a country. */
export const countriesIn = (heading: readonly string[]): Pick<Header, 'countriesAt'> => {
  const countriesAt = [...heading.keys()].filter((at) => isCountryHeading(foldHeading(heading[at] ?? '')));
  return countriesAt.length === 0 ? {} : { countriesAt };
};

/**
 * Finds the column whose texts become the remarks: the first that is called 備考, else the first with another heading.
 * @returns -1 if there is none
 */
export function remarksAt(heading: readonly string[], isFree: (index: number) => boolean = () => true): number {
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
export function readHeader(
  cells: readonly string[],
  mapping: Mapping = NO_MAPPING,
  ownLabels: OwnLabels = NO_OWN_LABELS,
): Header | Refusal {
  const folded = cells.map(foldHeading);
  const columns = mappedColumns(folded, mapping);
  if (!Array.isArray(columns)) return columns;
  const taken = new Set(columns.flatMap(({ index, parts }) => [index, ...(parts ?? []).map((part) => part.index)]));
  const isFree = (index: number) => !taken.has(index);
  const remarks = remarksAt(cells, isFree);
  const claimed = claimColumns(cells, isFree);
  for (const { index } of claimed) taken.add(index);
  const parts: PartOfFile[] = [];
  const ignored: number[] = [];
  let closedAt: number | undefined;
  for (const [index, heading] of cells.entries()) {
    if (taken.has(index)) continue;
    const meaning = meaningOf(heading, folded[index] ?? '', mapping);
    if (meaning === 'closed') closedAt = index;
    else if (meaning === 'ignored') ignored.push(index);
    else if ('part' in meaning) parts.push({ ...meaning, index });
    else {
      const twin = columns.find(({ column }) => column === meaning.column);
      if (isSpare(meaning.column, twin !== undefined, index === remarks)) ignored.push(index);
      else if (twin === undefined) columns.push({ ...meaning, index });
      else return duplicateColumn(meaning.column.label, twin.index + 1, index + 1);
    }
  }
  const fault = joinParts(columns, parts);
  if (fault !== null) return fault;
  if (!columns.some(({ column }) => column.field === 'company_name')) return fileFaults.noCompanyName;
  return {
    columns,
    ...withOwn(cells, claimed, ignored, ownLabels),
    width: cells.length,
    cells,
    ...closedIn(closedAt),
    ...countriesIn(cells),
  };
}

const closedIn = (closedAt: number | undefined): Pick<Header, 'closedAt'> =>
  closedAt === undefined ? {} : { closedAt };

/** Finds the account's own fields among the columns that nothing else knows. */
function withOwn(
  cells: readonly string[],
  claimed: readonly ExtraColumn[],
  unknown: readonly number[],
  ownLabels: OwnLabels,
): Pick<Header, 'extras' | 'ignored'> {
  const idAt = (index: number) => ownLabels.get(foldHeading(cells[index] ?? ''));
  const own = unknown.flatMap((index): ExtraColumn[] => {
    const id = idAt(index);
    return id === undefined ? [] : [{ field: 'own', index, custom_field_id: id }];
  });
  return {
    extras: [...claimed, ...own],
    ignored: unknown
      .filter((index) => idAt(index) === undefined)
      .map((index) => (cells[index] ?? '').trim().slice(0, 100))
      .filter((heading) => heading !== ''),
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
    return isMapped || PART_BY_HEADING.has(folded) || matchHeading(heading) !== null || matchExtra(heading) !== null;
  }).length;
