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

/** What no server was asked about, or answered about others, says nothing of the way to it. */
const ASKED_NOBODY = new Set<Finished['outcome']['kind']>(['unsendable', 'unmarked', 'not-taken']);

/**
 * Tells the circuit breaker what tries have shown of the way to the server. `inDoubt`: it has faults on record.
 * @returns whether mails should wait from now on
 */
export function transportWatch({ db, log, metrics }: WatchParts) {
  return async (finished: readonly Finished[], inDoubt: boolean): Promise<boolean> => {
    const faults = finished.flatMap(({ claim, outcome }) => (outcome.kind === 'transport' ? [{ claim, outcome }] : []));
    const last = faults.at(-1)?.outcome;
    const reached = finished.some(({ outcome }) => outcome.kind !== 'transport' && !ASKED_NOBODY.has(outcome.kind));
    if (inDoubt && reached && (await noteReached(db))) log.info('the mail server answers again');
    if (!last) return false;
    const isProbe = faults.some(({ claim }) => claim.isProbe);
    const { reply } = last;
    // Mails of one request share its outcome: a request is one fault, however many they are.
    const outcomes = [...new Set(faults.map(({ outcome }) => outcome))];
    const wait = Math.max(...outcomes.map(({ pauseSeconds = 0 }) => pauseSeconds));
    const seconds = await noteFaults(db, { count: outcomes.length, isProbe, reply, wait }, Math.random());
    if (seconds !== null) {
      metrics?.transportPauses.inc();
      log.error({ seconds, reply }, 'the mail server cannot be reached: all mails wait');
    }
    return seconds !== null;
  };
}
