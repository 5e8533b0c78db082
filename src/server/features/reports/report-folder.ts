import type { Logger } from 'pino';
import type { Db } from '../../platform/database/db.ts';
import { startLoop } from '../../platform/loop.ts';
import { foldChanges } from './report-sums.command.ts';

interface FolderParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'error'>;
}

/** A report reads unfolded changes too: the pauses bound how many. */
const PAUSE_MS = 20_000;
/** After a fold that moved something: mails are being sent, and this process folds them. */
const SHORT_PAUSE_MS = 4_000;

/** Folds changes into the sums. Any number of processes may do so. @returns how to stop it */
export const startReportFolder = ({ db, log }: FolderParts): (() => Promise<void>) =>
  startLoop({
    log,
    task: 'fold the sums of the reports',
    work: async () => ((await foldChanges(db)) ? SHORT_PAUSE_MS : PAUSE_MS),
    retryMs: PAUSE_MS,
  }).stop;
