import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate, PostgresDialect } from 'kysely-codegen';
import { expect, test } from 'vitest';
import { neededRole } from '#domain/account/role.ts';
import { contractCalls } from '#test/contract.ts';
import { emptyDatabase, testDatabase } from '#test/db.ts';
import { makeIcons } from '../../scripts/icons.ts';
import { settingsTable } from '../settings-table.ts';
import { dumpSchema } from './dump-schema.ts';

// `npm run generate` (vitest -u) writes these files; otherwise a difference from their sources fails the test.

test('schema.sql is the migrated schema', async () => {
  const { pool } = await testDatabase();
  await expect(await dumpSchema(pool)).toMatchFileSnapshot('../../schema.sql');
});

test('db-types.ts are the types of the migrated schema', async () => {
  const { db } = await emptyDatabase();
  const types = await generate({
    // The generator is CommonJS and sees Kysely's other build of the same types.
    db: db as never,
    dialect: new PostgresDialect(),
    excludePattern: 'public.schema_migration',
    // node-postgres returns bigint as text; platform/db.ts parses it to a number, or throws.
    // It would read a date as an instant; platform/db.ts keeps the text.
    typeMapping: { date: 'string', int8: 'number', timestamptz: 'Date' },
    outFile: null,
  });
  await expect(types).toMatchFileSnapshot('../../src/server/platform/database/db-types.ts');
});

test('calls.ts names every call of the contract', async () => {
  const calls = await contractCalls();
  expect(calls.length).toBeGreaterThan(100);
  const names = calls.map(({ name }) => name);
  expect(names).toStrictEqual([...new Set(names)]);
  const text = [
    '// The calls of the contract by their names, made by `npm run generate` and verified in CI. Nothing here loads zod.',
    '',
    "import type { FieldNeeds, Role } from '#domain/account/role.ts';",
    '',
    'export interface Calls {',
    ...calls.map(({ name, file }) => `  readonly ${name}: typeof import('./${file}').${name};`),
    '}',
    '',
    'export const CALLS = {',
    ...calls.map(({ name, call: { method, path, needs, fieldNeeds } }) => {
      const parts = [method, path, needs ?? (fieldNeeds && neededRole(method, needs))].filter(
        (part) => part !== undefined,
      );
      const fields = Object.entries(fieldNeeds ?? {}).map(([field, role]) => `'${field}': '${role}'`);
      const entry = [...parts.map((part) => `'${part}'`), ...(fields.length > 0 ? [`{ ${fields.join(', ')} }`] : [])];
      return `  ${name}: [${entry.join(', ')}],`;
    }),
    '} as const satisfies {',
    "  readonly [Name in keyof Calls]: readonly [Calls[Name]['method'], Calls[Name]['path'], Role?, FieldNeeds?];",
    '};',
    '',
  ];
  await expect(text.join('\n')).toMatchFileSnapshot('../../src/contract/calls.ts');
});

test('the table of settings in docs/operations.md matches the settings that the program reads', async () => {
  const file = '../../docs/operations.md';
  const text = await readFile(join(import.meta.dirname, file), 'utf8');
  const [before = '', after = ''] = text.split(/(?<=<!-- settings -->\n)[\s\S]*(?=<!-- \/settings -->\n)/);
  expect(after, 'the marks around the table').toContain('<!-- /settings -->');
  const rows = settingsTable().map(({ name, default: value, description }) => {
    expect(description, name).toBeDefined();
    return `| \`${name}\` | ${value === null ? '–' : `\`${value}\``} | ${description} |\n`;
  });
  const table = ['| Name | Default | |\n', '|---|---|---|\n', ...rows].join('');
  await expect(`${before}${table}${after}`).toMatchFileSnapshot(file);
});

test('icons.json has the icons that the client imports', async () => {
  const text = makeIcons();
  expect(Object.keys(JSON.parse(text) as object)).toContain('dist/esm/icons/IconCheck.mjs');
  await expect(text).toMatchFileSnapshot('../../src/web/icons.json');
});
