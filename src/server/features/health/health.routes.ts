import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { type AccountHosts, hostOf } from '../../platform/http/hosts.ts';

/** The database is unavailable when it answers later than this. */
const DATABASE_TIMEOUT_MS = 2000;

/** Probes are for operators: they are not in the API reference, need no login and return only a status. */
const ANY_LOAD = {
  // An overloaded process is alive: a restart would not reduce its load.
  pressureHandler: () => {},
};
const PROBE_OPTIONS = {
  logLevel: 'warn',
  config: {
    ...ANY_LOAD,
    // Probes of load balancers and Kubernetes send the address they connect to as Host. The answer holds no data.
    anyHost: true,
  },
} as const;

export interface HealthParts {
  /** A pool that user requests need. Any role will do. */
  readonly db: Db;
  /** Whether the process is shutting down. */
  readonly stopping: () => boolean;
  readonly accountHosts: Pick<AccountHosts, 'livesAt'>;
}

/**
 * Adds the probes GET /health/live, GET /health/ready, and GET /health/account/ID, which answers whether this account
 * lives here, at the host of the request: the home that it left asks before it deletes the account.
 * Live: 200 while the process runs. Ready: 200 when the process takes requests, that is, it is not shutting down and
 * the database answers; else 503.
 */
export function addHealthRoutes(app: FastifyInstance, { db, stopping, accountHosts }: HealthParts): void {
  let pending: Promise<boolean> | null = null;

  /** All probes share one query, so that they cannot fill the pool when the database hangs. */
  const databaseAnswers = (): Promise<boolean> => {
    pending ??= sql`SELECT 1`
      .execute(db)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        pending = null;
      });
    return Promise.race([pending, sleep(DATABASE_TIMEOUT_MS, false, { ref: false })]);
  };

  app.get('/health/live', PROBE_OPTIONS, async () => ({ status: 'ok' }));

  app.get('/health/ready', PROBE_OPTIONS, async (_request, reply) => {
    const ready = !stopping() && (await databaseAnswers());
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable' });
  });

  // Whoever asks knows both: which account lives at a host is not told. No query: hosts are in memory.
  app.get('/health/account/:id', { ...PROBE_OPTIONS, config: ANY_LOAD }, async (request, reply) => {
    const { id } = request.params as { id: string };
    const livesHere = accountHosts.livesAt(hostOf(request.raw, request.originalUrl)) === Number(id);
    return reply
      .code(livesHere ? 200 : 404)
      .send(livesHere ? { status: 'ok', account: Number(id) } : { status: 'unknown' });
  });
}
