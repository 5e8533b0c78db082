import { requeueClaims } from '../leases/lease.queries.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { updateBreaker } from './breaker.ts';
import type { DeliveryResult } from './delivery-step.ts';
import { writeResults } from './finish.queries.ts';
import { pauseRunsOfRejectedSenders } from './rejected-senders.command.ts';
import { recordSenderLimits } from './sender-limits.command.ts';

const HEALTH_NOT_RECORDED =
  'could not record transport health or pause refused senders; the next results of this kind are recorded again';

/**
 * Commits results, then pauses refused and limited senders and updates the circuit breaker.
 * What a probe found is recorded first: another worker may probe as soon as its claim ends.
 */
export async function commitResults(
  worker: Pick<WorkerContext, 'db' | 'now' | 'log' | 'metrics' | 'queues'>,
  results: readonly DeliveryResult[],
): Promise<void> {
  const { db, now, log } = worker;
  const isProbed = results.some(({ claim }) => claim.isProbe);
  // Faults are counted once: if these results are written again, the probe has ended the first time.
  const mustWait = isProbed && (await updateBreaker(worker, results, true));
  const { transportHasFaults } = await writeResults(db, results, now());
  // The results are committed: a failure from here on must not write and count them again.
  await followUp().catch((error: unknown) => log.error({ err: error }, HEALTH_NOT_RECORDED));

  async function followUp(): Promise<void> {
    await pauseRunsOfRejectedSenders(db, results);
    const isLimited = await recordSenderLimits(worker, results);
    const isPaused = isProbed ? mustWait : await updateBreaker(worker, results, transportHasFaults);
    if (isPaused || isLimited) {
      await requeueClaims(db, worker.queues.takeWaiting());
    }
  }
}
