import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DAY_MS } from '#domain/time-units.ts';
import { RECEIPTS_KEPT_DAYS } from '../pauses/installation.queries.ts';
import { linesOf, ReceiptFileMoved, unlessGone } from './receipt-lines.ts';
import { COMPLETE_AFTER_MS, type Receipt, writeAll } from './receipts.ts';

/** Merged files up to this size are appended to larger ones: a slow sender leaves a file for each mail. */
const GATHERED_BYTES_MAX = 64 * 1024;
/** Small files merged within this time are appended to one file. */
const GATHER_MS = 10 * 60 * 1000;
/** The subfolder of merged files. */
const KEPT_FOLDER = 'kept';
/** The subfolder of mails that became unknown. Version 1.0.0 does not read it. */
const UNKNOWN_FOLDER = 'unknown';
/** The subfolder where a kept file is rewritten before the rename. */
const NEW_FOLDER = 'new';
/** After this time a killed process's unfinished file is removed. */
const LEFT_MS = 60_000;

/** The folder for the receipts of one database. @param root `DATA_DIR/receipts` */
export const receiptsOf = (root: string, databaseId: string): string => join(root, databaseId);

/** The folder for unknown mails within the database's folder. Its files are never rewritten. */
export const unknownOf = (folder: string): string => join(folder, UNKNOWN_FOLDER);

/** Appends unknown mails to the current file, which all processes of the machine share. */
export function appendUnknown(folder: string, lines: Uint8Array): void {
  mkdirSync(unknownOf(folder), { recursive: true, mode: 0o700 });
  appendTo(join(unknownOf(folder), gatheringName()), lines);
}

/** Lists unmerged files that no process appends to any more. A missing folder has none. */
export const completeFiles = (folder: string): string[] =>
  filesIn(folder)
    .filter(isAtRest)
    .map(({ path }) => path);

/** Lists all unmerged files, including those a worker may be appending to. */
export const unarchivedFiles = (folder: string): string[] => filesIn(folder).map(({ path }) => path);

/** Math.abs: a file dated in the future, because the clock was set back, is complete too. */
const isAtRest = ({ mtimeMs }: ReceiptFile) => Math.abs(Date.now() - mtimeMs) > COMPLETE_AFTER_MS;

/** Lists all files, the newest first, including merged files and those being appended to. */
export const allFiles = (folder: string): ReceiptFile[] =>
  [...filesIn(folder), ...filesIn(join(folder, KEPT_FOLDER))].toSorted((a, b) => b.mtimeMs - a.mtimeMs);

