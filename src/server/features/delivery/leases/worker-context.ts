import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../../platform/database/db.ts';
import type { Metrics } from '../../../platform/metrics/metrics.ts';
import type { BoxKey } from './claim.ts';
import type { SenderQueues } from './sender-queues.ts';

/** Connections to mailboxes (send/box-lanes), of which the worker must keep its share. */
export interface OpenBoxes {
  readonly open: () => readonly BoxKey[];
  /** Closes idle connections whose share another worker may have. */
  readonly closeLost: (lost: readonly BoxKey[]) => void;
}

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
  /** The mailboxes whose connection this worker holds open; undefined: none. */
  readonly boxes?: OpenBoxes | undefined;
  /** Aborted once, by stop(): afterwards no loop claims a mail or starts sending one. */
  readonly stopping: AbortSignal;
}
