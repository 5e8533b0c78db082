import type { Db } from '../../../platform/database/db.ts';
import { type Loop, startLoop } from '../../../platform/loop.ts';
import type { WorkSignal } from '../../../platform/work-signal.ts';
import type { ReceiptGuard } from '../guard/receipt-guard.ts';
import type { ClaimedBatch } from '../leases/claim.ts';
import type { WorkerContext } from '../leases/worker-context.ts';
import { type InstallationGate, readInstallationGate } from '../pauses/installation.queries.ts';
import { lockDueBox, replaceStuckNotes } from '../queue/due-boxes.queries.ts';
import { claimFrom, secondsUntilDue } from './claim.queries.ts';
import { IDLE_POLL_MS_MAX, POLL_MS } from './claim-loop.ts';

interface BoxClaimParts {
  readonly worker: WorkerContext;
  /** Ids of the keys of this process. */
  readonly keys: readonly number[];
  /** Whether a lane is free for a mailbox. */
  readonly hasRoom: () => boolean;
  readonly workSignal?: WorkSignal | undefined;
  readonly guard?: Pick<ReceiptGuard, 'state' | 'compare'> | undefined;
  readonly onClaimed: () => void;
}

/**
 * Claims mails that leave by mailboxes, one at a time. Beside the claims for the transport: its pause stops no mailbox,
 * and a mailbox delays none of its claims.
 */
export function startBoxClaims({
  worker: { db, workerId, queues, log },
  keys,
  hasRoom,
  workSignal,
  guard,
  onClaimed,
}: BoxClaimParts): Loop {
  async function claim(): Promise<number> {
    const seconds = await secondsUntilDue(db, guard?.state(), keys);
    if (seconds > 0) return Math.min(Math.ceil(seconds * 1000), workSignal?.isListening() ? IDLE_POLL_MS_MAX : POLL_MS);
    if (!hasRoom()) return POLL_MS;
    const claimed = await claimBoxMails(db, workerId, { keys, installationState: guard?.state() });
    if (claimed === 'unknown-server') {
      await guard?.compare();
      return 0;
    }
    if (claimed === null || claimed === 'paused' || claimed.claims.length === 0) return POLL_MS;
    queues.add(claimed);
    onClaimed();
    return 0;
  }

  return startLoop({ log, task: 'claim mail of mailboxes', work: claim, wake: workSignal?.subscribe });
}

interface BoxClaimLimits {
  readonly keys: readonly number[];
  /** As in ClaimLimits. */
  readonly installationState?: string | null | undefined;
}

/**
 * Claims a due mail of one mailbox for a worker, as claimDeliveries does for the transport.
 * @returns null: no mail is due
 */
export function claimBoxMails(
  db: Db,
  workerId: string,
  { keys, installationState }: BoxClaimLimits,
): Promise<ClaimedBatch | Exclude<InstallationGate, 'open'> | null> {
  return db.transaction().execute(async (tx) => {
    const { gate, now } = await readInstallationGate(tx, installationState);
    if (gate !== 'open') return gate;
    const profile = await lockDueBox(tx, workerId, keys);
    if (profile) return claimFrom(tx, workerId, profile, { rows: 1, isProbe: false, now });
    await replaceStuckNotes(tx);
    return null;
  });
}
