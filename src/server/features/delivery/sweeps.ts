import type { Db } from '../../platform/database/db.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { sweepStopped } from './after-sending/sweep-stopped.queries.ts';
import type { KeepUnknown } from './leases/claim.ts';
import { CLAIM_LEASE_SECONDS } from './leases/lease-seconds.ts';
import type { WorkerContext } from './leases/worker-context.ts';
import { secondsUntilLeaseEnds, sweepLostClaims } from './results/sweep.queries.ts';

/** Shorter than a claim's lease: one that begins after a look at the leases ends after the next look. */
const LOOK_EVERY_MS_MAX = (CLAIM_LEASE_SECONDS - 1) * 1000;
/** After a lease is over, by the database's clock: the timers of this process are a little inexact. */
const AFTER_LEASE_MS = 10;
/** Wait while mails whose lease is over are locked: another process sweeps or changes them. */
const LOCKED_MS = 300;
/** Mails after a refusal or an answer are cancelled within two seconds, even if the process that stored it died. */
const STOPPED_SWEEP_EVERY_MS = 1000;

/** Sweeps what dead processes left. */
export const startSweeps = (
  { db, log }: Pick<WorkerContext, 'db' | 'log'>,
  keepUnknown?: KeepUnknown,
): readonly Loop[] => [
  startLoop({ log, task: 'sweep the claims of dead workers', work: () => sweepWhenDue(db, keepUnknown) }),
  startLoop({
    log,
    task: 'cancel mails to suppressed addresses and to companies that answered',
    work: async () => ((await sweepStopped(db)) ? 0 : STOPPED_SWEEP_EVERY_MS),
  }),
];

/**
 * Sweeps if a lease is over.
 * @returns milliseconds until another lease may be over: a sweep on time, not each second, takes over a dead worker's
 * mails when their claims end
 */
export async function sweepWhenDue(db: Db, keepUnknown?: KeepUnknown): Promise<number> {
  const seconds = await secondsUntilLeaseEnds(db);
  if (seconds > 0) return Math.min(Math.ceil(seconds * 1000) + AFTER_LEASE_MS, LOOK_EVERY_MS_MAX);
  const { requeued, unknown } = await sweepLostClaims(db, keepUnknown);
  return requeued + unknown > 0 ? 0 : LOCKED_MS;
}
