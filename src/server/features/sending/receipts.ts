import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The mail server's word that it has a mail: all that the database may not know yet. */
export interface Receipt {
  readonly accountId: number;
  readonly id: number;
  readonly claimNo: number;
  /** Tells the mail from one of another database that has the same numbers. */
  readonly messageId: string;
  /** Before this try. */
  readonly attempts: number;
  readonly reply: string;
  /** When it was said, epoch milliseconds by the worker's clock. */
  readonly at: number;
}

export interface ReceiptBook {
  /** On disk when it returns, so that it outlives kill -9 (not a loss of power: nothing waits for fsync). Never throws. */
  keep(receipts: readonly Receipt[]): void;
  close(): void;
}

/** Beyond this a file is left behind for whoever merges it. */
const MAX_BYTES = 256 * 1024;
/** Nobody writes to a file again that has rested for so long… */
const FRESH_MS = 1000;
/** …so that one that has rested for so long is whole, whether its worker lives or not. */
const WHOLE_MS = 3000;

/**
 * Where one worker notes what the mail server has taken before the database hears of it. Files are only ever appended to, and given up
 * after a short rest; mergeReceipts() (merge-receipts.command.ts) writes what the database lacks of them and removes them.
 */
export function receiptBook(folder: string, onFault: (error: unknown) => void): ReceiptBook {
  let file: { readonly fd: number; bytes: number; at: number } | null = null;

  const close = () => {
    if (file) closeSync(file.fd);
    file = null;
  };

  function open() {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { fd: openSync(join(folder, randomUUID()), 'ax', 0o600), bytes: 0, at: 0 };
  }

  return {
    close,
    keep(receipts) {
      if (receipts.length === 0) return;
      const now = performance.now();
      try {
        if (file && (file.bytes > MAX_BYTES || now - file.at > FRESH_MS)) close();
        file ??= open();
        file.bytes += writeAll(
          file.fd,
          Buffer.from(receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join('')),
        );
        file.at = now;
      } catch (error) {
        // What stands half in it must not run into what comes next.
        close();
        onFault(error);
      }
    },
  };
}

/** A disk that is nearly full takes a part, and says what is wrong when it is asked to take the rest. @returns how many bytes it was */
function writeAll(fd: number, bytes: Buffer): number {
  for (let written = 0; written < bytes.length; ) {
    const taken = writeSync(fd, bytes, written);
    if (taken === 0) throw new Error('nothing was written');
    written += taken;
  }
  return bytes.length;
}

/** Files that nobody writes to any more, of this and other processes. No folder: there has never been a receipt. */
export function wholeFiles(folder: string): string[] {
  try {
    return (
      readdirSync(folder)
        .map((name) => join(folder, name))
        // A clock that was put back must not make them wait for it.
        .filter((path) => Math.abs(Date.now() - statSync(path).mtimeMs) > WHOLE_MS)
    );
  } catch (error) {
    return noneIfGone(error);
  }
}

const receipt = z.object({
  accountId: z.int(),
  id: z.int(),
  claimNo: z.int(),
  messageId: z.string(),
  attempts: z.int(),
  reply: z.string(),
  /** The first versions wrote none: the file then tells when its last line was written. */
  at: z.number().optional(),
});

/**
 * Reads the receipts of a file. Skips a last line that was cut off by the end of its writer.
 * @param onFault called for a whole line that is no receipt
 */
export function readReceipts(path: string, onFault: (error: unknown) => void): Receipt[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    const { mtimeMs } = statSync(path);
    return lines.flatMap((line) => readLine(line, mtimeMs, onFault));
  } catch (error) {
    return noneIfGone(error);
  }
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

/** Another process may have merged and removed it. */
function noneIfGone(error: unknown): [] {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
  throw error;
}

export const removeFile = (path: string): void => rmSync(path, { force: true });
