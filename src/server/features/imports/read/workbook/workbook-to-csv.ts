import { type FileHandle, open } from 'node:fs/promises';
import { MAX_WORKBOOK_CELLS, MAX_WORKBOOK_ROWS } from '#domain/company/import-limits.ts';
import { csvCell } from '#domain/text/harmless-cell.ts';
import { MAX_ROWS_TO_HEADER } from '../find-header.ts';
import { proposeColumns } from '../table/header.ts';
import { ntaHeader } from '../table/nta-file.ts';
import type { CellContext } from './cell-text.ts';
import { countCells } from './count-cells.ts';
import { readDateStyles } from './date-styles.ts';
import { openParts, type PackageParts } from './package-parts.ts';
import { readSheet } from './read-sheet.ts';
import { readSharedStrings } from './shared-strings.ts';
import { sheetMissing, WorkbookFault, workbookFaults } from './workbook-faults.ts';
import { readWorkbookPart, type Workbook } from './workbook-part.ts';

export interface WorkbookToCsv {
  /** The workbook. */
  readonly path: string;
  /** Where its CSV is written to. */
  readonly csvPath: string;
  /** The position or the name of the sheet; null: the first visible one with a company's heading. */
  readonly sheet: number | string | null;
  /** Stops after so many rows with a value; null: reads all. */
  readonly headRows: number | null;
}

/** Which sheet was read, of which. */
export interface ReadSheet {
  readonly sheets: readonly string[];
  /** The position in `sheets`. */
  readonly sheet: number;
}

/**
 * Writes a sheet as CSV in UTF-8, so that a list is read in one way, whatever it comes from.
 * Row n of the sheet is record n of the CSV; rows without a value are empty lines.
 * Throws WorkbookFault where the workbook cannot be read.
 * @param maxCells for tests
 */
export async function workbookToCsv(
  { path, csvPath, sheet, headRows }: WorkbookToCsv,
  maxCells = MAX_WORKBOOK_CELLS,
): Promise<ReadSheet> {
  const parts = await openParts(path);
  try {
    const workbook = await readWorkbookPart(parts);
    const { sharedStrings, styles, from1904 } = workbook;
    const context: CellContext = {
      strings: sharedStrings === null ? [] : await readSharedStrings(parts.read(sharedStrings)),
      dateStyles: styles === null ? [] : await readDateStyles(parts.read(styles)),
      from1904,
    };
    const found = await writeChosen({ parts, context, maxCells }, workbook, { csvPath, sheet, headRows });
    return { sheets: workbook.sheets.map(({ name }) => name), sheet: found };
  } finally {
    parts.close();
  }
}

interface SheetChoice {
  readonly parts: PackageParts;
  readonly context: CellContext;
  readonly maxCells: number;
}

/** Writes the chosen sheet, or the one that is proposed. @returns its position */
async function writeChosen(
  from: SheetChoice,
  { sheets }: Workbook,
  { csvPath, sheet, headRows }: Omit<WorkbookToCsv, 'path'>,
): Promise<number> {
  const chosen = sheets.flatMap(({ name, hidden, part }, at) =>
    (sheet === null ? !hidden : sheet === at || sheet === name) ? [{ at, part }] : [],
  );
  if (sheet !== null && chosen.length === 0) throw new WorkbookFault(sheetMissing(sheets.map(({ name }) => name)));
  const found = await proposeSheet(from, chosen);
  const file = await open(csvPath, 'w', 0o600);
  try {
    if (found !== null) await writeRows(from.parts.read(found.part), from.context, file, headRows);
    return found?.at ?? chosen[0]?.at ?? 0;
  } finally {
    await file.close();
  }
}

/**
 * Finds the first sheet with a company's heading, or else the first with a value: Numbers writes a summary first.
 * Throws WorkbookFault where none before the first that cannot be read has a value.
 */
async function proposeSheet<T extends { readonly part: string }>(
  { parts, context, maxCells }: SheetChoice,
  sheets: readonly T[],
): Promise<T | null> {
  let cells = 0;
  let filled: T | null = null;
  for (const sheet of sheets) {
    try {
      // A sheet of blank cells packs to nearly nothing, and takes minutes to parse.
      cells += await countCells(parts.read(sheet.part), maxCells - cells);
      if (cells > maxCells) throw new WorkbookFault(workbookFaults.tooManyCells);
      const rows = await headOf(parts.read(sheet.part), context);
      if (rows.some(namesCompany) || (rows.length > 0 && sheets.length === 1)) return sheet;
      if (rows.length > 0) filled ??= sheet;
    } catch (error) {
      // A sheet behind one that can be read refuses nothing: it is not proposed.
      if (filled === null || !(error instanceof WorkbookFault)) throw error;
      if (cells > maxCells) return filled;
    }
  }
  return filled;
}

const namesCompany = (cells: readonly string[]): boolean =>
  ntaHeader(cells) !== null || proposeColumns(cells).some(({ field }) => field === 'company_name');

/** Reads the rows among which a heading is looked for. */
async function headOf(pieces: AsyncIterable<Buffer>, context: CellContext): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  const isFull = () => rows.length >= MAX_ROWS_TO_HEADER;
  await readSheet(pieces, context, {
    row: (_, cells) => void (isFull() || rows.push(cells)),
    afterPiece: async () => isFull(),
  });
  return rows;
}

/** A cell that many rows refer to is stored once in a workbook, and once a row in CSV. */
const MAX_CSV_LENGTH = 512 * 1024 * 1024;

async function writeRows(
  pieces: AsyncIterable<Buffer>,
  context: CellContext,
  file: FileHandle,
  headRows: number | null,
): Promise<void> {
  let text = '';
  let length = 0;
  let lastRow = 0;
  let rows = 0;
  async function flush(): Promise<void> {
    length += text.length;
    if (length > MAX_CSV_LENGTH) throw new WorkbookFault(workbookFaults.expandsTooFar);
    await file.writeFile(text);
    text = '';
  }
  await readSheet(pieces, context, {
    row(row, cells) {
      if (headRows !== null && rows >= headRows) return;
      rows += 1;
      // The heading row comes on top.
      if (rows > MAX_WORKBOOK_ROWS + 1) throw new WorkbookFault(workbookFaults.tooManyRows);
      text += `${'\n'.repeat(row - lastRow - 1)}${cells.map(csvCell).join(',')}\n`;
      lastRow = row;
    },
    async afterPiece() {
      await flush();
      return headRows !== null && rows >= headRows;
    },
  });
  await flush();
}
