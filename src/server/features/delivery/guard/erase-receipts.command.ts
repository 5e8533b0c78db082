import type { Db } from '../../../platform/database/db.ts';
import { readRecentErasures, withoutErased } from './erased-receipts.queries.ts';
import { batches } from './merge-receipts.command.ts';
import { closedFiles, type ReceiptFile, removeUnfinished, rewriteReceipts } from './receipt-files.ts';
import type { Receipt } from './receipts.ts';

/**
 * Returns a function that replaces erased addresses by their hashes in the closed receipt files of a folder.
 * It reads a file once, and again after each further erasure or a change by another process.
 */
export function receiptEraser(db: Db): (folder: string) => Promise<void> {
  /** The erasures of the last call, and how many calls found new ones. */
  let known = { names: new Set<string>(), rounds: 0 };
  /** Paths of files without erased addresses, with the identity of their content. */
  let erased = new Map<string, string>();
  const contentOf = ({ ino, bytes }: ReceiptFile) => `${known.rounds} ${ino} ${bytes}`;

  return async (folder) => {
    removeUnfinished(folder);
    const names = await readRecentErasures(db);
    if (names.length === 0) return;
    const hasNew = names.some((name) => !known.names.has(name));
    known = { names: new Set(names), rounds: known.rounds + (hasNew ? 1 : 0) };
    const done = new Map<string, string>();
    const faults: unknown[] = [];
    for (const file of closedFiles(folder)) {
      try {
        const isKnown = erased.get(file.path) === contentOf(file);
        if (isKnown || (await rewriteReceipts(folder, file, replace))) done.set(file.path, contentOf(file));
      } catch (error) {
        // One file's fault must not stop the others.
        faults.push(error);
      }
    }
    erased = done;
    if (faults.length > 0) throw new AggregateError(faults, `${faults.length} receipt files still have addresses`);
  };

  async function replace(receipts: readonly Receipt[]): Promise<Map<Receipt, Receipt>> {
    const replaced = new Map<Receipt, Receipt>();
    for (const batch of batches(receipts)) {
      for (const [old, without] of await withoutErased(db, batch)) replaced.set(old, without);
    }
    return replaced;
  }
}
