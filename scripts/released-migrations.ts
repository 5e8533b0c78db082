// node scripts/released-migrations.ts: adds the hashes of new migrations to migrations/released.sha256, before a
// release. From then on these must not be edited. Existing lines stay; `sha256sum -c` can check the file.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../migrations');
const LIST = join(FOLDER, 'released.sha256');

const hashOf = (name: string): string => {
  const path = join(FOLDER, name);
  return existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'gone';
};

function released(): { hash: string; name: string }[] {
  const lines = existsSync(LIST) ? readFileSync(LIST, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => ({ hash: line.slice(0, 64), name: line.slice(66) }));
}

/** Returns released migrations that were edited or removed. */
export const editedMigrations = (): string[] =>
  released()
    .filter(({ hash, name }) => hashOf(name) !== hash)
    .map(({ name }) => name);

/** Returns the migrations that no release contains. */
export function newMigrations(): string[] {
  const known = new Set(released().map(({ name }) => name));
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql') && !known.has(name))
    .sort();
}

if (import.meta.main) {
  const lines = [...released(), ...newMigrations().map((name) => ({ hash: hashOf(name), name }))];
  writeFileSync(LIST, lines.map(({ hash, name }) => `${hash}  ${name}\n`).join(''));
}
