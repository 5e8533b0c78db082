import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';
import { countDenied, isCompared, writeDenied } from './denied-receipts.queries.ts';
import { type Finished, writeSteps } from './finish.queries.ts';
import { clearRewound, readInstallation } from './installation.queries.ts';
import { allFiles, completeFiles, keepMerged, type Receipt, readReceipts, receiptsOf } from './receipts.ts';

/** The most mails of one statement. */
const BATCH = 1000;

/**
 * Writes what dead workers of this machine had heard from the mail server and could not write: such a mail is `sent`, also when it was swept
 * to `unknown` meanwhile. Any number of processes may run it at once; mails that are settled stay as they are.
 * @param folder of this database's receipts @param now epoch milliseconds @param onFault called for each line that is no receipt
 * @returns how many mails were set to `sent`
 */
export async function mergeReceipts(
  db: Db,
  folder: string,
  now: number,
  onFault: (error: unknown) => void,
): Promise<number> {
  let merged = 0;
  for (const path of completeFiles(folder)) {
    merged += await mergeFile(db, path, now, onFault);
    keepMerged(path);
  }
  return merged;
}

/** Merges one file, which may have been merged into another server before. @returns as mergeReceipts() */
export async function mergeFile(db: Db, path: string, now: number, onFault: (error: unknown) => void): Promise<number> {
  let merged = 0;
  for (const receipts of batches(readReceipts(path, onFault))) {
    const steps = await findUnwritten(db, receipts);
    if (steps.length === 0) continue;
    const { ours } = await writeSteps(db, steps, now);
    merged += ours.filter(Boolean).length;
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

/** What a database that was in an older state was given back. */
export interface Restored {
  /** Mails that were set to `sent`. */
  readonly sent: number;
  /** Mails without a row: their addresses count as contacted. */
  readonly contacted: number;
}

/**
 * Writes to a database in an older state what this machine's receipts know: the mails that left are `sent`, and their addresses contacted.
 * @param root `DATA_DIR/receipts` @param onFault called for each line that is no receipt
 */
export async function restoreFromReceipts(db: Db, root: string, onFault: (error: unknown) => void): Promise<Restored> {
  const total = { sent: 0, contacted: 0 };
  const { id } = await readInstallation(db);
  for (const { path } of allFiles(receiptsOf(root, id))) {
    for (const receipts of batches(readReceipts(path, onFault).filter(isCompared))) {
      const { sent, contacted } = await db.transaction().execute((tx) => writeDenied(tx, receipts));
      total.sent += sent;
      total.contacted += contacted;
    }
  }
  return total;
}

/**
 * Lets workers claim again.
 * @returns `denied`: how many receipts of this machine the database still denies, so that nothing was changed; `paused`: whether it was
 */
export async function resumeSending(
  db: Db,
  root: string,
  onFault: (error: unknown) => void,
): Promise<{ denied: number; paused: boolean }> {
  const { id } = await readInstallation(db);
  let denied = 0;
  for (const { path } of allFiles(receiptsOf(root, id))) denied += await countDeniedIn(db, path, onFault);
  return { denied, paused: denied === 0 && (await clearRewound(db)) };
}

/** @returns how many receipts of a file the database denies */
export async function countDeniedIn(db: Db, path: string, onFault: (error: unknown) => void): Promise<number> {
  let count = 0;
  for (const receipts of batches(readReceipts(path, onFault).filter(isCompared))) {
    count += await countDenied(db, receipts);
  }
  return count;
}

function* batches<Kind extends Receipt>(receipts: readonly Kind[]): Generator<Kind[]> {
  for (let from = 0; from < receipts.length; from += BATCH) yield receipts.slice(from, from + BATCH);
}
