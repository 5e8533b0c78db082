import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { type Finished, writeSteps } from './finish.queries.ts';
import { type Receipt, readReceipts, removeFile, wholeFiles } from './receipts.ts';

/** The most mails of one statement. */
const BATCH = 1000;

/**
 * Writes what dead workers of this machine had heard from the mail server and not written any more: such a mail is `sent`, also when it
 * was swept to `unknown` meanwhile. Any process may, any number at once; what is written already stays as it is.
 * @param now epoch milliseconds @param onFault told of what stands in the files and is no receipt
 * @returns how many mails were found to be sent
 */
export async function mergeReceipts(
  db: Db,
  folder: string,
  now: number,
  onFault: (error: unknown) => void,
): Promise<number> {
  let merged = 0;
  for (const path of wholeFiles(folder)) {
    const receipts = readReceipts(path, onFault);
    for (let from = 0; from < receipts.length; from += BATCH) {
      const steps = await findUnwritten(db, receipts.slice(from, from + BATCH));
      if (steps.length === 0) continue;
      const { ours } = await writeSteps(db, steps, now);
      merged += ours.filter(Boolean).length;
    }
    removeFile(path);
  }
  return merged;
}

/** Of these mails those whose row is still at that try and does not know how it ended. */
async function findUnwritten(db: Db, receipts: readonly Receipt[]): Promise<Finished[]> {
  const { rows } = await sql<Omit<Finished['claim'], 'reservedFor' | 'isProbe'> & { reply: string; at: number }>`
    SELECT d.account_id AS "accountId", d.id, d.claim_no AS "claimNo", d.send_log_id AS "sendLogId", d.test_send_mode AS test,
      receipt.attempts, receipt.reply, receipt.at
    FROM unnest(${receipts.map(({ accountId }) => accountId)}::bigint[], ${receipts.map(({ id }) => id)}::bigint[],
      ${receipts.map(({ claimNo }) => claimNo)}::integer[], ${receipts.map(({ messageId }) => messageId)}::text[],
      ${receipts.map(({ attempts }) => attempts)}::integer[], ${receipts.map(({ reply }) => reply)}::text[],
      ${receipts.map(({ at }) => at)}::double precision[])
      AS receipt (account_id, id, claim_no, message_id, attempts, reply, at)
    JOIN delivery d ON d.account_id = receipt.account_id AND d.id = receipt.id AND d.claim_no = receipt.claim_no
      AND d.message_id = receipt.message_id
    WHERE d.state IN ('sending', 'unknown') OR d.state = 'queued' AND d.maybe_sent`.execute(db);
  return rows.map(({ reply, at, ...mail }) => ({
    at,
    claim: { ...mail, reservedFor: null, isProbe: false },
    outcome: { kind: 'sent', reply },
  }));
}
