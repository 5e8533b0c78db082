import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { StartupError } from '../startup-error.ts';

/**
 * The user `nobody`, who runs PostgreSQL when we are root.
 * PostgreSQL refuses to run as root, and `nobody` must be able to reach its folders. If a parent folder is closed to
 * others (a home folder of mode 0700), programs and data are kept below SHARED instead.
 */
const NOBODY = 65_534;
const SHARED = '/var/lib/kaitaku';

export interface Identity {
  uid?: number;
  gid?: number;
}

/** PostgreSQL's folders that may be empty, which many ways of copying omit. */
const MAYBE_EMPTY = `pg_commit_ts pg_dynshmem pg_logical/mappings pg_logical/snapshots pg_notify pg_replslot pg_serial
  pg_snapshots pg_stat pg_stat_tmp pg_subtrans pg_tblspc pg_twophase pg_wal/archive_status pg_wal/summaries`.split(
  /\s+/,
);

const isRoot = () => process.getuid?.() === 0;

/** Returns the identity that runs PostgreSQL: `nobody` when we are root, otherwise our own. */
export const postgresIdentity = (): Identity => (isRoot() ? { uid: NOBODY, gid: NOBODY } : {});

function reachableByOthers(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() && (stats.mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Returns the real path of the data folder. It differs from `wanted` only as root with a closed parent folder. */
export function reachableDataFolder(wanted: string): string {
  if (!isRoot() || reachableByOthers(dirname(wanted))) return wanted;
  return join(SHARED, createHash('sha256').update(resolve(wanted)).digest('hex').slice(0, 16));
}

/**
 * Returns a folder whose programs can be run, including the links between their libraries.
 * It is a copy if `nobody` cannot reach the installed programs, or if links are missing and cannot be made.
 * @param beside the parent folder of the copy, if only the links require it
 */
export function usablePrograms(native: string, beside: string): string {
  if (isRoot() && !reachableByOthers(native)) return copyOf(native, SHARED);
  try {
    makeLinks(native);
    return native;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return copyOf(native, beside);
  }
}

/** Makes the links that npm cannot pack, if npm did not run the package's install script. */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  // Both paths start with `native/`.
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Record<'source' | 'target', string>[]) {
    const link = join(native, relative('native', target));
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Copies the programs, with their links. @throws StartupError no space, no permission */
function copyOf(native: string, folder: string): string {
  const copy = join(folder, `postgres-${fingerprint(native)}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    makeLinks(unfinished);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new StartupError(
      `同梱のPostgreSQLを ${folder} に写せませんでした（${(error as Error).message}）。権限と空き容量を確認してください。`,
    );
  }
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    // Another process was faster, with the same copy.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/** Identifies an installed version, so that an outdated copy is never run. */
function fingerprint(native: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(join(native, 'bin'))) {
    const { size, mtimeMs } = statSync(join(native, 'bin', name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Gives a folder to PostgreSQL's identity, readable by no other user. */
export function makePrivateFolder(path: string, { uid, gid }: Identity): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** Returns the command by which an administrator gives a folder to a user. */
export const giveCommand = (path: string, { uid = process.getuid?.(), gid = process.getgid?.() }: Identity): string =>
  `${isRoot() ? '' : 'sudo '}chown -R ${uid}:${gid} '${path.replaceAll("'", "'\\''")}'`;

/**
 * Makes a copied data folder usable: PostgreSQL must own it, and it must be closed to others. Changes only our own
 * files, or as root those of root.
 * @throws StartupError with the command to run, or with an alternative
 */
export function takeCopied(dataFolder: string, identity: Identity): void {
  const us = process.getuid?.();
  if (us === undefined) return;
  const { uid = us, gid = -1 } = identity;
  const owners = ['', 'PG_VERSION', 'global/pg_control'].flatMap(
    (path) => statSync(join(dataFolder, path), { throwIfNoEntry: false })?.uid ?? [],
  );
  const other = owners.find((owner) => owner !== uid && owner !== us);
  if (other !== undefined)
    throw new StartupError(
      `データフォルダー ${dataFolder} は、別のユーザー（uid ${other}）のものです。次のコマンドを実行してから、起動してください: ` +
        giveCommand(dataFolder, identity),
    );
  const made = MAYBE_EMPTY.map((path) => mkdirSync(join(dataFolder, path), { recursive: true, mode: 0o700 }));
  if (uid !== us && (owners.includes(us) || made.some((path) => path !== undefined))) {
    const paths = readdirSync(dataFolder, { recursive: true, encoding: 'utf8' });
    for (const path of ['', ...paths]) lchownSync(join(dataFolder, path), uid, gid);
  }
  if (isClosed(dataFolder)) return;
  chmodSync(dataFolder, 0o700);
  if (!isClosed(dataFolder))
    throw new StartupError(
      `${dataFolder} のあるディスクでは、フォルダーをほかのユーザーに閉じられません。DATA_DIR に、別のディスクへコピーしたフォルダーを指定してください。`,
    );
}

/** Checks for the modes that PostgreSQL accepts: 0700 and 0750. */
const isClosed = (folder: string): boolean => (statSync(folder).mode & 0o027) === 0;
