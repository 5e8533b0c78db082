import { type Loop, startLoop } from '../../../platform/loop.ts';
import { renewBoxShares, renewConnections, renewLeases } from './lease.queries.ts';
import type { WorkerContext } from './worker-context.ts';

/** A lease is renewed at an age of at most 2 s, so that a claim survives a renewal that is 2 s late. */
const RENEW_EVERY_MS = 500;

/** Starts the loop that renews the leases of this worker. */
export const startRenewal = (worker: WorkerContext): Loop =>
  startLoop({
    log: worker.log,
    task: 'renew leases',
    async work() {
      await renewHeldLeases(worker);
      return RENEW_EVERY_MS;
    },
  });

/** Renews all held claims and their connection shares, and drops lost claims. */
export async function renewHeldLeases({ db, workerId, queues, boxes }: WorkerContext): Promise<void> {
  const open = boxes?.open() ?? [];
  if (open.length > 0) boxes?.closeLost(await renewBoxShares(db, workerId, open));
  const claims = queues.held();
  if (claims.length === 0) return;
  const ours = await renewLeases(db, claims);
  queues.dropLost(claims.filter((_, index) => !ours[index]));
  await renewConnections(db, workerId, queues.profileIds());
}
