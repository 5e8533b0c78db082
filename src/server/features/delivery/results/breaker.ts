import { type DeliveryResult, hasAnswer, isFault } from '../leases/delivery-result.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { FAULTS_TO_PAUSE, recordAnswer, recordFaults } from '../pauses/breaker.queries.ts';
import { recordLimitOfProbe } from '../quota/transport-limit.queries.ts';

/** Server faults that leave mails unknown pause the transport at once, not after five. */
const leavesDoubt = (outcome: DeliveryResult['outcome']): boolean =>
  outcome.kind === 'unknown' && outcome.isServerFault === true;

async function isLimitOfAll(
  { db, log, metrics }: Pick<WorkerContext, 'db' | 'log' | 'metrics'>,
  results: readonly DeliveryResult[],
): Promise<boolean> {
  const met = results.find(({ claim, outcome }) => claim.isProbe && outcome.kind === 'limited');
  if (met?.outcome.kind !== 'limited' || !(await recordLimitOfProbe(db, met.claim, met.outcome))) return false;
  const { reply, seconds } = met.outcome;
  metrics?.transportPauses.inc();
  log.error({ reply, seconds }, 'the mail server limits all senders: all mails wait');
  return true;
}

/**
 * Counts the transport's faults in a batch of results, and opens or closes the circuit breaker.
 * @param hasFaults faults are recorded
 * @returns whether mails must wait from now on
 */
export async function updateBreaker(
  { db, log, metrics }: Pick<WorkerContext, 'db' | 'log' | 'metrics'>,
  results: readonly DeliveryResult[],
  hasFaults: boolean,
): Promise<boolean> {
  const faults = results.filter(isFault);
  const last = faults.at(-1)?.outcome;
  const answered = results.filter(({ outcome }) => hasAnswer(outcome));
  const isProbes = answered.some(({ claim }) => claim.isProbe);
  if (hasFaults && answered.length > 0 && (await recordAnswer(db, isProbes))) log.info('the mail server answers again');
  if (!last) return isLimitOfAll({ db, log, metrics }, results);
  const probe = faults.find(({ claim }) => claim.isProbe)?.claim ?? null;
  const { reply } = last;
  // Mails of one request share its outcome object: a request counts as one fault.
  const outcomes = [...new Set(faults.map(({ outcome }) => outcome))];
  const wait = Math.max(...outcomes.map((outcome) => (outcome.kind === 'transport' && outcome.pauseSeconds) || 0));
  const count = outcomes.some(leavesDoubt) ? FAULTS_TO_PAUSE : outcomes.length;
  const pause = await recordFaults(db, { count, probe, reply, wait }, Math.random());
  if (pause?.begins) {
    const { seconds } = pause;
    metrics?.transportPauses.inc();
    log.error({ seconds, reply }, 'the mail server cannot be reached: all mails wait');
  }
  return pause !== null;
}
