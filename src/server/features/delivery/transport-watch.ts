import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../platform/db.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Finished } from './finish.queries.ts';
import { FAULTS_TO_PAUSE, noteFaults, noteReached } from './transport.queries.ts';

interface WatchParts {
  readonly db: Db;
  readonly log: FastifyBaseLogger;
  readonly metrics?: Metrics | undefined;
}

/** No server said anything about these mails: it was not reached, not asked, fell silent, or answered about others. */
const NO_ANSWER = new Set<Finished['outcome']['kind']>([
  'transport',
  'dropped',
  'unsendable',
  'unmarked',
  'not-taken',
  'unknown',
]);

/**
 * A link lost over a mail is a fault of the way. One that is dropped again is more likely to be to blame itself: what it shows is nothing
 * new, and some of them in a row must not stop the mails of others.
 */
const isFault = ({ claim, outcome }: Finished): boolean =>
  ['transport', 'unknown'].includes(outcome.kind) || (outcome.kind === 'dropped' && claim.attempts === 0);

/** A server whose faults leave mails in doubt is not asked five times: one is enough. */
const isDoubt = (outcome: Finished['outcome']): boolean => outcome.kind === 'unknown' && outcome.isServerFault === true;

/**
 * Tells the circuit breaker what tries have shown of the way to the server. `inDoubt`: it has faults on record.
 * @returns whether mails should wait from now on
 */
export function transportWatch({ db, log, metrics }: WatchParts) {
  return async (finished: readonly Finished[], inDoubt: boolean): Promise<boolean> => {
    const faults = finished.filter(isFault);
    const last = faults.at(-1)?.outcome;
    const reached = finished.some(({ outcome }) => !NO_ANSWER.has(outcome.kind));
    if (inDoubt && reached && (await noteReached(db))) log.info('the mail server answers again');
    if (!last) return false;
    const isProbe = faults.some(({ claim }) => claim.isProbe);
    const { reply } = last;
    // Mails of one request share its outcome: a request is one fault, however many they are.
    const outcomes = [...new Set(faults.map(({ outcome }) => outcome))];
    const wait = Math.max(...outcomes.map((outcome) => (outcome.kind === 'transport' && outcome.pauseSeconds) || 0));
    const count = outcomes.some(isDoubt) ? FAULTS_TO_PAUSE : outcomes.length;
    const pause = await noteFaults(db, { count, isProbe, reply, wait }, Math.random());
    if (pause?.begins) {
      const { seconds } = pause;
      metrics?.transportPauses.inc();
      log.error({ seconds, reply }, 'the mail server cannot be reached: all mails wait');
    }
    return pause !== null;
  };
}
