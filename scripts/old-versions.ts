import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The commits whose programs people run, and upgrade. */
export const OLD_VERSIONS = {
  '1.0.0': '3fbfabe353ea05153211812b44acd68d32a3f0ec',
  'a clone of a5f114cc': 'a5f114cc',
} as const;

/** Outside of the tree: a clone is made anew more often than these programs. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kaitaku', 'versions');

const run = (cwd: string, program: string, args: readonly string[]): void => {
  execFileSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' });
};

/**
 * Builds the package of an earlier commit with the dependencies of its own lock file, once, and unpacks it.
 * @returns the package's folder, with its dependencies
 */
export function oldVersion(commit: string): string {
  const hash = execFileSync('git', ['rev-parse', `${commit}^{commit}`], { cwd: ROOT, encoding: 'utf8' }).trim();
  const folder = join(CACHE, hash);
  if (existsSync(folder)) return join(folder, 'package');
  const work = `${folder}.${process.pid}`;
  const clone = join(work, 'clone');
  try {
    mkdirSync(clone, { recursive: true });
    run(ROOT, 'git', ['archive', '--output', join(work, 'clone.tar'), hash]);
    run(clone, 'tar', ['xf', join(work, 'clone.tar')]);
    run(clone, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    const vite = (...args: string[]) =>
      run(clone, process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn', ...args]);
    vite();
    vite('--config', 'vite.server.config.ts');
    run(clone, 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work]);
    run(work, 'tar', ['xzf', 'kaitaku-1.0.0.tgz']);
    renameSync(join(clone, 'node_modules'), join(work, 'package', 'node_modules'));
    rmSync(clone, { recursive: true });
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return join(folder, 'package');
}
