import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { KeepUnknown, UnknownMail } from '../leases/claim.ts';
import { appendUnknown, receiptsOf } from './receipt-files.ts';
import { type ReceiptFault, unlessGone } from './receipt-lines.ts';
import type { WriteWatch } from './receipts.ts';

/*
 * Writes a line for each mail that becomes unknown to disk before the commit (decisions/receipts). A database set back
 * to before the mark would send the mail again, and no receipt would deny that.
 */

const unknownMail = z.object({
  accountId: z.int(),
  id: z.int(),
  claimNo: z.int(),
  claimedAt: z.number(),
  messageId: z.string(),
  attempts: z.int(),
  senderGroupId: z.int(),
  prospectId: z.int(),
});

/** Returns a function that appends unknown mails to a file, without fsync. @param root `DATA_DIR/receipts` */
export const unknownKeeper =
  (root: string, { onWritten, onFault }: WriteWatch): KeepUnknown =>
  (databaseId, mails) => {
    try {
      // The schema drops the fields of a claim that a line does not need.
      const lines = mails.map((mail) => `${JSON.stringify(unknownMail.parse(mail))}\n`);
      appendUnknown(receiptsOf(root, databaseId), Buffer.from(lines.join('')));
      onWritten?.();
    } catch (error) {
      onFault(error, mails);
    }
  };

/** Reads the unknown mails of a file; skips a truncated last line. */
export function readUnknownMails(path: string, onFault: ReceiptFault): UnknownMail[] {
  const lines = unlessGone(() => readFileSync(path, 'utf8'), '')
    .split('\n')
    .slice(0, -1);
  return lines.filter((line) => line !== '').flatMap((line) => readLine(line, (error) => onFault(error, path)));
}

function readLine(line: string, onFault: (error: unknown) => void): UnknownMail | [] {
  try {
    return unknownMail.parse(JSON.parse(line));
  } catch (error) {
    onFault(error);
    return [];
  }
}
