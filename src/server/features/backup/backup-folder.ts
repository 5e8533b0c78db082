import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { onlyRow } from '../../platform/database/only-row.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { type Head, readArchive, refuseTaken, renameNew } from './archive.ts';
import { type Backup, type BackupOptions, writeBackup } from './backup.command.ts';
import { backupName, expiredBackups, type Keep, timeOfBackup } from './backup-names.ts';
import { checkBackup } from './check-backup.ts';

interface FolderOptions extends BackupOptions {
  readonly keep: Keep;
  /** Epoch milliseconds, for the name. */
  readonly now: number;
}

export interface FolderBackup extends Backup {
  readonly path: string;
  readonly bytes: number;
  /** How many backups of this installation are in the folder now. */
  readonly kept: number;
  readonly deleted: number;
  /** Files with such a name that are no readable backups of this installation. They were left. */
  readonly foreign: readonly string[];
}

/**
 * Writes a backup into a folder, reads it back, and then deletes the expired ones of this installation. A fault before
 * that deletes nothing. A killed process leaves at most a file `….part`, which the next run deletes.
 * @param pool of the role kaitaku_service
 * @throws StartupError; another process that does the same for this database is one
 */
export const backUpTo = (pool: pg.Pool, folder: string, options: FolderOptions): Promise<FolderBackup> =>
  alone(pool, async (installation) => {
    const name = backupName(options.now);
    // Other installations may write into the same folder now: a part names its own.
    const own = `.${installation.slice(0, 8)}.part`;
    inFolder(folder, () => {
      // Not recursive: where a parent refuses with ENOENT, as /proc does, Node tries forever.
      if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
      for (const left of filesIn(folder).filter((one) => one.endsWith(own))) rmSync(join(folder, left));
    });
    const [path, part] = [join(folder, name), join(folder, `${name}${own}`)];
    refuseTaken(path);
    const written = await writeBackup(pool, part, { ...options, unfinished: part });
    try {
      await checkBackup(part, { ofAnyVersion: true });
      await renameNew(part, path);
    } finally {
      rmSync(part, { force: true });
    }
    const found = await ourBackups(folder, installation);
    const expired = expiredBackups(found.ours, { ...options.keep, written: name });
    inFolder(folder, () => {
      for (const one of expired) rmSync(join(folder, one), { force: true });
    });
    const kept = found.ours.length - expired.length;
    const { size: bytes } = statSync(path);
    return { ...written, path, bytes, kept, deleted: expired.length, foreign: found.foreign };
  });

/** Returns the time of the newest backup in a folder by the names alone, up to `now`; 0: there is none. */
export function newestIn(folder: string, now: number): number {
  try {
    return Math.max(
      0,
      ...filesIn(folder)
        .map((name) => timeOfBackup(name) ?? 0)
        .filter((time) => time <= now),
    );
  } catch {
    return 0;
  }
}

/** The key of an advisory lock (any fixed number). */
const BACKUP_LOCK = 4_202_614;

/** Runs `work` unless another process does it on this database. PostgreSQL ends the lock with the process. */
async function alone<Result>(pool: pg.Pool, work: (installation: string) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ ours: boolean; isMade: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS ours, to_regclass(\'installation\') IS NOT NULL AS "isMade"',
      [BACKUP_LOCK],
    );
    const { ours, isMade } = onlyRow(rows);
    if (!ours)
      throw new StartupError('別の backup --to が動いているため、作りませんでした。終わるのを待ってください。');
    // writeBackup() refuses a database without tables.
    const ids = isMade ? await client.query<{ id: string }>('SELECT id FROM installation') : null;
    return await work(ids?.rows[0]?.id ?? '');
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [BACKUP_LOCK]).catch(() => undefined);
    client.release(true);
  }
}

/** Explains a fault of the folder to the operator. */
function inFolder(folder: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new StartupError(
      `フォルダー ${folder} に書き込めません（${(error as Error).message}）。kaitaku を動かすユーザーのフォルダーを指定するか、権限を直してください。`,
    );
  }
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/** Returns the names of the backups in a folder, by the installation in their heads. */
async function ourBackups(folder: string, installation: string) {
  const [ours, foreign]: [string[], string[]] = [[], []];
  for (const name of filesIn(folder).filter((one) => timeOfBackup(one) !== null)) {
    const head = await headOf(join(folder, name));
    (head?.installation === installation ? ours : foreign).push(name);
  }
  return { ours, foreign };
}

/** Returns the head of a backup; null: it is none that this program reads, or not of this user. */
async function headOf(path: string): Promise<Head | null> {
  try {
    for await (const part of readArchive(path)) if (part.kind === 'head') return part;
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
  }
  return null;
}
