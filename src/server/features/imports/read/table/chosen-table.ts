import { createHash } from 'node:crypto';
import { Problem } from '../../../../platform/problem.ts';
import type { AddressPart } from '../cells/address-parts.ts';
import { duplicateColumn, fileFaults } from '../faults.ts';
import { type Column, FILE_COLUMNS, type FileField } from './columns.ts';
import type { FileColumn, Header, PartOfFile } from './header.ts';
import { CLOSED_HEADINGS, foldHeading, matchHeading, PART_BY_HEADING } from './headings.ts';

/** A column of a file, and the field that a person chose for it. */
export interface ChosenColumn {
  /** The position in the file, from 0. */
  readonly index: number;
  readonly field: FileField;
  /** The unit of the column's numbers; '' for the field's own. */
  readonly unit: string;
}

/** How a person wants a file to be read. */
export interface ChosenTable {
  /** `,`, tab or `;` */
  readonly separator: string;
  /** As a spreadsheet counts it, from 1; 0: the file has no heading row. */
  readonly headerRow: number;
  readonly columns: readonly ChosenColumn[];
}

/** Proposes the fields of columns by their headings. Of two columns for one field the first counts. */
export function proposeColumns(heading: readonly string[]): ChosenColumn[] {
  const taken = new Set<FileField>();
  return heading.flatMap((text, index): ChosenColumn[] => {
    const match = matchHeading(text);
    if (match !== null && !taken.has(match.column.field)) {
      taken.add(match.column.field);
      return [{ index, field: match.column.field, unit: match.unit }];
    }
    return match === null && PART_BY_HEADING.has(foldHeading(text)) ? [{ index, field: 'address', unit: '' }] : [];
  });
}

/**
 * Makes the header of a chosen table. Several columns may be the address, and are joined.
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
  };
}

/** Finds the chosen column of a field. @returns null where there is none */
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

/** Hashes a heading row, by which the fields of its columns are remembered. */
export const headingHash = (heading: readonly string[]): Buffer =>
  createHash('sha256')
    .update(JSON.stringify(heading.map(foldHeading)))
    .digest();
