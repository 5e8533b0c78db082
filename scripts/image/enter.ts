import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, startProgram } from '#test/program.ts';
import type { Image } from './build.ts';

/**
 * Enters an image by chroot, in mounts of its own that end with the process: its files read-only, as the compose files
 * run it, with two folders that may be written to.
 */
const ENTER = `
  set -e
  root=$1 data=$2 backups=$3 user=$4 folder=$5
  shift 5
  mount --bind "$root" "$root"
  mount -o remount,bind,ro "$root"
  mount --bind "$data" "$root/app/data"
  mount --bind "$backups" "$root/backups"
  mount -t tmpfs tmpfs "$root/tmp"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  exec chroot --userspec="$user:$user" "$root" env -C "$folder" "$@"`;

/** Folders of the host in place of volumes, writable for the image's user as Docker makes them. */
export interface Volumes {
  readonly data: string;
  readonly backups: string;
}

export function makeVolumes(folder: string, chown: (path: string) => void): Volumes {
  const volumes = { data: join(folder, 'data'), backups: join(folder, 'backups') };
  for (const path of Object.values(volumes)) {
    mkdirSync(path, { mode: 0o700 });
    chown(path);
  }
  return volumes;
}

/** Starts a command of an image, as a container does: its user, folder, entry point and environment. */
export function enterImage(
  { files, config }: Image,
  { data, backups }: Volumes,
  args: readonly string[],
  env: Record<string, string>,
): Program {
  const own = Object.fromEntries(
    config.Env.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const into = [files, data, backups, config.User, config.WorkingDir];
  const command: [string, ...string[]] = ['unshare', '--mount', 'sh', '-c', ENTER, 'sh', ...into, ...config.Entrypoint];
  return startProgram([...args], { ...own, NODE_COMPILE_CACHE: '', ...env }, { command });
}
