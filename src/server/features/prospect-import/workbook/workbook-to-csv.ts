import { type FileHandle, open } from 'node:fs/promises';
import { csvCell } from '#domain/csv-cell.ts';
import { MAX_WORKBOOK_CELLS, MAX_WORKBOOK_ROWS } from '#domain/import-limits.ts';
import type { CellContext } from './cell-text.ts';
import { countCells } from './count-cells.ts';
import { readDateStyles } from './date-styles.ts';
import { openParts, type PackageParts } from './package-parts.ts';
import { readSheet } from './read-sheet.ts';
import { readSharedStrings } from './shared-strings.ts';
import { sheetMissing, WorkbookRefused, workbookFaults } from './workbook-faults.ts';
import { readWorkbookPart, type Workbook } from './workbook-part.ts';

export interface WorkbookToCsv {
  /** The workbook. */
  readonly path: string;
  /** Where its CSV is written to. */
  readonly csvPath: string;
  /** The position or the name of the sheet; null: the first visible one with a value. */
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

/** A cell that many rows refer to is stored once in a workbook, and once a row in CSV. */
const MAX_CSV_LENGTH = 512 * 1024 * 1024;

/**
 * Writes a sheet as CSV in UTF-8, so that a list is read in one way, whatever it comes from.
 * Row n of the sheet is record n of the CSV; rows without a value are empty lines.
 * Throws WorkbookRefused where the workbook cannot be read.
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
    const found = await writeFirstWithRows(parts, workbook, context, { csvPath, sheet, headRows, maxCells });
    return { sheets: workbook.sheets.map(({ name }) => name), sheet: found };
  } finally {
    parts.close();
  }
}

/** Writes the chosen sheet, or the first one with a value. @returns its position */
async function writeFirstWithRows(
  parts: PackageParts,
  { sheets }: Workbook,
  context: CellContext,
  { csvPath, sheet, headRows, maxCells }: Omit<WorkbookToCsv, 'path'> & { readonly maxCells: number },
): Promise<number> {
  const chosen = sheets.flatMap(({ name, hidden, part }, at) =>
    (sheet === null ? !hidden : sheet === at || sheet === name) ? [{ at, part }] : [],
  );
  if (sheet !== null && chosen.length === 0) throw new WorkbookRefused(sheetMissing(sheets.map(({ name }) => name)));
  const file = await open(csvPath, 'w', 0o600);
  let cells = 0;
  try {
    for (const { at, part } of chosen) {
      // A sheet of blank cells packs to nearly nothing, and takes minutes to parse.
      cells += await countCells(parts.read(part), maxCells - cells);
      if (cells > maxCells) throw new WorkbookRefused(workbookFaults.tooManyCells);
      const rows = await writeRows(parts.read(part), context, file, headRows);
      if (rows > 0) return at;
    }
    return chosen[0]?.at ?? 0;
  } finally {
    await file.close();
  }
}

/** @returns how many rows have a value */
async function writeRows(
  pieces: AsyncIterable<Buffer>,
  context: CellContext,
  file: FileHandle,
  headRows: number | null,
): Promise<number> {
  let text = '';
  let length = 0;
  let lastRow = 0;
  let rows = 0;
  async function flush(): Promise<void> {
    length += text.length;
    if (length > MAX_CSV_LENGTH) throw new WorkbookRefused(workbookFaults.expandsTooFar);
    await file.writeFile(text);
    text = '';
  }
  await readSheet(pieces, context, {
    row(row, cells) {
      if (headRows !== null && rows >= headRows) return;
      rows += 1;
      // The heading row comes on top.
      if (rows > MAX_WORKBOOK_ROWS + 1) throw new WorkbookRefused(workbookFaults.tooManyRows);
      text += `${'\n'.repeat(row - lastRow - 1)}${cells.map(csvCell).join(',')}\n`;
      lastRow = row;
    },
    async afterPiece() {
      await flush();
      return headRows !== null && rows >= headRows;
    },
  });
  await flush();
  return rows;
}
