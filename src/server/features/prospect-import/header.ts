import type { Refusal } from '../../platform/refusal.ts';
import { COLUMNS, type Column } from './columns.ts';
import { createCsvParser } from './csv-parser.ts';
import { duplicateColumn, fileFaults } from './faults.ts';

/** A column of the file that is imported. `index`: its place, from 0. `unit`: of its plain numbers, `百万円` or ''. */
export interface FileColumn {
  column: Column;
  index: number;
  unit: string;
}

/** `ignored`: headings of columns that no field has. `width`: the number of columns. */
export interface Header {
  columns: FileColumn[];
  ignored: string[];
  width: number;
}

const foldHeading = (heading: string): string => heading.normalize('NFKC').toLowerCase().replace(/\s+/g, '');

const BY_HEADING = new Map<string, Column>(
  COLUMNS.flatMap((column) =>
    [column.field, column.label, ...column.also].map((heading) => [foldHeading(heading), column] as const),
  ),
);

/** `売上高(百万円)`, `売上高[単位:百万円]`, `売上高_百万円`. */
const WITH_UNIT = /^(.+?)(?:[([【〔](?:単位[:=]?)?([^)\]】〕]+)[)\]】〕]|_([^_]+))$/;

const UNITS: Partial<Record<Column['kind'], readonly string[]>> = {
  money: ['円', '千円', '万円', '百万円', '千万円', '億円', '十億円'],
  count: ['人', '名'],
  year: ['年', '西暦'],
};

/** The column a heading names and the unit it gives; null where it names none. */
function understandHeading(heading: string): { column: Column; unit: string } | null {
  const folded = foldHeading(heading);
  const whole = BY_HEADING.get(folded);
  if (whole !== undefined) return { column: whole, unit: '' };
  const [, name = '', bracketed, suffixed] = WITH_UNIT.exec(folded) ?? [];
  const unit = bracketed ?? suffixed ?? '';
  const column = BY_HEADING.get(name);
  if (column === undefined || !UNITS[column.kind]?.includes(unit)) return null;
  return { column, unit: column.kind === 'money' ? unit : '' };
}

export function readHeader(cells: readonly string[]): Header | Refusal {
  const columns: FileColumn[] = [];
  const ignored: string[] = [];
  for (const [index, heading] of cells.entries()) {
    const understood = understandHeading(heading);
    if (understood === null) {
      if (heading.trim() !== '') ignored.push(heading.trim().slice(0, 100));
      continue;
    }
    const twin = columns.find(({ column }) => column === understood.column);
    if (twin !== undefined) return duplicateColumn(understood.column.label, twin.index + 1, index + 1);
    columns.push({ ...understood, index });
  }
  if (!columns.some(({ column }) => column.field === 'company_name')) return fileFaults.noCompanyName;
  return { columns, ignored, width: cells.length };
}

/** The separator under which most headings are understood; the comma where none tells. `head`: text with the whole header. */
export function detectSeparator(head: string): string {
  let best = { separator: ',', known: 0 };
  for (const separator of [',', '\t', ';']) {
    const known = firstRecord(head, separator).filter((heading) => understandHeading(heading) !== null).length;
    if (known > best.known) best = { separator, known };
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
