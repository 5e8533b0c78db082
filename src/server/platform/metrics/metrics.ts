import { createServer } from 'node:http';
import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { loopAges } from '../loop.ts';
import type { TaskAge } from '../tasks/periodic-tasks.ts';
import {
  addClockMetric,
  addInboxMetrics,
  addQueueMetrics,
  addStorageMetrics,
  addTaskMetrics,
  type InboxFigures,
  type QueueFigures,
  type StorageFigures,
} from './queue-metrics.ts';

/** Metrics of a process, for Prometheus. No label holds an id, an address or anything that a user typed. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly deliveries: Counter<'outcome'>;
  readonly transportPauses: Counter;
  readonly receiptsUnwritable: Gauge;
  readonly inboxMails: Counter<'kind'>;
  readonly passedOn: Counter<'kind'>;
  /** Registers the gauges of the queue. @param read reads them from the database, at each scrape */
  watchQueue(read: () => Promise<QueueFigures>): void;
  /** Registers the gauges of the inbox. @param read reads them from the database, at each scrape; null: none yet */
  watchInbox(read: () => Promise<InboxFigures | null>): void;
  /** Registers the gauge of the database's clock. @param read seconds that it is ahead, at each scrape */
  watchClock(read: () => Promise<number>): void;
  /** Registers the gauges of periodic tasks. @param read reads them from the database, at each scrape */
  watchTasks(read: () => Promise<readonly TaskAge[]>): void;
  /** Registers the gauges of stored files. @param read reads them from the database, at each scrape */
  watchStorage(read: () => Promise<StorageFigures>): void;
  /**
   * Registers the gauges of a pool.
   * @param role the role that its connections log in as: one pool for each role and process
   */
  watchPool(pool: pg.Pool, role: string): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // promtool refuses these gauges, which are named like counters; the same ones by kind (nodejs_active_handles) stay.
  for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`);
  const pools = new Map<string, pg.Pool>();
  new Gauge({
    name: 'kaitaku_database_connections',
    help: 'Connections of the pool of a role: in use, idle, and queries waiting for one',
    labelNames: ['role', 'state'],
    registers,
    collect() {
      for (const [role, { totalCount, idleCount, waitingCount }] of pools) {
        this.set({ role, state: 'in use' }, totalCount - idleCount);
        this.set({ role, state: 'idle' }, idleCount);
        this.set({ role, state: 'waiting' }, waitingCount);
      }
    },
  });
  new Gauge({
    name: 'kaitaku_loop_seconds_since_turn',
    help: 'How long ago the last good turn of a loop of this process ended, or its start where none has',
    labelNames: ['task'],
    registers,
    collect() {
      this.reset();
      for (const [task, seconds] of loopAges()) this.set({ task }, seconds);
    },
  });
  return {
    registry,
    requests: new Histogram({
      name: 'kaitaku_http_request_duration_seconds',
      help: 'Time from the first byte of the headers to the last of the answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    deliveries: new Counter({
      name: 'kaitaku_deliveries_total',
      help: 'Tries to hand a mail over, by what became of them',
      labelNames: ['outcome'],
      registers,
    }),
    transportPauses: new Counter({
      name: 'kaitaku_transport_pauses_total',
      help: 'Pauses of the mail server that this process began',
      registers,
    }),
    receiptsUnwritable: new Gauge({
      name: 'kaitaku_receipts_unwritable',
      help: '1 while this worker cannot write receipts of mails to DATA_DIR',
      registers,
    }),
    inboxMails: new Counter({
      name: 'kaitaku_inbox_mails_total',
      help: 'Mails of the inbox that this process read, by what they were',
      labelNames: ['kind'],
      registers,
    }),
    passedOn: new Counter({
      name: 'kaitaku_passed_on_total',
      help: 'Refusals, mails and events of accounts that have moved, which their new homes have taken',
      labelNames: ['kind'],
      registers,
    }),
    watchQueue: (read) => addQueueMetrics(registry, read),
    watchInbox: (read) => addInboxMetrics(registry, read),
    watchClock: (read) => addClockMetric(registry, read),
    watchTasks: (read) => addTaskMetrics(registry, read),
    watchStorage: (read) => addStorageMetrics(registry, read),
    watchPool: (pool, role) => void pools.set(role, pool),
  };
}

/**
 * Serves GET /metrics without authentication: whoever can reach the address may read them.
 * @param port 0: any free one
 * @returns the port, and a function that stops the server
 * @throws the error of listen(), such as EADDRINUSE
 */
export async function serveMetrics(
  { registry }: Metrics,
  port: number,
  host = '127.0.0.1',
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return void response.writeHead(404).end();
    registry.metrics().then(
      (text) =>
        response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(port, host, done);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
