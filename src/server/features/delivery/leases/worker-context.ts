import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/metrics/metrics.ts';
import type { SenderQueues } from './sender-queues.ts';

/** What the loops of one delivery worker share. */
export interface WorkerContext {
  /** Written to `delivery.worker_id` and `sender_connection.worker_id`; each start gets a new one. */
  readonly workerId: string;
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: FastifyBaseLogger;
  readonly metrics?: Metrics | undefined;
  /**
   * The claims of this worker. The claim loop adds them, the send loop takes and removes them, and the lease loop drops
   * lost ones. The wind-down, and a pause of the transport, requeue those that wait for a connection.
   */
  readonly queues: SenderQueues;
  /** Aborted once, by stop(): afterwards no loop claims a mail or starts sending one. */
  readonly stopping: AbortSignal;
}
