import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { isNotSettled } from '../../../platform/database/frozen.ts';
import { shareAccount } from '../../../platform/database/lock-account.ts';
import type { DeliveryResult } from '../leases/delivery-result.ts';
import { readInstallation } from '../pauses/installation.queries.ts';
import { writeResults } from '../results/journal.queries.ts';
import { countDenied, writeDenied } from './denied-receipts.queries.ts';
import {
  type ComparedReceipt,
  findLostErasures,
  isCompared,
  type LostErasure,
  laterErasure,
  receiptRows,
} from './erased-receipts.queries.ts';
import { archiveMerged, completeFiles, eachFile, receiptsOf, unarchivedFiles, unknownOf } from './receipt-files.ts';
import { type ReceiptFault, ReceiptFileMoved, readReceipts } from './receipt-lines.ts';
import type { Receipt } from './receipts.ts';
import { countDeniedUnknown, writeDeniedUnknown } from './unknown-mails.queries.ts';
import { readUnknownMails } from './unknown-mails.ts';

/** The most mails in one statement. */
const BATCH_MAX = 1000;

/**
 * Sets mails to `sent` that the server accepted, but whose worker died before recording the result.
 * This includes mails that the sweep set to unknown. Mails with a result stay unchanged. Any number of processes may
 * run it at once.
 * @param folder of this database's receipts
 * @param now epoch milliseconds
 * @param onFault called for each unreadable line
 * @returns how many mails were set to `sent`
 */
export async function mergeReceipts(db: Db, folder: string, now: number, onFault: ReceiptFault): Promise<number> {
  let merged = 0;
  for (const path of completeFiles(folder)) {
    try {
      merged += await mergeFile(db, path, now, onFault);
      archiveMerged(path);
    } catch (error) {
      // Another worker has merged it.
      if (!(error instanceof ReceiptFileMoved)) throw error;
    }
  }
  return merged;
}

/** Merges all receipts that no merge has archived, those of files still being written too. */
export async function mergeUnarchived(db: Db, folder: string, now: number, onFault: ReceiptFault): Promise<void> {
  for (let hasMoved = true; hasMoved; ) {
    hasMoved = false;
    for (const path of unarchivedFiles(folder)) {
      try {
        await mergeFile(db, path, now, onFault);
      } catch (error) {
        // Another worker is archiving it, and has merged it.
        if (!(error instanceof ReceiptFileMoved)) throw error;
        hasMoved = true;
      }
    }
  }
}

/** Merges one file, even if an earlier server merged it. @returns how many mails were set to `sent` */
export async function mergeFile(db: Db, path: string, now: number, onFault: ReceiptFault): Promise<number> {
  let merged = 0;
  for (const receipts of batches(readReceipts(path, onFault))) {
    const steps = await findUnwritten(db, receipts);
    if (steps.length === 0) continue;
    await restoreAddresses(db, receipts.filter(isCompared), steps);
    const { ours } = await writeResults(db, steps, now);
    merged += ours.filter(Boolean).length;
  }
  return merged;
}

/** Finds the receipts whose row still has their claim number and no result. */
async function findUnwritten(db: Db, receipts: readonly Receipt[]): Promise<DeliveryResult[]> {
  const { rows } = await sql<
    Omit<DeliveryResult['claim'], 'reservedFor' | 'calendar' | 'isProbe'> & { reply: string; at: number }
  >`
    SELECT d.account_id AS "accountId", d.id, d.claim_no AS "claimNo", d.send_log_id AS "sendLogId",
      d.test_send_mode AS test, receipt.attempts, receipt.reply, receipt.at
    FROM unnest(${receipts.map(({ accountId }) => accountId)}::bigint[], ${receipts.map(({ id }) => id)}::bigint[],
      ${receipts.map(({ claimNo }) => claimNo)}::integer[], ${receipts.map(({ messageId }) => messageId)}::text[],
      ${receipts.map(({ attempts }) => attempts)}::integer[], ${receipts.map(({ reply }) => reply)}::text[],
      ${receipts.map(({ at }) => at)}::double precision[])
      AS receipt (account_id, id, claim_no, message_id, attempts, reply, at)
    JOIN delivery d ON d.account_id = receipt.account_id AND d.id = receipt.id AND d.claim_no = receipt.claim_no
      AND d.message_id = receipt.message_id
    WHERE (d.state IN ('sending', 'unknown') OR d.state = 'queued' AND d.maybe_sent)
      AND ${isNotSettled('d.account_id')}`.execute(db);
  return rows.map(({ reply, at, ...mail }) => ({
    at,
    claim: { ...mail, reservedFor: null, calendar: null, isProbe: false },
    outcome: { kind: 'sent', reply },
  }));
}

/**
 * Sets mails that are queued again back to the address they were sent to: their company may have moved since. An
 * address erased since is replaced by its hash, as in the mails that an erasure finds.
 *
 * A concurrent claim rightly sends such a mail to the company's present address. Until then the mail does not hold the
 * address (`shares_address`, see claim/recheck.queries.ts), which another mail may have.
 */
