import type { Db } from '../../../platform/database/db.ts';
import { type Loop, startLoop } from '../../../platform/loop.ts';
import type { WorkSignal } from '../../../platform/work-signal.ts';
import type { ReceiptGuard } from '../guard/receipt-guard.ts';
import { requeueClaims } from '../leases/lease.queries.ts';
import { ofRelay } from '../leases/sender-queues.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import type { TransportState } from '../pauses/breaker.queries.ts';
import { recordAdmittedConnections } from '../quota/connection-limit.queries.ts';
import type { LaneRoom } from '../quota/lane-room.ts';
import { claimDeliveries, secondsUntilDue } from './claim.queries.ts';

/** The wait between claims while no room is free, limits hold due mail back, or no work signal exists. */
export const POLL_MS = 300;
/** The longest idle wait, shorter than the ten seconds by which announce_mail announces mail ahead. */
export const IDLE_POLL_MS_MAX = 5000;

interface ClaimLoopParts {
  readonly worker: WorkerContext;
  readonly connections: number;
  readonly room: LaneRoom;
  readonly workSignal?: WorkSignal | undefined;
  /** Compares this machine's receipts with the database before the first claim; undefined: no receipts are kept. */
  readonly guard?: Pick<ReceiptGuard, 'state' | 'compare'> | undefined;
  /** How many claimed mails may wait for a connection. */
  readonly aheadMax: () => number;
  /** Called when waiting mails may get a lane. */
  readonly onClaimed: () => void;
  /** Called when the worker holds no mail of the transport. */
  readonly onIdle: () => void;
}

/** Claims due mails of the transport while the queues have room, and waits while no mail is due. */
export function startClaimLoop({
  worker: { db, workerId, queues, log },
  connections,
  room,
  workSignal,
  guard,
  aheadMax,
  onClaimed,
  onIdle,
}: ClaimLoopParts): Loop {
  /** @returns milliseconds until mail may be due; 0: claim now */
  async function idleMs(): Promise<number> {
    const seconds = await secondsUntilDue(db, guard?.state());
    if (seconds <= 0) return 0;
    return Math.min(Math.ceil(seconds * 1000), workSignal?.isListening() ? IDLE_POLL_MS_MAX : POLL_MS);
  }

  /** Claims once if mail may be due. @returns milliseconds until a claim may find mail */
  async function claim(): Promise<number> {
    if (!queues.isHolding(ofRelay)) {
      const ms = await idleMs();
      if (ms > 0) {
        onIdle();
        return ms;
      }
    }
    if (room.isResting()) {
      // Other workers may send the waiting mails meanwhile.
      if (queues.waitingCount(ofRelay) > 0) await requeueClaims(db, queues.takeWaiting(ofRelay));
      return POLL_MS;
    }
    // A pause may have ended, or more lanes be allowed.
    onClaimed();
    const max = aheadMax();
    const rows = max - queues.waitingCount(ofRelay);
    // Claims only while more than half of the room is free: few large claims cost less than many small ones.
    if (rows <= max / 2) return POLL_MS;
    const claimed = await claimDeliveries(db, workerId, { connections, rows, installationState: guard?.state() });
    if (claimed === 'unknown-server') {
      await guard?.compare();
      return 0;
    }
    if (claimed !== null && claimed !== 'paused' && claimed.claims.length > 0) {
      await learnConnections(db, room, claimed);
      queues.add(claimed);
      onClaimed();
      return 0;
    }
    if (!queues.isHolding(ofRelay)) onIdle();
    return POLL_MS;
  }

  return startLoop({ log, task: 'claim mail', work: claim, wake: workSignal?.subscribe });
}

/** Adopts the connection limit of the mail server, and records each further connection that it admits. */
async function learnConnections(
  db: Db,
  room: LaneRoom,
  { connectionsMax, isTryingMore }: Omit<TransportState, 'gate' | 'now'>,
): Promise<void> {
  room.learn(connectionsMax);
  const admitted = room.admittedCount();
  if (isTryingMore && admitted >= (connectionsMax ?? 0)) await recordAdmittedConnections(db, admitted);
}
