import type { Db } from '../../platform/database/db.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { sweepStopped } from './after-sending/sweep-stopped.queries.ts';
import type { KeepUnknown } from './leases/claim.ts';
import { CLAIM_LEASE_SECONDS } from './leases/lease-seconds.ts';
import type { WorkerContext } from './leases/worker-context.ts';
import { secondsUntilLeaseEnds, sweepLostClaims } from './results/sweep.queries.ts';

/** Shorter than a claim's lease: a lease that starts after one look ends after the next. */
const LOOK_EVERY_MS_MAX = (CLAIM_LEASE_SECONDS - 1) * 1000;
/** The margin after a lease's end, by the database's clock: timers of this process are a little inexact. */
const AFTER_LEASE_MS = 10;
/** The wait while mails with an ended lease are locked: another process sweeps or changes them. */
const LOCKED_MS = 300;
/** Mails after an opt-out or a reply are cancelled within two seconds, even if the process that stored it died. */
const STOPPED_SWEEP_EVERY_MS = 1000;

/** Starts the loops that sweep what dead processes left. */
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
 * Sweeps if a lease has ended.
 * Timed by the next lease end, not each second: a dead worker's mails are taken over when their claims end.
 * @returns milliseconds until another lease may end
 */
export async function sweepWhenDue(db: Db, keepUnknown?: KeepUnknown): Promise<number> {
  const seconds = await secondsUntilLeaseEnds(db);
  if (seconds > 0) return Math.min(Math.ceil(seconds * 1000) + AFTER_LEASE_MS, LOOK_EVERY_MS_MAX);
  const { requeued, unknown } = await sweepLostClaims(db, keepUnknown);
  return requeued + unknown > 0 ? 0 : LOCKED_MS;
}
