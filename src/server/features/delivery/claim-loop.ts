import type { Db } from '../../platform/db.ts';
import type { WorkSignal } from '../../platform/work-signal.ts';
import { claimDeliveries, secondsUntilDue } from './claim.queries.ts';
import type { receiptGuard } from './receipt-guard.ts';
import type { senderQueues } from './sender-queues.ts';

/** Where mail is due that this worker may not have yet (pace, connections of others), or where nobody announces it. */
const POLL_MS = 300;
/** Behind the announcements of due mail. migrations/0016 announces what is due within ten seconds: this must come sooner. */
const SLOW_POLL_MS = 5000;

interface ClaimLoopParts {
  readonly db: Db;
  readonly workerId: string;
  readonly connections: number;
  readonly now: () => number;
  readonly queues: ReturnType<typeof senderQueues>;
  readonly workSignal?: WorkSignal | undefined;
  /** Compares this worker's receipts with the database before it claims from a server; undefined: it keeps none. */
  readonly receipts?: Pick<ReturnType<typeof receiptGuard>, 'state' | 'compare'> | undefined;
  /** How many mails may wait here for a connection. */
  readonly ahead: () => number;
  readonly onClaimed: () => void;
  /** This worker holds no mail. */
  readonly onIdle: () => void;
}

/** Claims due mails while there is room for them, and waits while there are none. */
export function claimLoop(parts: ClaimLoopParts) {
  const { db, workerId, connections, now, queues, workSignal, receipts, ahead, onClaimed, onIdle } = parts;
  let isWoken = false;
  let endPause = () => {};

  /** Ends the pause there is, or else the next one. */
  function wake(): void {
    isWoken = true;
    endPause();
  }
  const unsubscribe = workSignal?.subscribe(wake);

  async function pause(ms: number): Promise<void> {
    if (!isWoken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(() => resolve(), ms);
      endPause = resolve;
      await promise;
      clearTimeout(timer);
    }
    isWoken = false;
  }

  /** @returns milliseconds for which nothing will be due, as far as is known; 0: a claim tells */
  async function idleMs(): Promise<number> {
    const seconds = await secondsUntilDue(db, receipts?.state());
    if (seconds <= 0) return 0;
    return Math.min(Math.ceil(seconds * 1000), workSignal?.isListening() ? SLOW_POLL_MS : POLL_MS);
  }

  return {
    wake,
    pause,
    stop: () => unsubscribe?.(),

    /** Claims once, or waits until a claim may find something. */
    async claimMore(): Promise<void> {
      if (queues.held().length === 0) {
        const ms = await idleMs();
        if (ms > 0) {
          onIdle();
          return pause(ms);
        }
      }
      const most = ahead();
      const rows = most - queues.waiting();
      if (rows <= most / 2) return pause(POLL_MS);
      const claimed = await claimDeliveries(db, workerId, { connections, rows, server: receipts?.state() }, now());
      if (claimed === 'unknown-server') return receipts?.compare();
      if (claimed !== null && claimed !== 'paused' && claimed.claims.length > 0) {
        queues.add(claimed);
        return onClaimed();
      }
      if (queues.held().length === 0) onIdle();
      return pause(POLL_MS);
    },
  };
}
