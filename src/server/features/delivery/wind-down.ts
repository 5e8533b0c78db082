import { setTimeout as sleep } from 'node:timers/promises';
import { type Loop, RETRY_MS } from '../../platform/loop.ts';
import { releaseConnections, requeueClaims } from './leases/lease.queries.ts';
import type { WorkerContext } from './leases/worker-context.ts';
import type { BoxLanes } from './send/box-lanes.ts';
import type { SendLoop } from './send/send-loop.ts';

/** The interval of a check in memory, without a query. */
const POLL_MS = 20;

interface WindDownParts {
  readonly worker: WorkerContext;
  readonly claims: readonly Loop[];
  /** Renews the leases of the mails being sent, until these have ended. */
  readonly renewal: Loop;
  readonly sends: SendLoop;
  readonly boxes?: Pick<BoxLanes, 'closeIdle'> | undefined;
}

/**
 * Requeues unsent mails, waits for those being sent, then releases the worker's connections.
 * Retries each step while the database is away, until the deadline.
 */
export async function windDown(
  { worker, claims, renewal, sends, boxes }: WindDownParts,
  deadline: AbortSignal,
): Promise<void> {
  const { db, workerId, queues } = worker;
  await Promise.all(claims.map((loop) => loop.stop()));
  const waiting = queues.takeWaiting();
  if (waiting.length > 0) await retryUntil(deadline, worker, 'requeue unsent mails', () => requeueClaims(db, waiting));
  while (queues.isHolding() && !deadline.aborted) await sleep(POLL_MS);
  await renewal.stop();
  // Closed before the share is released: the worker that gets it connects at once.
  sends.closeIdleLanes();
  boxes?.closeIdle();
  await retryUntil(deadline, worker, "release the senders' connections", () => releaseConnections(db, workerId));
}

/** Repeats a step of the stop until it succeeds or the deadline has passed. */
async function retryUntil(
  deadline: AbortSignal,
  { log }: WorkerContext,
  task: string,
  step: () => Promise<unknown>,
): Promise<void> {
  while (!deadline.aborted) {
    try {
      await step();
      return;
    } catch (error) {
      log.error({ err: error }, `could not ${task} while stopping; retrying until the time to stop is over`);
      await sleep(RETRY_MS);
    }
  }
}
