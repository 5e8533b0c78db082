import { updateBreaker } from './breaker.ts';
import { type DeliveryStep, isFinished } from './delivery-step.ts';
import { writeSteps } from './finish.queries.ts';
import { requeueClaims } from './lease.queries.ts';
import { pauseRefusedRuns } from './refused-senders.command.ts';
import type { WorkerContext } from './worker-context.ts';

const HEALTH_NOT_RECORDED =
  'could not record transport health or pause refused senders; the next results of this kind are recorded again';

/**
 * Commits steps, then pauses runs with refused senders and updates the circuit breaker.
 * @returns for each step, in order, whether the mail was still this worker's
 */
export async function commitSteps(worker: WorkerContext, steps: readonly DeliveryStep[]): Promise<boolean[]> {
  const { db, now, log } = worker;
  const { ours, transportHasFaults } = await writeSteps(db, steps, now());
  // The steps are committed: a failure from here on must not write and count them again.
  await followUp(worker, steps, transportHasFaults).catch((error: unknown) =>
    log.error({ err: error }, HEALTH_NOT_RECORDED),
  );
  return ours;
}

async function followUp(
  worker: WorkerContext,
  steps: readonly DeliveryStep[],
  transportHasFaults: boolean,
): Promise<void> {
  const finished = steps.filter(isFinished);
  await pauseRefusedRuns(worker.db, finished);
  const mustWait = await updateBreaker(worker, finished, transportHasFaults);
  if (mustWait) await requeueClaims(worker.db, worker.queues.takeWaiting());
}
