import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { DAY_MS } from '#domain/time-units.ts';
import { COMPLETE_AFTER_MS, type Receipt, writeAll } from './receipts.ts';

/** Called for a line that is no receipt. */
export type ReceiptFault = (error: unknown, path: string) => void;

/** Merged files up to this size are gathered in larger ones: a slow sender leaves a file for each mail. */
const GATHERED_BYTES_MAX = 64 * 1024;
/** Small files that are merged within this time are gathered in one. */
const GATHER_MS = 10 * 60 * 1000;
/** How long receipts are kept: the database may be restored to an older state. */
export const KEPT_DAYS = 3;
/** For merged files, in the folder of their database. */
const KEPT_FOLDER = 'kept';

/** The folder for the receipts of one database. @param root `DATA_DIR/receipts` */
export const receiptsOf = (root: string, databaseId: string): string => join(root, databaseId);

/** Lists unmerged files that no process writes to any more. A missing folder has none. */
export const completeFiles = (folder: string): string[] =>
  filesIn(folder)
    // Absolute: files dated in the future, as the clock was set back since, are complete, too.
    .filter(({ mtimeMs }) => Math.abs(Date.now() - mtimeMs) > COMPLETE_AFTER_MS)
    .map(({ path }) => path);

/** Lists all files, the newest first: merged ones too, and those a worker may be writing to. */
export const allFiles = (folder: string): ReceiptFile[] =>
  [...filesIn(folder), ...filesIn(join(folder, KEPT_FOLDER))].toSorted((a, b) => b.mtimeMs - a.mtimeMs);

/** Another process has moved or removed a receipt file. No plain ENOENT: a database socket may be missing as well. */
export class ReceiptFileMoved extends Error {
  override readonly name = 'ReceiptFileMoved';
}

/**
 * Calls `visit` for each file, the newest first, until it returns true.
 * Starts again where a process has moved a file before `visit` could read it: its receipts may be in a file that was
 * read before.
 */
export async function eachFile(folder: string, visit: (file: ReceiptFile) => Promise<boolean>): Promise<void> {
  for (let hasMoved = true; hasMoved; ) {
    hasMoved = false;
    for (const file of allFiles(folder)) {
      try {
        if (await visit(file)) return;
      } catch (error) {
        if (!(error instanceof ReceiptFileMoved)) throw error;
        hasMoved = true;
      }
    }
  }
}

/** Moves a merged file to the kept ones. Another process may do so, too: a receipt kept twice does no harm. */
export function archiveMerged(path: string): void {
  const folder = join(dirname(path), KEPT_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  unlessGone(() => {
    const bytes = readFileSync(path);
    if (bytes.length > GATHERED_BYTES_MAX) return renameSync(path, join(folder, basename(path)));
    appendTo(join(folder, String(Math.floor(Date.now() / GATHER_MS))), bytes.subarray(0, bytes.lastIndexOf('\n') + 1));
    return rmSync(path, { force: true });
  }, undefined);
}

/** Appends whole lines to a file, after a line break: a full disk may have truncated its last line. */
function appendTo(path: string, lines: Uint8Array): void {
  const fd = openSync(path, 'a', 0o600);
  try {
    writeAll(fd, Buffer.concat([Buffer.from('\n'), lines]));
  } finally {
    closeSync(fd);
  }
}

/** Removes receipt files that are older than three days, those of other databases too. */
export function removeOldFiles(root: string): void {
  const oldest = Date.now() - KEPT_DAYS * DAY_MS;
  for (const folder of subfolders(root)) {
    for (const { path, mtimeMs } of [...filesIn(folder), ...filesIn(join(folder, KEPT_FOLDER))]) {
      if (mtimeMs < oldest) rmSync(path, { force: true });
    }
  }
}

/**
 * Moves receipt files that lie in the root to the folder of one database.
 * The first versions had no folders for databases. Receipts name their Message-ID, so those of another database match
 * no row.
 */
export function adoptOldFiles(root: string, folder: string): void {
  const files = filesIn(root);
  if (files.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { path } of files) unlessGone(() => renameSync(path, join(folder, basename(path))), undefined);
}

/**
 * Makes the folder for the receipts of one database.
 * @returns false where it is there: workers of this machine may start together
 */
export function makeFolder(folder: string): boolean {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Counts the other databases that have receipts here. */
export const countOtherDatabases = (root: string, folder: string): number =>
  subfolders(root).filter((path) => path !== folder && allFiles(path).length > 0).length;

export interface ReceiptFile {
  readonly path: string;
  /** Grows while its writer appends. */
  readonly bytes: number;
  readonly mtimeMs: number;
}

function filesIn(folder: string): ReceiptFile[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries
    .filter((entry) => entry.isFile())
    .flatMap(({ name }) => {
      const path = join(folder, name);
      const stats = unlessGone(() => statSync(path), null);
      return stats === null ? [] : [{ path, bytes: stats.size, mtimeMs: stats.mtimeMs }];
    });
}

const subfolders = (root: string): string[] =>
  unlessGone(() => readdirSync(root, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(root, name));

const receipt = z.object({
  accountId: z.int(),
  id: z.int(),
  claimNo: z.int(),
  messageId: z.string(),
  attempts: z.int(),
  reply: z.string(),
  /** The first versions wrote none: the time of the file, which is that of its last line, is used. */
  at: z.number().optional(),
  contact: z.object({ senderGroupId: z.int(), prospectId: z.int(), address: z.string() }).nullable().default(null),
});

/**
 * Reads the receipts of a file; skips a truncated last line.
 * @param onFault called for each other line that is no receipt
 * @throws ReceiptFileMoved
 */
export function readReceipts(path: string, onFault: ReceiptFault): Receipt[] {
  const read = unlessGone(() => ({ text: readFileSync(path, 'utf8'), mtimeMs: statSync(path).mtimeMs }), null);
  if (read === null) throw new ReceiptFileMoved(path);
  const lines = read.text.split('\n').slice(0, -1);
  return lines.filter(Boolean).flatMap((line) => readLine(line, read.mtimeMs, (error) => onFault(error, path)));
}

function readLine(line: string, writtenAt: number, onFault: (error: unknown) => void): Receipt[] {
  try {
    const { at = writtenAt, ...read } = receipt.parse(JSON.parse(line));
    return [{ ...read, at }];
  } catch (error) {
    onFault(error);
    return [];
  }
}

/** Returns `gone` where another process has moved or removed the file. */
function unlessGone<Result>(read: () => Result, gone: Result): Result {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return gone;
    throw error;
  }
}
