import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandAt } from './package.ts';

test.each([
  ['a clone', '/home/taro/kaitaku', true, 'npm run kaitaku --'],
  ['an installed package', '/home/taro/sales/node_modules/kaitaku', false, 'npx kaitaku'],
  ['an unpacked package, as in the image', '/app', false, 'node /app/dist/server/main.js'],
])('the command of %s', (_name, root, isSource, command) => {
  expect(commandAt(root, isSource)).toBe(command);
});

test('the command of a trial names its file: the name alone would be looked up in the registry', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-npx-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const cache = join(folder, '_npx/0f1e');
  await mkdir(cache, { recursive: true });
  const root = join(cache, 'node_modules/kaitaku');
  const write = (manifest: object) => writeFile(join(cache, 'package.json'), JSON.stringify(manifest));
  await write({ _npx: { packages: ['./kaitaku-1.0.0.tgz'] } });
  expect(commandAt(root, false)).toBe('npx --yes ./kaitaku-1.0.0.tgz');
  await write({});
  expect(commandAt(root, false)).toBe('npx --yes ./kaitaku.tgz');
});
