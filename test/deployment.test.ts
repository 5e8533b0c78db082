import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { settingsTable } from '#server/platform/settings.ts';

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found = '']) => found);

const { dependencies, optionalDependencies } = JSON.parse(textOf('package.json')) as Record<
  'dependencies' | 'optionalDependencies',
  Record<string, string>
>;
const COMPOSE = textOf('compose.yaml');

test('the Dockerfile takes the Node that npm start takes', () => {
  const versions = all(textOf('Dockerfile'), /^FROM node:([\d.]+)-/gm);
  expect(new Set(versions)).toStrictEqual(new Set([dependencies.node]));
});

test('compose.yaml catches mails with the mail catcher of npm start, behind a log-in', () => {
  expect(all(COMPOSE, /maildev\/maildev:([\d.]+)/g)).toStrictEqual([optionalDependencies.maildev]);
  expect(COMPOSE).toMatch(/MAILDEV_WEB_USER: \S+\n +MAILDEV_WEB_PASS: \$\{POSTGRES_PASSWORD:\?\}/);
});

test('compose.yaml bounds the log of each container', () => {
  const services = COMPOSE.slice(COMPOSE.indexOf('\nservices:'), COMPOSE.indexOf('\nvolumes:'));
  const names = all(services, /^ {2}([\w-]+):$/gm);
  const bounded = services.split(/^ {2}[\w-]+:$/m).slice(1);
  expect(names.filter((_, at) => !/(?:logging: \*logging|<<: \*kaitaku)/.test(bounded[at] ?? ''))).toStrictEqual([]);
  expect(COMPOSE).toMatch(/x-kaitaku: &kaitaku\n(?: .*\n)* {2}logging: \*logging\n/);
});

test('base images are pinned by the digest that the registry names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kaitaku-pin-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const file of ['Dockerfile', 'compose.yaml']) await copyFile(join(ROOT, file), join(folder, file));
  const digest = `sha256:${'5a'.repeat(32)}`;
  await writeFile(join(folder, 'docker'), `#!/bin/sh\n[ "$4" != fail:1 ] && echo ${digest}\n`, { mode: 0o755 });
  const pin = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'scripts/pin-images.ts'), folder, ...args], {
      env: { PATH: `${folder}:${process.env.PATH}` },
      encoding: 'utf8',
    });
  expect(pin('--check')).toMatchObject({ status: 1, stderr: expect.stringContaining('postgres:18') });
  expect(pin()).toMatchObject({ status: 0 });
  expect(pin('--check')).toMatchObject({ status: 0 });
  expect(pin()).toMatchObject({ status: 0 });
  const texts = await Promise.all(['Dockerfile', 'compose.yaml'].map((file) => readFile(join(folder, file), 'utf8')));
  expect(all(texts.join(''), new RegExp(`(?:FROM|image:) (\\S+)@${digest}(?: AS|$)`, 'gm'))).toHaveLength(4);
  expect(texts.join('').replaceAll(`@${digest}`, '')).toBe(textOf('Dockerfile') + COMPOSE);
});

test('compose.yaml gives the program settings that it has', () => {
  const given = all(COMPOSE, /^ +([A-Z][A-Z_]+):/gm).filter((name) => !/^(?:POSTGRES|MAILDEV)_/.test(name));
  const known = settingsTable().map(({ name }) => name);
  expect(given).toContain('DATABASE_URL');
  expect(given.filter((name) => !known.includes(name))).toStrictEqual([]);
  // The image says where it listens; there is neither a bundled database nor a mail catcher of our own in it, and no demo.
  const ofOneMachine = /^(?:HOST|PORT|DATA_DIR|MAIL_CATCHER_\w+|KAITAKU_DEMO)$/;
  expect(known.filter((name) => !given.includes(name) && !ofOneMachine.test(name))).toStrictEqual([]);
});

test('the README has the settings that the program has', () => {
  const [, section = ''] = /\n## Settings\n([\s\S]*?)\n## /.exec(textOf('README.md')) ?? [];
  const names = section.split('\n').flatMap((line) => all(/^\| (.*?) \|/.exec(line)?.[1] ?? '', /`([A-Z_]+)`/g));
  expect(names.toSorted()).toStrictEqual(
    settingsTable()
      .map(({ name }) => name)
      .toSorted(),
  );
});
