import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import type { Receipt } from './receipts.ts';

/** Called for a line that is no receipt. */
export type ReceiptFault = (error: unknown, path: string) => void;

/** Another process has moved or removed a receipt file. Its own class: a missing database socket is ENOENT too. */
export class ReceiptFileMoved extends Error {
  override readonly name = 'ReceiptFileMoved';
}

const receipt = z.object({
  accountId: z.int(),
  id: z.int(),
  claimNo: z.int(),
  messageId: z.string(),
  attempts: z.int(),
  reply: z.string(),
  /** Missing in the first versions: then the file's mtime, the time of its last line. */
  at: z.number().optional(),
  /** Missing before erasures had rows: then `at`, whose clock may differ. */
  claimedAt: z.number().optional(),
  contact: z
    .object({ senderGroupId: z.int(), prospectId: z.int() })
    .and(z.union([z.object({ address: z.string() }), z.object({ addressHash: z.string().regex(/^[0-9a-f]{64}$/) })]))
    .nullable()
    .default(null),
});
const CLOCK_DIFFERENCE_MS = 60_000;

/**
 * Reads the receipts of a file; skips a truncated last line.
 * @param onFault called for each other line that is no receipt
 * @throws ReceiptFileMoved
 */
export function readReceipts(path: string, onFault: ReceiptFault): Receipt[] {
  const lines = linesOf(path, onFault);
  if (lines === null) throw new ReceiptFileMoved(path);
  return lines.flatMap((line) => line.receipt ?? []);
}

export interface Line {
  readonly text: string;
  /** null: blank, unreadable, or text after the last line break. */
  readonly receipt: Receipt | null;
}

/** @returns null: another process has moved or removed the file */
export function linesOf(path: string, onFault: ReceiptFault): Line[] | null {
  const read = unlessGone(() => ({ text: readFileSync(path, 'utf8'), mtimeMs: statSync(path).mtimeMs }), null);
  if (read === null) return null;
  const lines = read.text.split('\n');
  return lines.map((text, index) => {
    const isWhole = text !== '' && index < lines.length - 1;
    return { text, receipt: isWhole ? readLine(text, read.mtimeMs, (error) => onFault(error, path)) : null };
  });
}

/** Reads a line of receipts; null: no receipt. */
export function readLine(line: string, writtenAt: number, onFault: (error: unknown) => void): Receipt | null {
  try {
    const { at = writtenAt, claimedAt = at - CLOCK_DIFFERENCE_MS, ...read } = receipt.parse(JSON.parse(line));
    return { ...read, at, claimedAt };
  } catch (error) {
    onFault(error);
    return null;
  }
}

/** Returns `gone` if another process has moved or removed the file. */
export function unlessGone<Result>(read: () => Result, gone: Result): Result {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return gone;
    throw error;
  }
}
