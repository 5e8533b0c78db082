import type { Logger } from 'pino';
import { MINUTE_MS } from '#domain/time-units.ts';
import type { Db } from '../../platform/database/db.ts';
import { startLoop } from '../../platform/loop.ts';
import { blankBatch } from './blank.command.ts';

interface BlankParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'error'>;
}

const LOOK_EVERY_MS = MINUTE_MS;
/** A batch is followed by a rest of so many times its duration: blanking never takes more than a tenth of a core. */
const REST_FACTOR = 9;
const REST_MIN_MS = 100;

/**
 * Blanks old mails beside sending, batch by batch. Any number of processes may do so.
 * @returns how to stop it
 */
export const startBlankWorker = ({ db, log }: BlankParts): (() => Promise<void>) =>
  startLoop({
    log,
    task: 'blank old mails',
    async work() {
      const begin = performance.now();
      const blanked = await blankBatch(db);
      return blanked === null ? LOOK_EVERY_MS : Math.max(REST_MIN_MS, (performance.now() - begin) * REST_FACTOR);
    },
    firstMs: LOOK_EVERY_MS,
    retryMs: LOOK_EVERY_MS,
  }).stop;
