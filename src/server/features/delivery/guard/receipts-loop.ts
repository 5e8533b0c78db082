import { repeatUntilStopped, type WorkerContext } from '../leases/worker-context.ts';
import { receiptEraser } from './erase-receipts.command.ts';
import { mergeReceipts } from './merge-receipts.command.ts';
import { removeOldFiles } from './receipt-files.ts';
import type { ReceiptGuard } from './receipt-guard.ts';

const MERGE_EVERY_MS = 1000;
const COMPARE_EVERY_MS = 60_000;
/** Less than the minute within which an erased address is out of the closed files. */
const ERASE_EVERY_MS = 30_000;

/**
 * Merges receipts of dead workers, compares receipts with the database, takes erased addresses out of them and removes
 * old ones, until the worker stops.
 * @param root `DATA_DIR/receipts`
 */
export function startReceiptsLoop(worker: WorkerContext, guard: ReceiptGuard, root: string): void {
  void repeatUntilStopped(
    worker,
    'merge delivery receipts',
    () => merge(worker, guard.folder()),
    () => MERGE_EVERY_MS,
  );
  void repeatUntilStopped(
    worker,
    'compare delivery receipts with the database',
    async () => {
      await guard.compare();
      removeOldFiles(root);
    },
    () => COMPARE_EVERY_MS,
  );
  const eraseIn = receiptEraser(worker.db);
  void repeatUntilStopped(
    worker,
    'take erased addresses out of delivery receipts',
    async () => {
      const folder = guard.folder();
      if (folder !== null) await eraseIn(folder);
    },
    () => (guard.folder() === null ? MERGE_EVERY_MS : ERASE_EVERY_MS),
  );
}

/** Merges the complete receipt files. @param folder null: the database is not known yet */
async function merge({ db, log, now }: WorkerContext, folder: string | null): Promise<void> {
  if (folder === null) return;
  const mails = await mergeReceipts(db, folder, now(), (error, path) =>
    log.error({ err: error, path }, 'unreadable line in a receipt file; its mail may stay unknown'),
  );
  if (mails > 0) log.info({ mails }, 'merged the delivery receipts of a dead worker');
}
