import { MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { tooManyColumns } from '../faults.ts';
import { MAX_RECORD_LENGTH } from '../read-records.ts';
import { type CellContext, cellText } from './cell-text.ts';
import { type Attributes, parseXml } from './parse-xml.ts';
import { createTextCollector } from './shared-strings.ts';
import { notCalculated, rowTooLong, WorkbookFault, workbookFaults } from './workbook-faults.ts';

/** Excel's last row. */
const LAST_ROW = 1_048_576;
/** As CSV a row is at most twice as long, plus quotes and separators. */
const MAX_ROW_LENGTH = MAX_RECORD_LENGTH / 2 - 2 * MAX_IMPORT_COLUMNS;

interface SheetReader {
  /** Takes a row with a value; `row` counts from 1, as in Excel. */
  row(row: number, cells: readonly string[]): void;
  /** Called after each piece of the sheet; returning true ends the reading. */
  afterPiece(): Promise<boolean>;
}

/** The cell that is being read. */
interface OpenCell {
  name: string;
  /** Its position in the row, from 0. */
  at: number;
  type: string;
  style: number;
  value: string | undefined;
  hasFormula: boolean;
}

/**
 * Reads the rows of a sheet piece by piece.
 * A formula gives its stored value, a merged cell the value of its first cell. Hidden rows and columns are read too.
 */
export async function readSheet(
  pieces: AsyncIterable<Buffer>,
  context: CellContext,
  reader: SheetReader,
): Promise<void> {
  const inline = createTextCollector();
  let row = 0;
  let cells: string[] = [];
  let length = 0;
  let lastAt = -1;
  let cell: OpenCell | null = null;
  let isValue = false;

  function beginRow({ r }: Attributes): void {
    const next = r === undefined ? row + 1 : Number(r);
    if (!Number.isInteger(next) || next <= row || next > LAST_ROW) throw new WorkbookFault(workbookFaults.broken);
    row = next;
    cells = [];
    length = 0;
    lastAt = -1;
  }

  function beginCell({ r, t = 'n', s = '0' }: Attributes): void {
    const at = r === undefined ? lastAt + 1 : columnOf(r);
    lastAt = at;
    cell = { name: r ?? `${row}行目`, at, type: t, style: Number(s), value: undefined, hasFormula: false };
    inline.begin();
  }

  function endCell({ name, hasFormula, ...found }: OpenCell): void {
    if (hasFormula && found.value === undefined) throw new WorkbookFault(notCalculated(name));
    const text = cellText({ ...found, inline: inline.text() }, context);
    if (text === '') return;
    if (found.at >= MAX_IMPORT_COLUMNS) throw new WorkbookFault(tooManyColumns(found.at + 1));
    length += text.length;
    if (length > MAX_ROW_LENGTH) throw new WorkbookFault(rowTooLong(row));
    while (cells.length < found.at) cells.push('');
    cells[found.at] = text;
  }

  await parseXml(pieces, {
    open(name, attributes) {
      if (name === 'row') beginRow(attributes);
      else if (name === 'c') beginCell(attributes);
      else if (cell === null) return;
      else if (name === 'f') cell.hasFormula = true;
      else if (name === 'v') {
        isValue = true;
        cell.value = '';
      } else inline.open(name);
    },
    text(text) {
      if (cell === null) return;
      if (isValue) cell.value += text;
      else inline.add(text);
    },
    close(name) {
      if (name === 'row' && cells.length > 0) reader.row(row, cells);
      if (cell === null) return;
      if (name === 'v') isValue = false;
      else if (name === 'c') {
        endCell(cell);
        cell = null;
      } else inline.close(name);
    },
    afterPiece: reader.afterPiece,
  });
}

const REFERENCE = /^([A-Z]{1,3})\d+$/;

/** Reads the column of a reference such as `AB12`, from 0. */
function columnOf(reference: string): number {
  const letters = REFERENCE.exec(reference)?.[1];
  if (letters === undefined) throw new WorkbookFault(workbookFaults.broken);
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
