import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SERVER = join(import.meta.dirname, '../src/server');
const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const SCHEMA = read('schema.sql');
const DOCUMENT = read('docs/scale.md').split('## Blocking constructs')[1] ?? '';

/** Returns the first group of all matches, sorted, once each. */
const all = (text: string, pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))];
const inSchema = (pattern: RegExp) => all(SCHEMA, pattern).toSorted();

const SOURCES = globSync('**/*.ts', { cwd: SERVER })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ name: path.replace('features/', ''), text: readFileSync(join(SERVER, path), 'utf8') }));
const inSource = (pattern: RegExp) =>
  SOURCES.filter(({ text }) => pattern.test(text))
    .map(({ name }) => name)
    .toSorted();

const WITHOUT_ACCOUNT = [...SCHEMA.matchAll(/^CREATE TABLE (?:public\.)?(\w+) \((.*?)^\)/gms)]
  .filter(([, , columns = '']) => !/^\s*account_id /m.test(columns))
  .map(([, table = '']) => table)
  .toSorted();

/** The keys that do not begin with the account, of tables that have one. */
const OTHER_KEYS = inSchema(
  /(?:CONSTRAINT|^CREATE UNIQUE INDEX) (\w+) (?:PRIMARY KEY|UNIQUE|ON )[^(]*\((?!account_id)/gm,
).filter((key) => !WITHOUT_ACCOUNT.some((table) => key.startsWith(`${table}_`)));

/** What stands in the way of a distributed PostgreSQL, as docs/scale.md names it, and where it is used. */
const CONSTRUCTS: [string, string[]][] = [
  ['Statement triggers with transition tables', inSchema(/^CREATE TRIGGER .* REFERENCING .* FUNCTION (\w+)\(/gm)],
  ['Row triggers', inSchema(/^CREATE TRIGGER .* FOR EACH ROW .*FUNCTION (\w+)\(/gm)],
  ['`SKIP LOCKED`', inSource(/skipLocked\(\)|SKIP LOCKED/)],
  ['Session advisory locks', inSource(/pg_(try_)?advisory_lock/)],
  ['Transaction advisory locks', inSource(/pg_(try_)?advisory_xact_lock/)],
  ['Tables without the account', WITHOUT_ACCOUNT.filter((table) => table !== 'account')],
  [
    '`LISTEN` / `NOTIFY`',
    [...inSchema(/FUNCTION public\.(\w+)(?:(?!CREATE).)*pg_notify/gs), ...inSource(/pg_notify|`LISTEN /)],
  ],
  ['Keys without the account', OTHER_KEYS],
  ['Indexes without the account', inSchema(/^CREATE INDEX (\w+) [^(]*\((?!account_id)/gm)],
  ['Temporary tables', inSource(/CREATE TEMP/)],
];

test.each(CONSTRUCTS)('docs/scale.md names each place of: %s', (construct, places) => {
  const [, entry = ''] = DOCUMENT.split(`- **${construct}**: `);
  const [names = ''] = entry.split(/\.\s+On one server:/);
  expect(places).not.toStrictEqual([]);
  expect(all(names, /`([^`]+)`/g)).toStrictEqual(places);
});
