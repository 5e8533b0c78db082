import { createServer } from 'node:http';
import type pg from 'pg';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What a process counts, for Prometheus. No label holds an id, an address or anything a user typed. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly deliveries: Counter<'outcome'>;
  /** 1 while this worker claims nothing because the mail server cannot be reached. */
  readonly transportPaused: Gauge;
  readonly transportPauses: Counter;
  /** @param role what the pool's connections may do: one pool a role and process */
  watchPool(pool: pg.Pool, role: string): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const pools = new Map<string, pg.Pool>();
  new Gauge({
    name: 'database_connections',
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
  return {
    registry,
    requests: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the first byte of the headers to the last of the answer',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    deliveries: new Counter({
      name: 'deliveries_total',
      help: 'Tries to hand a mail over, by what became of them',
      labelNames: ['outcome'],
      registers,
    }),
    transportPaused: new Gauge({
      name: 'transport_paused',
      help: '1 while mails wait because the mail server cannot be reached',
      registers,
    }),
    transportPauses: new Counter({
      name: 'transport_pauses_total',
      help: 'Pauses of the mail server that this process began',
      registers,
    }),
    watchPool: (pool, role) => void pools.set(role, pool),
  };
}

/** Loopback alone: who may read the numbers is decided by who is on this machine. */
const HOST = '127.0.0.1';

/**
 * Serves GET /metrics on loopback.
 * @param port 0: any free one
 * @returns the port, and how to stop
 * @throws the error of listen(), say when the port is taken
 */
export async function serveMetrics(
  { registry }: Metrics,
  port: number,
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
    server.once('error', fail).listen(port, HOST, done);
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
