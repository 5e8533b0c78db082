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