async function restoreAddresses(
  db: Db,
  receipts: readonly ComparedReceipt[],
  steps: readonly DeliveryResult[],
): Promise<void> {
  const unwritten = new Set(steps.map(({ claim }) => `${claim.accountId} ${claim.id}`));
  const asked = receipts.filter(({ accountId, id }) => unwritten.has(`${accountId} ${id}`));
  const moved = sql`
    FROM ${receiptRows(asked)}
    JOIN delivery d ON d.account_id = receipt.account_id AND d.id = receipt.id AND d.claim_no = receipt.claim_no
      AND d.message_id = receipt.message_id
    LEFT JOIN LATERAL (SELECT erased.hash FROM ${laterErasure}) AS erasure ON true
    WHERE d.state = 'queued' AND d.maybe_sent AND d.erased_hash IS NULL
      AND receipt.address_key IS DISTINCT FROM d.address_key
      AND (receipt.address IS NOT NULL OR erasure.hash IS NOT NULL)`;
  const { rows } = await sql<{ id: number }>`SELECT DISTINCT d.account_id AS id ${moved} ORDER BY 1`.execute(db);
  if (rows.length === 0) return;
  await db.transaction().execute(async (tx) => {
    // Waits for a running erasure: what it erases must not be written back.
    for (const { id } of rows) await shareAccount(tx, id);
    await sql`
      WITH moved AS (
        SELECT d.account_id, d.id, receipt.address, erasure.hash ${moved}
        ORDER BY d.account_id, d.id FOR UPDATE OF d
      )
      UPDATE delivery d
      SET mail_to = CASE WHEN moved.hash IS NULL THEN moved.address END, erased_hash = moved.hash,
        person_id = CASE WHEN moved.hash IS NULL THEN d.person_id END,
        person_in_charge = CASE WHEN moved.hash IS NULL THEN d.person_in_charge ELSE '' END,
        merge_values = CASE WHEN moved.hash IS NULL THEN d.merge_values END, shares_address = true
      FROM moved WHERE d.account_id = moved.account_id AND d.id = moved.id`.execute(tx);
  });
}

/** The results of restoring receipts into a database that was set back. */
export interface Restored {
  /** Mails set to `sent`. */
  readonly sent: number;
  /** Mails that are `unknown` again. */
  readonly unknown: number;
  /** Mails without a row whose addresses now count as contacted. */
  readonly contacted: number;
  /** Companies of such mails that were removed from reservations. */
  readonly taken: number;
}

/**
 * Restores sent and unknown mails and contacts from this machine's receipts to a database that was set back.
 * Receipts come first: a mail accepted on a later attempt is no longer unknown.
 * @param root `DATA_DIR/receipts`
 * @param onFault called for each unreadable line
 */
export async function restoreFromReceipts(db: Db, root: string, onFault: (error: unknown) => void): Promise<Restored> {
  const total = { sent: 0, unknown: 0, contacted: 0, taken: 0 };
  const folder = receiptsOf(root, (await readInstallation(db)).id);
  await eachFile(folder, async ({ path }) => {
    for (const receipts of batches(readReceipts(path, onFault).filter(isCompared))) {
      const { sent, contacted, taken } = await db.transaction().execute((tx) => writeDenied(tx, receipts));
      total.sent += sent;
      total.contacted += contacted;
      total.taken += taken;
    }
    return false;
  });
  await eachFile(unknownOf(folder), async ({ path }) => {
    for (const mails of batches(readUnknownMails(path, onFault))) {
      const { unknown, contacted, taken } = await db.transaction().execute((tx) => writeDeniedUnknown(tx, mails));
      total.unknown += unknown;
      total.contacted += contacted;
      total.taken += taken;
    }
    return false;
  });
  return total;
}

/** Counts the receipts and unknown mails of this machine that the database denies. @param root `DATA_DIR/receipts` */
export async function countAllDenied(db: Db, root: string, onFault: ReceiptFault): Promise<number> {
  const folder = receiptsOf(root, (await readInstallation(db)).id);
  const deniedByFile = new Map<string, number>();
  await eachFile(folder, async ({ path }) => {
    deniedByFile.set(path, await countDeniedIn(db, path, onFault));
    return false;
  });
  await eachFile(unknownOf(folder), async ({ path }) => {
    deniedByFile.set(path, await countUnknownDeniedIn(db, path, onFault));
    return false;
  });
  return [...deniedByFile.values()].reduce((sum, count) => sum + count, 0);
}

/** Counts the receipts of a file that the database denies. */
export async function countDeniedIn(db: Db, path: string, onFault: ReceiptFault): Promise<number> {
  let count = 0;
  for (const receipts of batches(readReceipts(path, onFault).filter(isCompared))) {
    count += await countDenied(db, receipts);
  }
  return count;
}

/** Counts the unknown mails of a file that the database denies. */
export async function countUnknownDeniedIn(db: Db, path: string, onFault: ReceiptFault): Promise<number> {
  let count = 0;
  for (const mails of batches(readUnknownMails(path, onFault))) count += await countDeniedUnknown(db, mails);
  return count;
}

/** Lists the erasures that this machine's receipts prove but a set-back database lacks. */
export async function listLostErasures(db: Db, root: string, onFault: ReceiptFault): Promise<LostErasure[]> {
  const { id } = await readInstallation(db);
  const found: LostErasure[] = [];
  await eachFile(receiptsOf(root, id), async ({ path }) => {
    found.push(...(await findLostIn(db, path, onFault)));
    return false;
  });
  const sameErasures = Map.groupBy(found, ({ accountId, addressHash }) => `${accountId} ${addressHash}`);
  return [...sameErasures.values()].flatMap((same) => {
    const prospectIds = [...new Set(same.flatMap((erasure) => erasure.prospectIds))];
    return same.slice(0, 1).map((erasure) => ({ ...erasure, prospectIds }));
  });
}

/** Finds the erasures that the receipts of a file prove but the database lacks. */
export async function findLostIn(db: Db, path: string, onFault: ReceiptFault): Promise<LostErasure[]> {
  const found: LostErasure[] = [];
  for (const receipts of batches(readReceipts(path, onFault))) found.push(...(await findLostErasures(db, receipts)));
  return found;
}

/** Splits receipts, or unknown mails, into batches of one statement each. */
export function* batches<Kind>(all: readonly Kind[]): Generator<Kind[]> {
  for (let from = 0; from < all.length; from += BATCH_MAX) yield all.slice(from, from + BATCH_MAX);
}
