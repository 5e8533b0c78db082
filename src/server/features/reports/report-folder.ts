import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../../platform/database/db.ts';
import { foldChanges } from './fold.command.ts';

interface FolderParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'warn'>;
}

/** A report reads unfolded changes too: the pauses bound how many. */
const PAUSE_MS = 20_000;
/** After a fold that moved something: mails are being sent, and this process folds them. */
const SHORT_PAUSE_MS = 4_000;

/** Folds changes into the sums until it is stopped. Any number of processes may do so. @returns how to stop it */
export function startReportFolder({ db, log }: FolderParts): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function foldUntilStopped(): Promise<void> {
    while (!signal.aborted) {
      const hasMoved = await foldChanges(db).catch((error: unknown) => {
        log.warn({ err: error }, 'could not fold the sums of the reports; retrying in 20 seconds');
        return false;
      });
      await sleep(hasMoved ? SHORT_PAUSE_MS : PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = foldUntilStopped();
  return async () => {
    stopping.abort();
    await running;
  };
}
