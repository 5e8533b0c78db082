import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { networkOf } from '#domain/account/network.ts';
import type { Db } from '../../platform/database/db.ts';
import { type AccountHosts, hostOf } from '../../platform/http/hosts.ts';

/** A slower database counts as unavailable. */
const DATABASE_TIMEOUT_MS = 2000;

/** Probes are for operators: not in the API reference, without login, and they return only a status. */
const PROBE_OPTIONS = {
  logLevel: 'warn',
  config: {
    // An overloaded process is alive: a restart would not reduce its load.
    pressureHandler: () => {},
    // Probes of load balancers and Kubernetes send the address they connect to as Host. The answer holds no data.
    anyHost: true,
  },
} as const;

const ACCOUNT_ID = /^[1-9]\d{0,14}$/;

export interface HealthParts {
  /** A pool of the role kaitaku_api, which user requests need. */
  readonly db: Db;
  /** Whether the process is shutting down. */
  readonly stopping: () => boolean;
  readonly accountHosts: Pick<AccountHosts, 'livesAt'>;
  /** Counts a request for an unknown account id. Returns null, or the seconds to wait. */
  readonly guessRate: (network: string) => number | null;
}

/** Finds the tables as requests do: by name, in the role's search path. */
interface Answer {
  readonly isWritable: boolean;
  /** No account is set: row level security hides all rows. */
  readonly seesRows: boolean;
}

/**
 * Adds the probes GET /health/live, /health/ready and /health/account/ID.
 * /live: 200 while the process runs. /ready: 200 while the process takes requests and the database is reachable,
 * writable and complete; otherwise 503. It reads no account's rows. /account/ID: whether this account lives here at the
 * request's host. The home that it left asks before it deletes the account.
 */
export function addHealthRoutes(app: FastifyInstance, { db, stopping, accountHosts, guessRate }: HealthParts): void {
  let pending: Promise<boolean> | null = null;

  /** All probes share one query, so that they cannot fill the pool when the database hangs. */
  const databaseAnswers = (): Promise<boolean> => {
    pending ??= sql<Answer>`
      SELECT current_setting('transaction_read_only') = 'off' AS "isWritable",
        EXISTS (SELECT FROM account) AS "seesRows"`
      .execute(db)
      .then(
        ({ rows: [answer] }) => answer?.isWritable === true && !answer.seesRows,
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

  // No query: hosts are in memory. Guesses are counted, as for mailed links, because account ids are sequential.
  app.get('/health/account/:id', { logLevel: 'warn' }, async (request, reply) => {
    const { id } = request.params as { id: string };
    const livesHere = ACCOUNT_ID.test(id) && accountHosts.livesAt(hostOf(request.raw, request.originalUrl)) === +id;
    if (livesHere) return { status: 'ok', account: +id };
    const wait = guessRate(networkOf(request.clientAddress));
    if (wait === null) return reply.code(404).send({ status: 'unknown' });
    return reply
      .code(429)
      .header('retry-after', Math.max(1, Math.ceil(wait)))
      .send({ status: 'too_often' });
  });
}
