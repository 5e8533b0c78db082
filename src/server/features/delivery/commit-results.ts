import { updateBreaker } from './breaker.ts';
import type { DeliveryResult } from './delivery-step.ts';
import { writeResults } from './finish.queries.ts';
import { requeueClaims } from './lease.queries.ts';
import { pauseRefusedRuns } from './refused-senders.command.ts';
import type { WorkerContext } from './worker-context.ts';

const HEALTH_NOT_RECORDED =
  'could not record transport health or pause refused senders; the next results of this kind are recorded again';

/** Commits results, then pauses runs with refused senders and updates the circuit breaker. */
export async function commitResults(worker: WorkerContext, results: readonly DeliveryResult[]): Promise<void> {
  const { db, now, log } = worker;
  const { transportHasFaults } = await writeResults(db, results, now());
  // The results are committed: a failure from here on must not write and count them again.
  await followUp(worker, results, transportHasFaults).catch((error: unknown) =>
    log.error({ err: error }, HEALTH_NOT_RECORDED),
  );
}

async function followUp(
  worker: WorkerContext,
  results: readonly DeliveryResult[],
  transportHasFaults: boolean,
): Promise<void> {
  await pauseRefusedRuns(worker.db, results);
  const mustWait = await updateBreaker(worker, results, transportHasFaults);
  if (mustWait) await requeueClaims(worker.db, worker.queues.takeWaiting());
}
