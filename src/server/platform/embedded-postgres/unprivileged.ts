import { createHash } from 'node:crypto';
import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * The user `nobody`, as which PostgreSQL runs where we are root.
 * PostgreSQL refuses to run as root, and `nobody` needs folders that it can reach. Where a parent folder is closed to
 * others (a home folder of mode 0700), programs and data are kept below SHARED instead.
 */
const NOBODY = 65_534;
const SHARED = '/var/lib/kaitaku';

export interface Identity {
  uid?: number;
  gid?: number;
}

const isRoot = () => process.getuid?.() === 0;

/** Returns the identity to spawn PostgreSQL with: `nobody` when we are root, else our own. */
export const postgresIdentity = (): Identity => (isRoot() ? { uid: NOBODY, gid: NOBODY } : {});

function reachableByOthers(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() && (stats.mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Returns the real place of the data folder. It differs from `wanted` only as root and behind a closed folder. */
export function reachableDataFolder(wanted: string): string {
  if (!isRoot() || reachableByOthers(dirname(wanted))) return wanted;
  return join(SHARED, createHash('sha256').update(resolve(wanted)).digest('hex').slice(0, 16));
}

/** Returns a folder from which `nobody` can run the programs; a copy only where the installed ones are unreachable. */
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
    // Another process was faster: its copy is the same.
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

/** Gives a folder to the identity that PostgreSQL runs as, readable by no other user. */
export function makePrivateFolder(path: string, { uid, gid }: Identity): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
