import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settingsTable } from '#server/platform/settings.ts';

const textOf = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
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
  expect(all(COMPOSE, /maildev\/maildev:(\S+)/g)).toStrictEqual([optionalDependencies.maildev]);
  expect(COMPOSE).toMatch(/MAILDEV_WEB_USER: \S+\n +MAILDEV_WEB_PASS: \$\{POSTGRES_PASSWORD:\?\}/);
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
