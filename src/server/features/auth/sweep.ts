import type { FastifyBaseLogger } from 'fastify';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import type { Db } from '../../platform/db.ts';
import { HOUR_MS } from '../../platform/rate-limit.ts';

const EVERY_MS = 10 * 60 * 1000;

/** Deletes what is dead already: sessions nobody comes back to, counters that say nothing any more. */
export async function sweepDead(login: Db, now: number): Promise<void> {
  await login
    .deleteFrom('session')
    .where(({ eb, or }) =>
      or([
        eb('created_at', '<', new Date(now - SESSION_ABSOLUTE_MS)),
        eb('last_used_at', '<', new Date(now - SESSION_IDLE_MS)),
      ]),
    )
    .execute();
  // An hour longer than they hold somebody back: so long a guesser is remembered.
  await login
    .deleteFrom('rate_limit')
    .where('expire', '<', now - HOUR_MS)
    .execute();
}

interface SweepParts {
  readonly login: Db;
  readonly now: () => number;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

/** Sweeps at once and every ten minutes, in any number of processes. @returns what stops it */
export function startSweep({ login, now, log }: SweepParts): () => void {
  const sweep = () => {
    sweepDead(login, now()).catch((error: unknown) =>
      log.warn({ err: error }, 'sweep failed; the next one tries again'),
    );
  };
  sweep();
  const timer = setInterval(sweep, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
