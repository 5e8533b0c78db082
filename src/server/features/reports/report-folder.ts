import type { Logger } from 'pino';
import type { Db } from '../../platform/database/db.ts';
import { startLoop } from '../../platform/loop.ts';
import { foldChanges } from './report-sums.command.ts';

interface FolderParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'error'>;
}

/** The pause between folds. A report also reads unfolded changes, whose number the pause bounds. */
const PAUSE_MS = 20_000;
/** The pause after a fold with changes, because mails are being sent. */
const SHORT_PAUSE_MS = 4_000;

/** Starts folding changes into the sums. Any number of processes may do so. @returns a function that stops it */
export const startReportFolder = ({ db, log }: FolderParts): (() => Promise<void>) =>
  startLoop({
    log,
    task: 'fold the sums of the reports',
    work: async () => ((await foldChanges(db)) ? SHORT_PAUSE_MS : PAUSE_MS),
    retryMs: PAUSE_MS,
  }).stop;
