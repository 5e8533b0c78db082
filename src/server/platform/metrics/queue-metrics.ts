import { setTimeout as sleep } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { TaskAge } from '../tasks/periodic-tasks.ts';

const ANSWER_WITHIN_MS = 2000;

/**
 * Returns a function that reads figures from the database, shared by the gauges of one scrape.
 * Runs one query at a time, so that scrapes cannot pile up on a hanging database. Without an answer returns null, so
 * that no stale value is shown.
 */
function sharedFigures<Figures>(read: () => Promise<Figures>): () => Promise<Figures | null> {
  let asking: Promise<Figures | null> | null = null;
  return () => {
    asking ??= read()
      .catch(() => null)
      .finally(() => {
        asking = null;
      });
    return Promise.race([asking, sleep(ANSWER_WITHIN_MS, null, { ref: false })]);
  };
}

/**
 * Returns a function that registers gauges of figures, which one query reads at each scrape.
 * A gauge is absent without an answer, or if its figure is null.
 */
function figureGauges<Figures extends object>(registry: Registry, read: () => Promise<Figures | null>) {
  const figures = sharedFigures(read);
  const gauge = (name: string, help: string, figureOf: (shown: Figures) => number | null) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const shown = await figures();
        const figure = shown && figureOf(shown);
        if (figure === null) this.remove();
        else this.set(figure);
      },
    });
  return { figures, gauge };
}

/** The queue in the database, for all workers together. Ages in seconds; 0 for an empty queue. */
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
  readonly frozenAccounts: number;
  /** Requests from outside held for frozen accounts. */
  readonly heldArrivals: number;
  /** Mailboxes whose log-in this process cannot open: it sends none of their mails. */
  readonly mailboxesWithoutKey: number;
}

/**
 * Registers gauges of the queue, read from the database at each scrape.
 * Without an answer of the database they are absent, so that no stale value is shown.
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
    'kaitaku_accounts_frozen',
    'Accounts whose data is being moved: nothing of them is sent',
    (shown) => shown.frozenAccounts,
  );
  gauge(
    'kaitaku_held_arrivals',
    'Refusals, mails and events that came for frozen or moved accounts, and wait',
    ({ heldArrivals }) => heldArrivals,
  );
  gauge(
    'kaitaku_mailboxes_without_key',
    'Mailboxes whose log-in is sealed under a key that this process lacks: it sends none of their mails',
    ({ mailboxesWithoutKey }) => mailboxesWithoutKey,
  );
  gauge(
    'kaitaku_database_rewound',
    '1 while all mails wait because the database is in an older state than the mails that were sent from it',
    ({ databaseRewound }) => databaseRewound,
  );
}

/** The mailbox of bounces and replies, for all workers together. */
export interface InboxFigures {
  readonly secondsSinceRead: number;
  /** 1: the last try to read it failed. */
  readonly isFaulty: number;
}

/** Registers gauges of the inbox, read at each scrape. Without an answer of the database they are absent. */
export function addInboxMetrics(registry: Registry, read: () => Promise<InboxFigures | null>): void {
  const { gauge } = figureGauges(registry, read);
  gauge(
    'kaitaku_inbox_seconds_since_read',
    'How long ago the mailbox of bounces and answers was read to its end, or first tried where it never was',
    ({ secondsSinceRead }) => secondsSinceRead,
  );
  gauge(
    'kaitaku_inbox_faulty',
    '1 while the mailbox of bounces and answers cannot be read',
    ({ isFaulty }) => isFaulty,
  );
}

/** The uploads and exports of all accounts. */
export interface StorageFigures {
  readonly storedBytes: number;
  /** The most bytes of a new file by the operator's limits; null: no limits. */
  readonly roomBytes: number | null;
  /** 1: an upload of the largest size is refused with storage_full. */
  readonly isFull: number;
}

/** Registers gauges of stored files, read at each scrape. Without an answer of the database they are absent. */
export function addStorageMetrics(registry: Registry, read: () => Promise<StorageFigures>): void {
  const { gauge } = figureGauges(registry, read);
  gauge(
    'kaitaku_stored_bytes',
    'Bytes of uploads and exports, uploads by their declared size',
    (shown) => shown.storedBytes,
  );
  gauge(
    'kaitaku_storage_room_bytes',
    'How large an upload may be now, by the disk of the bundled database and by STORED_BYTES_MAX',
    (shown) => shown.roomBytes,
  );
  gauge(
    'kaitaku_storage_full',
    '1 while an upload of the largest size is refused, because the operator has too little room',
    (shown) => shown.isFull,
  );
}

/** Registers the gauge of the database's clock, read at each scrape. Without an answer of the database it is absent. */
export function addClockMetric(registry: Registry, read: () => Promise<number>): void {
  const { gauge } = figureGauges(registry, async () => ({ seconds: await read() }));
  gauge(
    'kaitaku_clock_difference_seconds',
    "How far the database's clock is ahead of this process's; mails leave by the database's",
    ({ seconds }) => seconds,
  );
}

/** Registers gauges of periodic tasks, read at each scrape. Without an answer of the database they are absent. */
export function addTaskMetrics(registry: Registry, read: () => Promise<readonly TaskAge[]>): void {
  const figures = sharedFigures(read);
  const gauge = (name: string, help: string, figureOf: (shown: TaskAge) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['task'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const shown of (await figures()) ?? []) this.set({ task: shown.name }, figureOf(shown));
      },
    });
  gauge(
    'kaitaku_task_seconds_since_success',
    'How long ago a periodic task last succeeded in any process, or since the start of this one where it never did',
    ({ seconds }) => seconds,
  );
  gauge(
    'kaitaku_task_every_seconds',
    'How often the success of a periodic task is recorded if nothing fails',
    ({ everySeconds }) => everySeconds,
  );
}
