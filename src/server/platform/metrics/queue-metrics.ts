import { Gauge, type Registry } from 'prom-client';
import { figureGauges } from './shared-figures.ts';

/** The queue in the database, for all workers together. Ages in seconds; 0 where the queue is empty. */
export interface QueueFigures {
  /** Mails that may be sent now. */
  readonly due: number;
  /** Deferred mails: a retry, or outside the sending hours. */
  readonly deferred: number;
  /** Mails of paused runs. */
  readonly paused: number;
  /** Mails that a worker has claimed. */
  readonly inProgress: number;
  readonly oldestDueSeconds: number;
  /** Mails with an unknown outcome that no user has resolved yet. */
  readonly unknown: number;
  readonly reservationsDue: number;
  /** Missed reservations that their owners have not deleted yet. */
  readonly reservationsMissed: number;
  readonly oldestReservationSeconds: number;
  /** 1 while no worker claims mail because the mail server does not answer. */
  readonly transportPaused: number;
  /** Consecutive faults of the mail server. */
  readonly transportFaults: number;
  /** 1 while no worker claims mail because the database lacks mails that were sent. */
  readonly databaseRewound: number;
}

/**
 * Registers gauges of the queue, read from the database at each scrape.
 * Without an answer of the database they are absent, so that no stale value is shown as current.
 */
export function addQueueMetrics(registry: Registry, read: () => Promise<QueueFigures>): void {
  const { figures, gauge } = figureGauges(registry, read);

  new Gauge({
    name: 'kaitaku_queue_mails',
    help: 'Mails of all workers: due, deferred to a later time, of paused runs, and in progress',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset();
      const shown = await figures();
      if (shown === null) return;
      this.set({ state: 'due' }, shown.due);
      this.set({ state: 'deferred' }, shown.deferred);
      this.set({ state: 'paused' }, shown.paused);
      this.set({ state: 'in_progress' }, shown.inProgress);
    },
  });
  gauge(
    'kaitaku_queue_oldest_due_seconds',
    'How long the oldest due mail has waited',
    ({ oldestDueSeconds }) => oldestDueSeconds,
  );
  gauge('kaitaku_unknown_mails', 'Mails of which nobody knows whether they arrived', ({ unknown }) => unknown);
  gauge('kaitaku_reservations_due', 'Reservations whose time has come', ({ reservationsDue }) => reservationsDue);
  gauge(
    'kaitaku_reservations_missed',
    'Reservations that came too late to be sent and are not deleted yet',
    ({ reservationsMissed }) => reservationsMissed,
  );
  gauge(
    'kaitaku_reservations_oldest_due_seconds',
    'How long the oldest due reservation has waited',
    ({ oldestReservationSeconds }) => oldestReservationSeconds,
  );
  gauge(
    'kaitaku_transport_paused',
    '1 while all mails wait because the mail server does not answer',
    ({ transportPaused }) => transportPaused,
  );
  gauge(
    'kaitaku_transport_faults',
    'Faults of the mail server in a row, over all workers',
    ({ transportFaults }) => transportFaults,
  );
  gauge(
    'kaitaku_database_rewound',
    '1 while all mails wait because the database is in an older state than the mails that were sent from it',
    ({ databaseRewound }) => databaseRewound,
  );
}
