import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { MINUTE_MS } from '#domain/time-units.ts';
import type { Db } from '../../platform/database/db.ts';
import { archiveBatch } from './archive.command.ts';

interface ArchiveParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'error'>;
}

const LOOK_EVERY_MS = MINUTE_MS;
/** A batch is followed by a rest of so many times its duration: the archive never takes more than a fifth of a core. */
const REST_FACTOR = 4;
const REST_MIN_MS = 100;

/**
 * Archives old mails beside sending, batch by batch, until it is stopped. Any number of processes may do so.
 * @returns how to stop it
 */
export function startArchiveWorker({ db, log }: ArchiveParts): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function archiveUntilStopped(): Promise<void> {
    let restMs = LOOK_EVERY_MS;
    while (true) {
      await sleep(restMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      restMs = await archiveOnce().catch((error: unknown) => {
        log.error({ err: error }, 'could not archive old mails; trying again in a minute');
        return LOOK_EVERY_MS;
      });
    }
  }

  async function archiveOnce(): Promise<number> {
    const begin = performance.now();
    const moved = await archiveBatch(db);
    return moved === null ? LOOK_EVERY_MS : Math.max(REST_MIN_MS, (performance.now() - begin) * REST_FACTOR);
  }

  const running = archiveUntilStopped();
  return async () => {
    stopping.abort();
    await running;
  };
}
