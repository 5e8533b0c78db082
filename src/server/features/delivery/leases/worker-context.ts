import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/metrics/metrics.ts';
import type { SenderQueues } from './sender-queues.ts';

/** What the loops of one delivery worker share. */
export interface WorkerContext {
  /** Written to `delivery.worker_id` and `sender_connection.worker_id`; a new one for each start. */
  readonly workerId: string;
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: FastifyBaseLogger;
  readonly metrics?: Metrics | undefined;
  /**
   * The claims of this worker. The claim loop adds them, the send loop takes and removes them, the lease loop drops
   * lost ones. A pause of the transport and the wind-down requeue those that wait for a connection.
   */
  readonly queues: SenderQueues;
  /** Aborted once, by stop(): after it no loop claims a mail or begins one. */
  readonly stopping: AbortSignal;
}

/** Wait before a failed database call is tried again. */
export const RETRY_DATABASE_MS = 500;

/**
 * Repeats a task until the worker stops; logs a failure and tries again.
 * @param task for the log, an infinitive: 'claim mail'
 * @param pauseMs called after each run, returns the wait before the next; 0: none
 */
export async function repeatUntilStopped(
  { log, stopping }: Pick<WorkerContext, 'log' | 'stopping'>,
  task: string,
  work: () => Promise<unknown>,
  pauseMs: () => number,
): Promise<void> {
  while (!stopping.aborted) {
    try {
      await work();
    } catch (error) {
      log.error({ err: error }, `could not ${task}; retrying`);
      await sleep(RETRY_DATABASE_MS);
    }
    const ms = pauseMs();
    if (ms > 0) await sleep(ms, undefined, { ref: false });
  }
}
