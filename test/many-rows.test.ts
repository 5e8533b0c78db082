import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * No statement of the server may bind a value for each row of its input: PostgreSQL refuses more than 65,535 values.
 * Rows are passed by `insertRows` (platform/database/driver/insert-rows.ts), ids by `= any($1)`.
 */

const ROOT = join(import.meta.dirname, '..', 'src/server');

/** Matches `.values(` of Kysely with anything but an object. `Object.values` and iterators are no inserts. */
const VALUES = /(?<!\bObject)\.values\(\s*(?![\s{)])/g;
/** Matches `'in'` with anything but a constant, a list of literals or a subquery. */
const IN = /'(?:not )?in',\s*(?!\s|\[(?:'[^']*'(?:, )?)*\]|[A-Z][A-Z_]+\)|(?:\(\{ )?selectFrom\b)/g;
/** Matches a list of values that is joined. */
const JOINED = /\b(?:IN|VALUES) \(?\$\{sql\.join\(/g;

const found = (source: string): string[] =>
  [VALUES, IN, JOINED].flatMap((rule) => [...source.matchAll(rule)].map(([text]) => text.trim()));

describe('a statement whose parameters grow with its input', () => {
  test.each([
    ['.values(rows)', 1],
    ['.values(\n  rows.map((row) => row))', 1],
    ['.values([row, row])', 1],
    ['.values(() => rows)', 1],
    [".where('id', 'in', ids)", 1],
    [".where('id', 'in', [...ids])", 1],
    [".where('id', 'not in', ids.map(Number))", 1],
    ["eb(\n'id',\n'in',\nids,\n)", 1],
    ['IN ($' + '{sql.join(ids)})', 1],
    ['.values({ account_id: 1 })', 0],
    ['.values({\n account_id: 1 })', 0],
    ['Object.values(rows)', 0],
    ['rows.values().map((row) => row)', 0],
    [".where('state', 'in', ['queued', 'running'])", 0],
    [".where('state', 'in', OPEN_STATES)", 0],
    [".where('id', 'in', ({ selectFrom }) => selectFrom('sender'))", 0],
    ["eb('id', 'in', selectFrom('job'))", 0],
  ])('%j: %i', (source, count) => {
    expect(found(source)).toHaveLength(count);
  });

  test('does not exist in the server', () => {
    const files = globSync('**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'));
    expect(files.length).toBeGreaterThan(300);
    const faults = files.flatMap((path) =>
      found(readFileSync(join(ROOT, path), 'utf8')).map((text) => `${path}: ${text}`),
    );
    expect(faults).toStrictEqual([]);
  });
});
