import { type Loop, startLoop } from '../../../platform/loop.ts';
import { renewConnections, renewLeases } from './lease.queries.ts';
import type { WorkerContext } from './worker-context.ts';

/** A lease is renewed at an age of 2 s at most, so that a claim outlives a renewal that is 2 s late. */
const RENEW_EVERY_MS = 500;

/** Renews the leases of what this worker holds. */
export const startRenewal = (worker: WorkerContext): Loop =>
  startLoop({
    log: worker.log,
    task: 'renew leases',
    async work() {
      await renewHeldLeases(worker);
      return RENEW_EVERY_MS;
    },
  });

/** Renews the leases of all held claims and their connections, and drops claims that were lost. */
export async function renewHeldLeases({ db, workerId, queues }: WorkerContext): Promise<void> {
  const claims = queues.held();
  if (claims.length === 0) return;
  const ours = await renewLeases(db, claims);
  queues.dropLost(claims.filter((_, index) => !ours[index]));
  await renewConnections(db, workerId, queues.profileIds());
}
