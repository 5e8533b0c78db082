import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atFileEnd } from './file-end.ts';

const MIGRATIONS = join(import.meta.dirname, '../migrations');

/** Makes an empty folder for migrations, gone when the test file ends. */
export async function migrationFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-migrations-'));
  atFileEnd(() => rm(folder, { recursive: true }));
  return folder;
}

/** Copies the program's own migrations up to this number, such as '0029'. */
export async function copyMigrations(folder: string, last: string): Promise<void> {
  for (const name of await readdir(MIGRATIONS)) {
    if (name.slice(0, 4) <= last) await cp(join(MIGRATIONS, name), join(folder, name));
  }
}
