import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_WORKBOOK_BYTES } from '#domain/company/import-limits.ts';
import { Problem } from '../../../platform/problem.ts';
import { detectEncoding, type Encoding } from './file-encoding.ts';
import { kindOfFile, refusalOfCompound } from './file-kind.ts';
import { readWorkbook } from './workbook/read-workbook.ts';
import { workbookFaults } from './workbook/workbook-faults.ts';
import type { ReadSheet } from './workbook/workbook-to-csv.ts';

/** A list as a text file, which the import reads in one way. */
export interface ListFile {
  readonly path: string;
  readonly encoding: Encoding;
  /** Which sheet it was, where the list is a workbook. The text is CSV then. */
  readonly workbook: ReadSheet | null;
}

/** What a person chose; the rest is detected. */
export interface ListChoice {
  readonly encoding?: Encoding | undefined;
  /** The position or the name of a sheet. */
  readonly sheet?: number | string | undefined;
  /** Of a workbook: reads only so many rows with a value. */
  readonly headRows?: number | undefined;
  /** Ends the reading of a workbook, or the wait for it. */
  readonly signal?: AbortSignal | undefined;
}

/** What a file was, for people: its encoding, or `xlsx`. */
export const formatOf = ({ encoding, workbook }: ListFile): Encoding | 'xlsx' =>
  workbook === null ? encoding : 'xlsx';

/**
 * Runs `work` with a list as a text file. A workbook becomes a temporary CSV file, which is removed when `work` ends.
 * @param accountId whose turn a workbook takes
 * @returns a Problem where the file is no list
 */
export async function withListFile<T>(
  accountId: number,
  path: string,
  choice: ListChoice,
  work: (list: ListFile) => Promise<T>,
): Promise<T | Problem> {
  switch (await kindOfFile(path)) {
    case 'zip':
      return withWorkbook(accountId, path, choice, work);
    case 'compound':
      return refusalOfCompound(path);
    case 'pdf':
      return workbookFaults.notATable;
    case 'text': {
      const encoding = await encodingOf(path, choice.encoding);
      return encoding instanceof Problem ? encoding : work({ path, encoding, workbook: null });
    }
  }
}

/** Returns the chosen encoding, or else the detected one. Not every fault of the detection holds for a chosen one. */
async function encodingOf(path: string, chosen: Encoding | undefined): Promise<Encoding | Problem> {
  const detected = await detectEncoding(path);
  // A file that ends within a character of UTF-8 may be complete in another encoding.
  const isReadable = !(detected instanceof Problem) || detected.code === 'truncated';
  return chosen !== undefined && isReadable ? chosen : detected;
}

async function withWorkbook<T>(
  accountId: number,
  path: string,
  { sheet, headRows, signal }: ListChoice,
  work: (list: ListFile) => Promise<T>,
): Promise<T | Problem> {
  const { size } = await stat(path);
  if (size > MAX_WORKBOOK_BYTES) return workbookFaults.tooLarge;
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-sheet-'));
  try {
    const csvPath = join(folder, 'sheet.csv');
    const options = { path, csvPath, sheet: sheet ?? null, headRows: headRows ?? null };
    const read = await readWorkbook(options, accountId, signal);
    if (read instanceof Problem) return read;
    return await work({ path: csvPath, encoding: 'utf-8', workbook: read });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
