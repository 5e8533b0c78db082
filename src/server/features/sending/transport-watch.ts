import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../platform/db.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Finished } from './finish.queries.ts';
import { noteFaults, noteReached } from './transport.queries.ts';

interface WatchParts {
  readonly db: Db;
  readonly log: FastifyBaseLogger;
  readonly metrics?: Metrics | undefined;
}

/** What no server was asked about says nothing of the way to it. */
const ASKED_NOBODY = new Set<Finished['outcome']['kind']>(['unsendable', 'unmarked']);

/**
 * Tells the circuit breaker what tries have shown of the way to the server. `inDoubt`: it has faults on record.
 * @returns whether mails should wait from now on
 */
export function transportWatch({ db, log, metrics }: WatchParts) {
  return async (finished: readonly Finished[], inDoubt: boolean): Promise<boolean> => {
    const faults = finished.filter(({ outcome }) => outcome.kind === 'transport');
    const last = faults.at(-1);
    const reached = finished.some(({ outcome }) => outcome.kind !== 'transport' && !ASKED_NOBODY.has(outcome.kind));
    if (inDoubt && reached && (await noteReached(db))) log.info('the mail server answers again');
    if (!last) return false;
    const isProbe = faults.some(({ claim }) => claim.isProbe);
    const { reply } = last.outcome;
    const seconds = await noteFaults(db, { count: faults.length, isProbe, reply }, Math.random());
    if (seconds !== null) {
      metrics?.transportPauses.inc();
      log.error({ seconds, reply }, 'the mail server cannot be reached: all mails wait');
    }
    return seconds !== null;
  };
}
