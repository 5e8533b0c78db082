import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';

const ANSWER_WITHIN_MS = 2000;

/** Asked by whoever runs us, not by clients: outside of the API and its document, without login, and telling nothing but yes or no. */
const QUIET = {
  logLevel: 'warn',
  config: {
    // A process that is too busy for users is alive, and restarting it would not help them.
    pressureHandler: () => {},
    // Probes of load balancers and Kubernetes name the address they connect to. There is nothing to steal here.
    anyHost: true,
  },
} as const;

export interface HealthParts {
  /** Any pool: what it takes to answer users. */
  readonly db: Db;
  /** Whether the process has been asked to stop. */
  readonly stopping: () => boolean;
}

/**
 * GET /health/live: 200 while the process runs. GET /health/ready: 200 when users may be sent here, which takes a database that
 * answers and a process that stays; else 503.
 */
export function addHealthRoutes(app: FastifyInstance, { db, stopping }: HealthParts): void {
  let asking: Promise<boolean> | null = null;

  /** One question at a time, whoever waits for it: askers cannot fill the pool of a database that hangs. */
  const databaseAnswers = (): Promise<boolean> => {
    asking ??= sql`SELECT 1`
      .execute(db)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asking = null;
      });
    return Promise.race([asking, sleep(ANSWER_WITHIN_MS, false, { ref: false })]);
  };

  app.get('/health/live', QUIET, async () => ({ status: 'ok' }));

  app.get('/health/ready', QUIET, async (_request, reply) => {
    const ready = !stopping() && (await databaseAnswers());
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'unavailable' });
  });
}
