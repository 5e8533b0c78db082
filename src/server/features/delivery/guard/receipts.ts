import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Claim } from '../leases/claim.ts';

/** Proof that the mail server accepted a mail whose result the database may lack. */
export interface Receipt {
  readonly accountId: number;
  readonly id: number;
  readonly claimNo: number;
  readonly messageId: string;
  /** Earlier attempts that count towards the limit. */
  readonly attempts: number;
  readonly reply: string;
  /** When the mail server accepted the mail, epoch milliseconds by the worker's clock. */
  readonly at: number;
  /** When the mail was claimed, epoch milliseconds by the database's clock. A later erasure covers this mail too. */
  readonly claimedAt: number;
  /** null: a test mail, or a receipt of an older version. */
  readonly contact: ReceiptContact | null;
}

export type ReceiptContact = {
  readonly senderGroupId: number;
  readonly prospectId: number;
} & (
  | { readonly address: string }
  /** The recipient's address was erased. This is its address_hash() in hexadecimal digits. */
  | { readonly addressHash: string }
);

/** Makes the receipt of a mail. @param at when the mail server accepted it, epoch milliseconds */
export function receiptOf(claim: Claim, reply: string, at: number): Receipt {
  const { accountId, id, claimNo, claimedAt, messageId, attempts, senderGroupId, prospectId, mailTo } = claim;
  const contact = claim.test ? null : { senderGroupId, prospectId, address: mailTo };
  return { accountId, id, claimNo, messageId, attempts, reply, at, claimedAt, contact };
}

export interface ReceiptWriter {
  /**
   * Writes before it returns, without fsync: the receipts survive kill -9, but not a power failure. Never throws.
   * @returns whether all are written
   */
  append(receipts: readonly Receipt[]): boolean;
  close(): void;
}

/** A larger file is closed, and a new one opened. */
const FILE_BYTES_MAX = 256 * 1024;
/** A writer opens a new file if its last write is longer ago. */
const APPEND_WITHIN_MS = 1000;
/** A file unchanged for this long, more than APPEND_WITHIN_MS, is complete, whether or not its worker is alive. */
export const COMPLETE_AFTER_MS = 3000;

/** A mail whose receipt could not be written to disk. `contact`: null for a test mail. */
export type UnwrittenMail = Pick<Receipt, 'accountId' | 'id'> & Partial<Pick<Receipt, 'contact'>>;

/** Called after writes to disk. */
export interface WriteWatch {
  readonly onWritten?: () => void;
  readonly onFault: (error: unknown, unwritten: readonly UnwrittenMail[]) => void;
}

/**
 * Appends the receipts of one worker to files, which mergeReceipts() reads when they are complete.
 * @param folder called before each write; a new folder opens a new file, null is a fault
 */
export function receiptWriter(folder: () => string | null, { onWritten, onFault }: WriteWatch): ReceiptWriter {
  /** The open file; `at`: performance.now() of the last write. */
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
    append(receipts) {
      if (receipts.length === 0) return true;
      const now = performance.now();
      try {
        const path = folder();
        if (path === null) throw new Error('the receipts were not compared with a database yet');
        if (file && (file.bytes > FILE_BYTES_MAX || now - file.at > APPEND_WITHIN_MS || file.folder !== path)) close();
        file ??= open(path);
        file.bytes += writeAll(
          file.fd,
          Buffer.from(receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join('')),
        );
        file.at = now;
        onWritten?.();
        return true;
      } catch (error) {
        // The next receipt must not continue a truncated line.
        close();
        onFault(error, receipts);
        return false;
      }
    },
  };
}

/** Writes all bytes. A nearly full disk writes some of them and then fails. @returns the number written */
export function writeAll(fd: number, bytes: Buffer): number {
  for (let written = 0; written < bytes.length; ) {
    const taken = writeSync(fd, bytes, written);
    if (taken === 0) throw new Error('the disk took no byte');
    written += taken;
  }
  return bytes.length;
}
