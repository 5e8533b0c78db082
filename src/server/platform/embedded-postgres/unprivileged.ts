import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * PostgreSQL refuses to run as root. There its programs run as `nobody`, who needs folders it can reach: where a parent
 * folder is closed to others (a home folder of mode 0700), programs and data are kept below SHARED instead.
 */
const NOBODY = 65_534;
const SHARED = '/var/lib/kaitaku';

export interface Identity {
  uid?: number;
  gid?: number;
}

const isRoot = () => process.getuid?.() === 0;

/** The identity to spawn PostgreSQL with: `nobody` when we are root, else our own. */
export const postgresIdentity = (): Identity => (isRoot() ? { uid: NOBODY, gid: NOBODY } : {});

function reachableByOthers(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() && (stats.mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Where the data folder really is. Elsewhere than asked for only as root and behind a closed folder. */
export function reachableDataFolder(wanted: string): string {
  if (!isRoot() || reachableByOthers(dirname(wanted))) return wanted;
  return join(SHARED, createHash('sha256').update(resolve(wanted)).digest('hex').slice(0, 16));
}

/** The programs at a place `nobody` can run them from: a copy only where the installed ones cannot be reached. */
export function reachablePrograms(native: string): string {
  if (!isRoot() || reachableByOthers(native)) return native;
  const copy = join(SHARED, `postgres-${fingerprint(native)}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  mkdirSync(SHARED, { recursive: true, mode: 0o755 });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    // Another process was quicker: its copy is the same.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/** Tells one installed version from another, so that an old copy is never run. */
function fingerprint(native: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(join(native, 'bin'))) {
    const { size, mtimeMs } = statSync(join(native, 'bin', name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 12);
}

/** Makes a folder belong to the identity PostgreSQL runs as; only that one may read it. */
export function makePrivateFolder(path: string, { uid, gid }: Identity): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
