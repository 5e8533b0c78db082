import { randomUUID } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { Claim } from './claim.ts';

/** The mail server's word that it has a mail. The database may not know it yet, or not any more. */
export interface Receipt {
  readonly accountId: number;
  readonly id: number;
  readonly claimNo: number;
  readonly messageId: string;
  /** Before this try. */
  readonly attempts: number;
  readonly reply: string;
  /** When the mail server said it, epoch milliseconds by the worker's clock. */
  readonly at: number;
  /** Who was mailed; null: a test mail, or a receipt of an older version. */
  readonly contact: ReceiptContact | null;
}

export interface ReceiptContact {
  readonly senderGroupId: number;
  readonly prospectId: number;
  readonly address: string;
}

export function receiptOf(claim: Claim, reply: string, at: number): Receipt {
  const { accountId, id, claimNo, messageId, attempts, senderGroupId, prospectId, mailTo } = claim;
  const contact = claim.test ? null : { senderGroupId, prospectId, address: mailTo };
  return { accountId, id, claimNo, messageId, attempts, reply, at, contact };
}

export interface ReceiptBook {
  /** Writes to disk before it returns, which outlives kill -9 (not a loss of power: nothing waits for fsync). Never throws. */
  keep(receipts: readonly Receipt[]): void;
  close(): void;
}

/** Beyond this size the book begins another file. */
const MAX_BYTES = 256 * 1024;
/** A book does not write to a file again that has rested for so long… */
const FRESH_MS = 1000;
/** …so that a file that has rested for so long is complete, whether its worker lives or not. */
const COMPLETE_MS = 3000;
/** Smaller files are gathered once they are merged: a sender with a pace leaves one for each mail. */
const SMALL_BYTES = 64 * 1024;
/** Files that are merged within such a time are gathered in one. */
const GATHER_MS = 10 * 60 * 1000;
/** How long receipts are kept for a database that may come back in an older state. */
const KEPT_MS = 3 * 24 * 60 * 60 * 1000;
const KEPT_FOLDER = 'kept';

/** Where the workers of this machine keep the receipts of one database. */
export const receiptsOf = (root: string, databaseId: string): string => join(root, databaseId);

/**
 * Appends receipts of one worker to files of `folder()`. Files are only ever appended to, and closed after a short rest. mergeReceipts()
 * (merge-receipts.command.ts) writes what the database lacks of complete files.
 * @param folder asked before each write; another answer begins another file; null: not known yet, which is a fault
 */
export function receiptBook(folder: () => string | null, onFault: (error: unknown) => void): ReceiptBook {
  let file: { readonly fd: number; readonly folder: string; bytes: number; at: number } | null = null;

  const close = () => {
    if (file) closeSync(file.fd);
    file = null;
  };

  function open(path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return { fd: openSync(join(path, randomUUID()), 'ax', 0o600), folder: path, bytes: 0, at: 0 };
  }

  return {
    close,
    keep(receipts) {
      if (receipts.length === 0) return;
      const now = performance.now();
      try {
        const path = folder();
        if (path === null) throw new Error('no database was compared yet');
        if (file && (file.bytes > MAX_BYTES || now - file.at > FRESH_MS || file.folder !== path)) close();
        file ??= open(path);
        file.bytes += writeAll(
          file.fd,
          Buffer.from(receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join('')),
        );
        file.at = now;
      } catch (error) {
        // The next receipt must not continue a line that was cut off.
        close();
        onFault(error);
      }
    },
  };
}

/** Writes all bytes: a disk that is nearly full takes a part, and reports its fault at the next write. @returns their number */
function writeAll(fd: number, bytes: Buffer): number {
  for (let written = 0; written < bytes.length; ) {
    const taken = writeSync(fd, bytes, written);
    if (taken === 0) throw new Error('nothing was written');
    written += taken;
  }
  return bytes.length;
}

/** Lists the files that no process writes to any more and that are not merged yet. No folder: there was never a receipt. */
export const completeFiles = (folder: string): string[] =>
  filesIn(folder)
    // A clock that was put back must not make them wait for it.
    .filter(({ mtimeMs }) => Math.abs(Date.now() - mtimeMs) > COMPLETE_MS)
    .map(({ path }) => path);

/** Lists all files, the newest first: kept ones, and those a worker may be writing to. */
export const allFiles = (folder: string): ReceiptFile[] =>
  [...filesIn(folder), ...filesIn(join(folder, KEPT_FOLDER))].toSorted((a, b) => b.mtimeMs - a.mtimeMs);

/** Sets a merged file aside. Another process may do so at the same time: receipts that are kept twice do no harm. */
export function keepMerged(path: string): void {
  const folder = join(dirname(path), KEPT_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  unlessGone(() => {
    const bytes = readFileSync(path);
    if (bytes.length > SMALL_BYTES) return renameSync(path, join(folder, basename(path)));
    appendTo(join(folder, String(Math.floor(Date.now() / GATHER_MS))), bytes.subarray(0, bytes.lastIndexOf('\n') + 1));
    return rmSync(path, { force: true });
  }, undefined);
}

/** Appends whole lines to a file, after one that a full disk may have cut off. */
function appendTo(path: string, lines: Uint8Array): void {
  const fd = openSync(path, 'a', 0o600);
  try {
    writeAll(fd, Buffer.concat([Buffer.from('\n'), lines]));
  } finally {
    closeSync(fd);
  }
}

/** Removes files of all databases that are older than three days. */
export function removeOldFiles(root: string): void {
  const oldest = Date.now() - KEPT_MS;
  for (const folder of subfolders(root)) {
    for (const { path, mtimeMs } of [...filesIn(folder), ...filesIn(join(folder, KEPT_FOLDER))]) {
      if (mtimeMs < oldest) rmSync(path, { force: true });
    }
  }
}

/** The first versions kept no receipts by database: theirs become this one's. They name Message-IDs, so none is mistaken. */
export function adoptOldFiles(root: string, folder: string): void {
  const files = filesIn(root);
  if (files.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { path } of files) unlessGone(() => renameSync(path, join(folder, basename(path))), undefined);
}

/** How many other databases have receipts here. */
export const otherDatabases = (root: string, folder: string): number =>
  subfolders(root).filter((path) => path !== folder && allFiles(path).length > 0).length;

export interface ReceiptFile {
  readonly path: string;
  /** A file that is still appended to grows. */
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
  /** The first versions wrote none: the file's time is that of its last line. */
  at: z.number().optional(),
  contact: z.object({ senderGroupId: z.int(), prospectId: z.int(), address: z.string() }).nullable().default(null),
});

/**
 * Reads the receipts of a file. Skips a last line that was cut off by the end of its writer.
 * @param onFault called for a whole line that is no receipt
 */
export function readReceipts(path: string, onFault: (error: unknown) => void): Receipt[] {
  return unlessGone(() => {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const { mtimeMs } = statSync(path);
    return lines.filter(Boolean).flatMap((line) => readLine(line, mtimeMs, onFault));
  }, []);
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

/** Another process may have moved or removed the file. */
function unlessGone<Result>(read: () => Result, gone: Result): Result {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return gone;
    throw error;
  }
}
