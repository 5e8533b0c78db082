// Prepares for `npm start` and `npm test` until Node 24 can run: plain JavaScript for the installed Node (18+).
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode, noNode } from '../bin/run-program.cjs';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === 'win32';

/** Exits with a message instead of a stack trace; the cause is printed above it. */
export function fail(message) {
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
}

/** Returns the path of Node 24, which `installPackages` has installed. */
export function ourNode() {
  return findNode(ROOT) ?? fail(noNode('もう一度実行する'));
}

/** Returns the environment with the project's Node first in PATH. */
function environment(env = {}) {
  const PATH = [dirname(ourNode()), join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(windows ? ';' : ':');
  return { ...process.env, PATH, ...env };
}

/**
 * Runs a script in the project's folder with the project's Node, also first in its PATH; it inherits standard output.
 * @returns its exit code
 */
export function run(args, { env = {} } = {}) {
  const node = ourNode();
  const { status, error } = spawnSync(node, args, { cwd: ROOT, stdio: 'inherit', env: environment(env) });
  if (error) fail(`${node} を実行できませんでした（${error.message}）。`);
  return status ?? 1;
}

/**
 * Starts a script of package.json with the current npm, in its own process group.
 * npm and its shell do not forward signals: the whole group is signalled.
 */
export function startScript(name) {
  const npm = process.env.npm_execpath;
  const [program, ...args] = npm ? [process.execPath, npm] : ['npm'];
  const options = { cwd: ROOT, stdio: 'inherit', env: environment(), detached: !windows };
  return spawn(program, [...args, 'run', '--silent', name], options);
}

function hashOf(paths) {
  const hash = createHash('sha256');
  const add = (path) => hash.update(`${path}\0`).update(readFileSync(join(ROOT, path)));
  for (const path of paths) {
    if (/\.\w+$/.test(path)) add(path);
    else for (const file of filesBelow(path)) add(file);
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}

/**
 * Runs `work` unless it has already run for the same content of `inputs`.
 * The stamp is written last, so that an interrupted run is repeated.
 */
function once(stamp, inputs, work) {
  const hash = hashOf(inputs);
  const path = join(ROOT, stamp);
  if (existsSync(path) && readFileSync(path, 'utf8') === hash) return;
  work();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, hash);
}

/**
 * Installs the missing packages.
 * @param {{ toStart?: boolean }} options toStart: only the packages for building and running, unless the test runner
 * is installed, which npm would then remove.
 */
export function installPackages({ toStart = false } = {}) {
  const omits = toStart && !existsSync(join(ROOT, 'node_modules/vitest'));
  const stamp = omits ? 'node_modules/.kaitaku-installed-to-start' : 'node_modules/.kaitaku-installed';
  once(stamp, ['package.json', 'package-lock.json'], () => {
    process.stdout.write('必要なパッケージをインストールしています（初回は1〜2分かかります）…\n');
    const npm = process.env.npm_execpath;
    // Without --no-save npm rewrites the lock file: npm 11 adds packages of other platforms, npm 10 removes `libc`.
    const dev = omits ? '--omit=dev' : '--include=dev';
    const args = ['install', '--no-save', dev, '--loglevel=error', '--no-audit', '--no-fund'];
    // Not through run(): npm belongs to the installed Node, and the project's Node is not installed yet.
    const options = { cwd: ROOT, stdio: 'inherit' };
    const { status } = npm
      ? spawnSync(process.execPath, [npm, ...args], options)
      : spawnSync(windows ? 'npm.cmd' : 'npm', args, { ...options, shell: windows });
    if (status !== 0)
      fail('パッケージをインストールできませんでした。ネットワークと空き容量を確認して、もう一度実行してください。');
    // npm omits optional packages that it cannot download: without its stamp the next start tries again.
    linkNode(ourNode());
  });
}

/** Creates the link through which npm scripts find Node 24: npm 10 removes it with other platforms' packages. */
function linkNode(node) {
  const link = join(ROOT, 'node_modules', '.bin', 'node');
  if (windows || node === process.execPath || existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), node), link);
}

export function buildWeb() {
  const inputs = [
    'src/web',
    'src/domain',
    'src/contract',
    'docs/guide.md',
    'docs/law.md',
    'docs/images',
    'vite.config.ts',
    'package-lock.json',
  ];
  once('dist/.web-built', inputs, () => {
    process.stdout.write('画面をビルドしています…\n');
    if (run(['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn']) !== 0) {
      fail('画面をビルドできませんでした。');
    }
  });
}