/**
 * Calls `visit` for each file, the newest first, until it returns true.
 * Restarts when another process moved a file before `visit` could read it: its receipts may be in a file already
 * visited.
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

/** Moves a merged file to the kept ones. Another process may too: a receipt kept twice does no harm. */
export function archiveMerged(path: string): void {
  const folder = join(dirname(path), KEPT_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  unlessGone(() => {
    const bytes = readFileSync(path);
    if (bytes.length > GATHERED_BYTES_MAX) return renameSync(path, join(folder, basename(path)));
    appendTo(join(folder, gatheringName()), bytes.subarray(0, bytes.lastIndexOf('\n') + 1));
    return rmSync(path, { force: true });
  }, undefined);
}

/** The name of the kept file to which small files are appended now. */
const gatheringName = () => String(Math.floor(Date.now() / GATHER_MS));

/**
 * Appends whole lines to a file, after a line break: a full disk may have truncated its last line.
 * Repeats if another process replaced the file meanwhile (rewriteReceipts).
 */
function appendTo(path: string, lines: Uint8Array): void {
  for (let isThere = false; !isThere; ) {
    const fd = openSync(path, 'a', 0o600);
    try {
      writeAll(fd, Buffer.concat([Buffer.from('\n'), lines]));
      isThere = fstatSync(fd).nlink > 0;
    } finally {
      closeSync(fd);
    }
  }
}

/** Lists the kept files to which no process appends any more. */
export const closedFiles = (folder: string): ReceiptFile[] =>
  filesIn(join(folder, KEPT_FOLDER)).filter((file) => basename(file.path) !== gatheringName() && isAtRest(file));

/**
 * Replaces receipts of a closed file: writes a new file and renames it once it is on disk.
 * A killed process leaves the old file or the new one. The file keeps its mtime, and so its removal date.
 * @param change returns the replacement of each receipt that must change
 * @returns whether all are replaced; false: another process changed the file meanwhile
 */
export async function rewriteReceipts(
  folder: string,
  { path }: ReceiptFile,
  change: (receipts: readonly Receipt[]) => Promise<ReadonlyMap<Receipt, Receipt>>,
): Promise<boolean> {
  const old = fileAt(path);
  // Unreadable lines stay: the comparison reports them.
  const lines = old && linesOf(path, () => undefined);
  if (!lines) return false;
  const changed = await change(lines.flatMap((line) => line.receipt ?? []));
  if (changed.size === 0) return true;
  const text = lines.map((line) => {
    const replaced = line.receipt && changed.get(line.receipt);
    return replaced ? JSON.stringify(replaced) : line.text;
  });
  const newFolder = join(folder, NEW_FOLDER);
  mkdirSync(newFolder, { recursive: true, mode: 0o700 });
  const newPath = join(newFolder, randomUUID());
  const file = await open(newPath, 'wx', 0o600);
  try {
    await file.writeFile(text.join('\n'));
    await file.utimes(old.mtimeMs / 1000, old.mtimeMs / 1000);
    await file.sync();
  } finally {
    await file.close();
  }
  const { ino, bytes, mtimeMs } = fileAt(path) ?? { ino: 0, bytes: 0, mtimeMs: 0 };
  const isSame = ino === old.ino && bytes === old.bytes && mtimeMs === old.mtimeMs;
  if (isSame) renameSync(newPath, path);
  else rmSync(newPath);
  return isSame;
}

/** Removes unfinished files of killed processes. */
export function removeUnfinished(folder: string): void {
  for (const { path, changedMs } of filesIn(join(folder, NEW_FOLDER))) {
    if (Date.now() - changedMs > LEFT_MS) rmSync(path, { force: true });
  }
}

/** Removes receipt files that are older than three days, those of other databases too. */
export function removeOldFiles(root: string): void {
  const oldest = Date.now() - RECEIPTS_KEPT_DAYS * DAY_MS;
  for (const folder of subfolders(root)) {
    const folders = [folder, ...[KEPT_FOLDER, NEW_FOLDER, UNKNOWN_FOLDER].map((name) => join(folder, name))];
    for (const { path, mtimeMs } of folders.flatMap(filesIn)) {
      if (mtimeMs < oldest) rmSync(path, { force: true });
    }
  }
}

/**
 * Moves receipt files from the root to the folder of one database.
 * The first versions had no folders for databases. Receipts name their Message-ID, so another database's match no row.
 */
export function adoptOldFiles(root: string, folder: string): void {
  const files = filesIn(root);
  if (files.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { path } of files) unlessGone(() => renameSync(path, join(folder, basename(path))), undefined);
}

/** Whether a worker has kept receipts in a folder. A sweep or a command may run before any worker. */
export const isInUse = (folder: string): boolean =>
  unlessGone(() => readdirSync(folder), []).some((name) => name !== UNKNOWN_FOLDER);

/**
 * Makes the folders for the receipts of one database.
 * @returns false if they exist: workers of a machine may start together
 */
export function makeFolder(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    mkdirSync(join(folder, KEPT_FOLDER), { mode: 0o700 });
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
  /** When the file's name or content changed. */
  readonly changedMs: number;
  /** The inode: another value is another file of that name. */
  readonly ino: number;
}

function filesIn(folder: string): ReceiptFile[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.filter((entry) => entry.isFile()).flatMap(({ name }) => fileAt(join(folder, name)) ?? []);
}

/** @returns null: no such file */
function fileAt(path: string): ReceiptFile | null {
  const stats = unlessGone(() => statSync(path), null);
  return stats && { path, bytes: stats.size, mtimeMs: stats.mtimeMs, changedMs: stats.ctimeMs, ino: stats.ino };
}

const subfolders = (root: string): string[] =>
  unlessGone(() => readdirSync(root, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(root, name));
