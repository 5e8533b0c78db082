import { renewConnections, renewLeases } from './lease.queries.ts';
import { sweepLostClaims } from './sweep.queries.ts';
import { sweepStopped } from './sweep-stopped.queries.ts';
import { repeatUntilStopped, type WorkerContext } from './worker-context.ts';

const RENEW_EVERY_MS = 3000;
const SWEEP_EVERY_MS = 1000;
/** While the worker holds no mail. With leases of 10 s, a killed worker's mails continue within 15 s. */
const IDLE_SWEEP_EVERY_MS = 3000;
/** Mails after a refusal or an answer are cancelled within two seconds, even if the process that stored it died. */
const STOPPED_SWEEP_EVERY_MS = 1000;

/** Renews this worker's leases, and sweeps what dead processes left, until the worker stops. */
export function startLeaseLoops(worker: WorkerContext): void {
  const { db, queues } = worker;
  void repeatUntilStopped(
    worker,
    'renew leases',
    () => renewHeldLeases(worker),
    () => RENEW_EVERY_MS,
  );
  void repeatUntilStopped(
    worker,
    'sweep the claims of dead workers',
    () => sweepLostClaims(db),
    () => (queues.isHolding() ? SWEEP_EVERY_MS : IDLE_SWEEP_EVERY_MS),
  );
  let isMoreLeft = false;
  void repeatUntilStopped(
    worker,
    'cancel mails to suppressed addresses and to companies that answered',
    async () => {
      isMoreLeft = await sweepStopped(db);
    },
    () => (isMoreLeft ? 0 : STOPPED_SWEEP_EVERY_MS),
  );
}

/** Renews the leases of all held claims and their connections, and drops claims that were lost. */
export async function renewHeldLeases({ db, workerId, queues }: WorkerContext): Promise<void> {
  const claims = queues.held();
  if (claims.length === 0) return;
  const ours = await renewLeases(db, claims);
  queues.dropLost(claims.filter((_, index) => !ours[index]));
  await renewConnections(db, workerId, queues.senderIds());
}
