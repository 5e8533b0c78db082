import { createHash } from 'node:crypto';
import { foldHeading } from '#domain/text/fold-heading.ts';
import { Problem } from '../../../../platform/problem.ts';
import type { AddressPart } from '../cells/address-parts.ts';
import { duplicateColumn, fileFaults } from '../faults.ts';
import { type Column, type ExtraField, FILE_COLUMNS, type FileField, type NewField } from './columns.ts';
import { claimColumns, PERSON_COLUMNS } from './extra-headings.ts';
import { countriesIn, type ExtraColumn, type FileColumn, type Header, type PartOfFile, remarksAt } from './header.ts';
import { CLOSED_HEADINGS, matchHeading, PART_BY_HEADING } from './headings.ts';

/* The columns of a table as a person chooses them, and what is proposed to that person. */

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
  const claimed = new Map(claimColumns(heading, () => true).map(({ index, field }) => [index, field]));
  return heading.flatMap((text, index): ChosenColumn[] => {
    const extra = claimed.get(index);
    if (extra !== undefined) return [{ index, field: extra, unit: '' }];
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
  const extras = chosenExtras(chosen);
  if (extras instanceof Problem) return extras;
  const used = new Set(chosen.map(({ index }) => index));
  const closedAt = heading.findIndex((text, index) => !used.has(index) && CLOSED_HEADINGS.has(foldHeading(text)));
  const ignored = heading.filter((text, index) => !used.has(index) && index !== closedAt && text.trim() !== '');
  return {
    columns,
    extras,
    ignored: ignored.map((text) => text.trim().slice(0, 100)),
    width,
    cells: heading,
    ...(closedAt >= 0 && { closedAt }),
    ...countriesIn(heading),
  };
}

const EXTRA_LABELS: ReadonlyMap<string, string> = new Map([
  ...PERSON_COLUMNS.map(({ field, label }) => [field, label] as const),
  ['external_id', '外部ID'],
  ['owner', '自社担当'],
]);

/** Several columns may be tags or own fields; each own field has one. */
function chosenExtras(chosen: readonly ChosenColumn[]): ExtraColumn[] | Problem {
  const extras = chosen.flatMap(({ field, index, custom_field_id, new_field }) =>
    isExtra(field) ? [{ field, index, custom_field_id, new_field }] : [],
  );
  const placeOf = ({ field, custom_field_id: id, new_field: made }: ExtraColumn) =>
    field === 'own' ? `${id ?? ''}:${foldHeading(made?.label ?? '')}` : field;
  const seen = new Map<string, ExtraColumn>();
  for (const column of extras) {
    if (column.field === 'tags') continue;
    const twin = seen.get(placeOf(column));
    if (twin !== undefined) {
      const label = EXTRA_LABELS.get(column.field) ?? column.new_field?.label ?? '自社の項目';
      return duplicateColumn(label, twin.index + 1, column.index + 1);
    }
    seen.set(placeOf(column), column);
  }
  return extras;
}

const FILE_FIELDS: ReadonlySet<string> = new Set(FILE_COLUMNS.map(({ field }) => field));
const isExtra = (field: ChosenColumn['field']): field is ExtraField => !FILE_FIELDS.has(field);

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
