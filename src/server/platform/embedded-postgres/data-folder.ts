import { spawnSync } from 'node:child_process';
import { chownSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartupError } from '../startup-error.ts';
import { executable } from './binaries.ts';
import { type Identity, makePrivateFolder } from './unprivileged.ts';

interface NewDataFolder {
  native: string;
  dataFolder: string;
  identity: Identity;
  user: string;
  password: string;
}

/**
 * Creates a data folder by initdb beside its final place, then renames it. A start killed half-way leaves no incomplete
 * database.
 * @throws StartupError no space, no permission
 */
export function initialiseDataFolder({ native, dataFolder, identity, user, password }: NewDataFolder): void {
  const unfinished = `${dataFolder}.unfinished`;
  const passwordFile = `${unfinished}.password`;
  try {
    rmSync(unfinished, { recursive: true, force: true });
    makePrivateFolder(unfinished, identity);
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (identity.uid !== undefined && identity.gid !== undefined) chownSync(passwordFile, identity.uid, identity.gid);
    initdb(native, unfinished, identity, ['-U', user, `--pwfile=${passwordFile}`]);
    renameSync(unfinished, dataFolder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new StartupError(
      `データベースを ${dirname(dataFolder)} に作成できませんでした。権限と空き容量を確認してください。\n${(error as Error).message}`,
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function initdb(native: string, folder: string, identity: Identity, options: string[]): void {
  const { status, stderr, error } = spawnSync(
    executable(native, 'initdb'),
    ['-D', folder, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-instructions', ...options],
    { ...identity, encoding: 'utf8', cwd: '/' },
  );
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim());
}
