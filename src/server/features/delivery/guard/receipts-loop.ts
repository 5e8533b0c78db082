import { type Loop, startLoop } from '../../../platform/loop.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
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
 * old ones.
 * @param root `DATA_DIR/receipts`
 */
export function startReceiptsLoops(worker: WorkerContext, guard: ReceiptGuard, root: string): readonly Loop[] {
  const { log } = worker;
  const eraseIn = receiptEraser(worker.db);
  return [
    startLoop({
      log,
      task: 'merge delivery receipts',
      async work() {
        await merge(worker, guard.folder());
        return MERGE_EVERY_MS;
      },
    }),
    startLoop({
      log,
      task: 'compare delivery receipts with the database',
      async work() {
        await guard.compare();
        removeOldFiles(root);
        return COMPARE_EVERY_MS;
      },
    }),
    startLoop({
      log,
      task: 'take erased addresses out of delivery receipts',
      async work() {
        const folder = guard.folder();
        if (folder === null) return MERGE_EVERY_MS;
        await eraseIn(folder);
        return ERASE_EVERY_MS;
      },
    }),
  ];
}

/** Merges the complete receipt files. @param folder null: the database is not known yet */
async function merge({ db, log, now }: WorkerContext, folder: string | null): Promise<void> {
  if (folder === null) return;
  const mails = await mergeReceipts(db, folder, now(), (error, path) =>
    log.error({ err: error, path }, 'unreadable line in a receipt file; its mail may stay unknown'),
  );
  if (mails > 0) log.info({ mails }, 'merged the delivery receipts of a dead worker');
}
