import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** What the package has: the built program, what it reads, and what its operators read. */
const PACKED = [
  /^bin\/[\w-]+\.cjs$/,
  /^dist\/server\/[\w.-]+\.js(?:\.map)?$/,
  /^dist\/web\/(?!.*\.map$)/,
  /^docs\/(?:deploy|deploy\/ha|monitoring)\/[\w@.-]+$/,
  /^docs\/[\w.]+\.md$/,
  /^examples\/prospects\.csv$/,
  /^migrations\/(?:\d{4}_\w+\.sql|released\.sha256)$/,
  /^src\/server\/[\w/-]+\.(?:css|js|md)$/,
  /^(?:CHANGELOG|README|README\.ja)\.md$|^LICENSE$|^package\.json$/,
];

/** Bundles the server into dist/server, which the package takes beside dist/web. */
export function bundleServer(): void {
  const args = ['node_modules/vite/bin/vite.js', 'build', '--config', 'vite.server.config.ts', '--logLevel', 'warn'];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * Packs what was built.
 * @returns the path of the package in `folder`
 * @throws where npm packed a file that a package must not have
 */
export function pack(folder: string): string {
  const args = ['pack', '--json', '--pack-destination', folder];
  const printed = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' });
  const [packed] = JSON.parse(printed) as { filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error(`npm pack printed ${printed}`);
  const strange = packed.files.map(({ path }) => path).filter((path) => !PACKED.some((known) => known.test(path)));
  if (strange.length > 0) throw new Error(`the package has files that it must not have: ${strange.join(', ')}`);
  return join(folder, packed.filename);
}
