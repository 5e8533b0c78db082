import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test('what npm start, test, bench and faults install leaves package-lock.json as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-prepare-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  for (const name of ['scripts', 'our-node', 'our-node/bin']) mkdirSync(join(folder, name));
  copyFileSync(join(import.meta.dirname, '../scripts/prepare.mjs'), join(folder, 'scripts/prepare.mjs'));
  write('package.json', JSON.stringify({ name: 'x', version: '1.0.0', dependencies: { node: 'file:./our-node' } }));
  // npm would write it anew: it lacks a package.
  const lock = JSON.stringify({ name: 'x', version: '1.0.0', lockfileVersion: 3, packages: {} });
  write('package-lock.json', lock);
  write('our-node/package.json', JSON.stringify({ name: 'node', version: '24.0.0' }));
  write('our-node/bin/node', '');
  write('our-node/bin/node.exe', '');

  const script = `import { installPackages } from './scripts/prepare.mjs'; installPackages();`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder,
    env: { ...process.env, npm_config_offline: 'true' },
    encoding: 'utf8',
  });
  expect([status, stderr]).toStrictEqual([0, '']);
  expect(existsSync(join(folder, 'node_modules/node/bin/node'))).toBe(true);
  expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).toBe(lock);
});
