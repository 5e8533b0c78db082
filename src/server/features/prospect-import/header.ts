import type { Refusal } from '../../platform/refusal.ts';
import { COLUMNS, type Column } from './columns.ts';
import { createCsvParser } from './csv-parser.ts';
import { duplicateColumn, fileFaults } from './faults.ts';

/** A column of the file that is imported. */
export interface FileColumn {
  column: Column;
  /** Its position in the file, from 0. */
  index: number;
  /** The unit of its numbers where a cell names none: such as `百万円`, or ''. */
  unit: string;
}

export interface Header {
  columns: FileColumn[];
  /** Headings that match no column of an import. */
  ignored: string[];
  /** The number of columns in the file. */
  width: number;
}

const foldHeading = (heading: string): string => heading.normalize('NFKC').toLowerCase().replace(/\s+/g, '');

const BY_HEADING = new Map<string, Column>(
  COLUMNS.flatMap((column) =>
    [column.field, column.label, ...column.also].map((heading) => [foldHeading(heading), column] as const),
  ),
);

/** A heading with a unit: `売上高(百万円)`, `売上高[単位:百万円]`, `売上高_百万円`. */
const WITH_UNIT = /^(.+?)(?:[([【〔](?:単位[:=]?)?([^)\]】〕]+)[)\]】〕]|_([^_]+))$/;

const UNITS: Partial<Record<Column['kind'], readonly string[]>> = {
  money: ['円', '千円', '万円', '百万円', '千万円', '億円', '十億円'],
  count: ['人', '名'],
  year: ['年', '西暦'],
};

/** Matches a heading with a column and a unit. @returns null where no column matches */
function matchHeading(heading: string): { column: Column; unit: string } | null {
  const folded = foldHeading(heading);
  const whole = BY_HEADING.get(folded);
  if (whole !== undefined) return { column: whole, unit: '' };
  const [, name = '', bracketed, suffixed] = WITH_UNIT.exec(folded) ?? [];
  const unit = bracketed ?? suffixed ?? '';
  const column = BY_HEADING.get(name);
  if (column === undefined || !UNITS[column.kind]?.includes(unit)) return null;
  return { column, unit: column.kind === 'money' ? unit : '' };
}

/** Reads the first record of a file as its header. */
export function readHeader(cells: readonly string[]): Header | Refusal {
  const columns: FileColumn[] = [];
  const ignored: string[] = [];
  for (const [index, heading] of cells.entries()) {
    const match = matchHeading(heading);
    if (match === null) {
      if (heading.trim() !== '') ignored.push(heading.trim().slice(0, 100));
      continue;
    }
    const twin = columns.find(({ column }) => column === match.column);
    if (twin !== undefined) return duplicateColumn(match.column.label, twin.index + 1, index + 1);
    columns.push({ ...match, index });
  }
  if (!columns.some(({ column }) => column.field === 'company_name')) return fileFaults.noCompanyName;
  return { columns, ignored, width: cells.length };
}

/**
 * Chooses the separator by which most headings match a column; by default the comma.
 * @param head text with the whole header
 */
export function detectSeparator(head: string): string {
  let best = { separator: ',', matches: 0 };
  for (const separator of [',', '\t', ';']) {
    const matches = firstRecord(head, separator).filter((heading) => matchHeading(heading) !== null).length;
    if (matches > best.matches) best = { separator, matches };
  }
  return best.separator;
}

function firstRecord(text: string, separator: string): string[] {
  let first: string[] | undefined;
  const parser = createCsvParser(separator, ({ cells }) => {
    first ??= cells;
  });
  parser.write(text);
  parser.end();
  return first ?? [];
}
