import { hostname } from 'node:os';
import { type Loop, startLoop } from '../../../platform/loop.ts';
import type { WorkSignal } from '../../../platform/work-signal.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { receiptEraser } from './erase-receipts.command.ts';
import { mergeReceipts, mergeUnarchived } from './merge-receipts.command.ts';
import { moveReceiptKeeper } from './move-receipts.ts';
import { removeOldFiles } from './receipt-files.ts';
import type { ReceiptGuard } from './receipt-guard.ts';
import type { ReceiptFault } from './receipt-lines.ts';
import type { ReceiptWatch } from './receipt-watch.command.ts';
import { markMerged, seeWorker } from './receipt-workers.queries.ts';

const MERGE_EVERY_MS = 1000;
const KEEP_MOVES_EVERY_MS = 60_000;
const TELL_EVERY_MS = 10_000;

interface ReceiptParts {
  readonly guard: ReceiptGuard;
  readonly watch: Pick<ReceiptWatch, 'tellAccounts'>;
  /** `DATA_DIR/receipts`. */
  readonly root: string;
  readonly workSignal: WorkSignal | undefined;
}

/** The periodic tasks for a machine's receipts (commands/tasks/periodic-tasks.ts). */
export interface ReceiptTasks {
  /** Compares receipts with the database, and removes receipts older than three days. */
  compare(): Promise<void>;
  /** Removes erased addresses from the closed files. @returns ms to the next try while no folder is known */
  erase(): Promise<number | undefined>;
}

export function receiptTasks(worker: Pick<WorkerContext, 'db'>, { guard, root }: ReceiptParts): ReceiptTasks {
  const eraseIn = receiptEraser(worker.db);
  return {
    async compare() {
      await guard.compare();
      removeOldFiles(root);
    },
    async erase() {
      const folder = guard.folder();
      if (folder === null) return MERGE_EVERY_MS;
      await eraseIn(folder);
      return undefined;
    },
  };
}

/** Merges receipts of dead workers, keeps those of moves, and notifies accounts whose mails have no receipt. */
export function startReceiptsLoops(
  worker: WorkerContext,
  { guard, watch, root, workSignal }: ReceiptParts,
): readonly Loop[] {
  const { log } = worker;
  const keepMoves = moveReceiptKeeper(worker.db);
  return [
    startLoop({
      log,
      task: 'merge delivery receipts',
      async work() {
        if (guard.folder() === null) await guard.compare();
        await merge(worker, guard.folder());
        return MERGE_EVERY_MS;
      },
    }),
    startLoop({
      log,
      task: 'tell a freeze that delivery receipts are merged',
      wake: workSignal?.subscribe,
      work: () => tellMerged(worker, guard.folder(), root),
    }),
    startLoop({
      log,
      task: 'keep receipts of moved accounts',
      // A move wakes the loop at once: until its receipt is written, a restored database would not know of the move.
      wake: workSignal?.subscribe,
      retryMs: KEEP_MOVES_EVERY_MS,
      async work() {
        const folder = guard.folder();
        if (folder === null) return MERGE_EVERY_MS;
        await keepMoves(folder);
        return KEEP_MOVES_EVERY_MS;
      },
    }),
    startLoop({
      log,
      task: 'tell accounts that delivery receipts cannot be written',
      async work() {
        await watch.tellAccounts();
        return TELL_EVERY_MS;
      },
    }),
  ];
}

/** The heartbeat interval of a worker; less than a third of DEAD_SECONDS. */
const SHOW_EVERY_MS = 8000;
/** The shorter interval while a freeze waits for the receipts. */
const AWAITED_MS = 500;

/** Sends the worker's heartbeat, and merges its receipts where a freeze waits for them. @returns ms to the next call */
export async function tellMerged(
  { db, log, now, workerId }: Pick<WorkerContext, 'db' | 'log' | 'now' | 'workerId'>,
  folder: string | null,
  root: string,
): Promise<number> {
  const worker = { workerId, machine: `${hostname()} ${root}` };
  const { at, isAwaited } = await seeWorker(db, worker);
  if (!isAwaited) return SHOW_EVERY_MS;
  if (folder !== null) {
    await mergeUnarchived(db, folder, now(), onUnreadable(log));
    await markMerged(db, worker, at);
  }
  return AWAITED_MS;
}

const onUnreadable =
  (log: WorkerContext['log']): ReceiptFault =>
  (error, path) =>
    log.error({ err: error, path }, 'unreadable line in a receipt file; its mail may stay unknown');

/** Merges the complete receipt files. @param folder null: the database's id is not known yet */
async function merge({ db, log, now }: WorkerContext, folder: string | null): Promise<void> {
  if (folder === null) return;
  const mails = await mergeReceipts(db, folder, now(), onUnreadable(log));
  if (mails > 0) log.info({ mails }, 'merged the delivery receipts of a dead worker');
}
