import { type FileHandle, open } from 'node:fs/promises';
import { MAX_WORKBOOK_CELLS, MAX_WORKBOOK_ROWS } from '#domain/company/import-limits.ts';
import { csvCell } from '#domain/text/harmless-cell.ts';
import { MAX_ROWS_TO_HEADER } from '../find-header.ts';
import { proposeColumns } from '../table/chosen-header.ts';
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
  /** The path of the workbook. */
  readonly path: string;
  /** The path for its CSV. */
  readonly csvPath: string;
  /** The sheet's position or name; null: the first visible one with a company heading. */
  readonly sheet: number | string | null;
  /** Stops after this many rows with a value; null: reads all. */
  readonly headRows: number | null;
}

/** The sheet that was read, and all sheets. */
export interface ReadSheet {
  readonly sheets: readonly string[];
  /** The position in `sheets`. */
  readonly sheet: number;
}

/**
 * Writes a sheet as UTF-8 CSV, so that the import reads only text.
 * Row n of the sheet is record n of the CSV; rows without a value are empty lines.
 * Throws WorkbookFault if the workbook cannot be read.
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

/** Writes the chosen or the proposed sheet. @returns its position */
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
 * Finds the first sheet with a company heading, or else the first with a value: Numbers writes a summary first. Throws
 * WorkbookFault for an unreadable sheet if none before it has a value.
 */
async function proposeSheet<T extends { readonly part: string }>(
  { parts, context, maxCells }: SheetChoice,
  sheets: readonly T[],
): Promise<T | null> {
  let cells = 0;
  let filled: T | null = null;
  for (const sheet of sheets) {
    try {
      // A sheet of blank cells compresses to nearly nothing, but takes minutes to parse.
      cells += await countCells(parts.read(sheet.part), maxCells - cells);
      if (cells > maxCells) throw new WorkbookFault(workbookFaults.tooManyCells);
      const rows = await headOf(parts.read(sheet.part), context);
      if (rows.some(namesCompany) || (rows.length > 0 && sheets.length === 1)) return sheet;
      if (rows.length > 0) filled ??= sheet;
    } catch (error) {
      // An unreadable sheet after a readable one is skipped, because it is not proposed.
      if (filled === null || !(error instanceof WorkbookFault)) throw error;
      if (cells > maxCells) return filled;
    }
  }
  return filled;
}

const namesCompany = (cells: readonly string[]): boolean =>
  ntaHeader(cells) !== null || proposeColumns(cells).some(({ field }) => field === 'company_name');

/** Reads the first rows, in which the heading is searched. */
async function headOf(pieces: AsyncIterable<Buffer>, context: CellContext): Promise<(readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  const isFull = () => rows.length >= MAX_ROWS_TO_HEADER;
  await readSheet(pieces, context, {
    row: (_, cells) => void (isFull() || rows.push(cells)),
    afterPiece: async () => isFull(),
  });
  return rows;
}

/** A string that many rows refer to is stored once in a workbook, but once per row in CSV. */
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
      // Plus one for the heading row.
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
