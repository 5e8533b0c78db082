import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the version of this program, from package.json. */
export function programVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
