import { join } from 'node:path';
import { formatTimeOfDay } from '#domain/time/tokyo-time.ts';
import { HOUR_MS, MINUTE_MS } from '#domain/time-units.ts';
import { backUpTo, type FolderBackup, newestIn } from '../../features/backup/backup-folder.ts';
import { dueAt, type Keep } from '../../features/backup/backup-names.ts';
import type { Database } from '../../platform/database/db.ts';
import { createLog, faultText } from '../../platform/log.ts';
import { startLoop } from '../../platform/loop.ts';
import type { Settings } from '../../platform/settings.ts';
import { recordRun } from '../../platform/tasks/task-runs.queries.ts';
import { reportUnreadable } from '../receipts.ts';
import { stopSignal } from '../stop-signal.ts';
import { withDatabase } from '../with-database.ts';
import { BACKUP_TASK } from './periodic-tasks.ts';

export interface NightlyBackup {
  readonly folder: string;
  readonly keep: Keep;
}

/** Writes a backup into the folder, and records how it ended. @throws StartupError */
export const backUpOnce = (settings: Settings, to: NightlyBackup): Promise<FolderBackup> =>
  withDatabase(settings, (database) => recorded(database, settings, to), { schema: 'as it is' });

async function recorded({ db, pool }: Database, { dataDir }: Settings, { folder, keep }: NightlyBackup) {
  const begin = performance.now();
  const record = (fault: string | null) => {
    const seconds = (performance.now() - begin) / 1000;
    // An older database, which is backed up before its upgrade, has no such table.
    return recordRun(db, { ...BACKUP_TASK, seconds, fault, atMostEverySeconds: 0 }).catch(() => undefined);
  };
  try {
    const options = { root: join(dataDir, 'receipts'), onFault: reportUnreadable, keep, now: Date.now() };
    const written = await backUpTo(pool, folder, options);
    await record(null);
    return written;
  } catch (error) {
    await record(faultText(error));
    throw error;
  }
}

/** How often the clock is looked at. */
const LOOK_MS = MINUTE_MS / 2;

/**
 * Writes a backup each day until the process is told to stop; at once if the last one was missed. After a fault it
 * tries again in an hour.
 * @param at minutes since midnight in Tokyo
 */
export async function backUpNightly(settings: Settings, at: number, to: NightlyBackup): Promise<void> {
  const stopped = stopSignal();
  const log = createLog(settings.logLevel ?? 'info');
  log.info({ folder: to.folder, at: formatTimeOfDay(at), ...to.keep }, 'a backup will be written each day');
  let since = newestIn(to.folder, Date.now());
  let done: number | null = null;
  const loop = startLoop({
    log,
    task: BACKUP_TASK.name,
    isPeriodic: true,
    retryMs: HOUR_MS,
    work: async () => {
      const now = Date.now();
      const due = dueAt(since, now, at);
      // The same time comes again after the clock went back.
      if (due !== null && due !== done) {
        const { path, bytes, kept, deleted, foreign } = await backUpOnce(settings, to);
        log.info({ file: path, bytes, kept, deleted, foreign }, 'backup of all accounts written');
        done = due;
      }
      since = now;
      return LOOK_MS;
    },
  });
  await stopped;
  await loop.stop();
}
