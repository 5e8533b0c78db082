import { generate, PostgresDialect } from 'kysely-codegen';
import { expect, test } from 'vitest';
import { testDatabase } from '#test/db.ts';
import { dumpSchema } from './dump-schema.ts';

// `npm run generate` (vitest -u) writes the two files; without it a difference from the migrations is a failure.

test('schema.sql is the migrated schema', async () => {
  const { pool } = await testDatabase();
  await expect(await dumpSchema(pool)).toMatchFileSnapshot('../../schema.sql');
});

test('db-types.ts are the types of the migrated schema', async () => {
  const { db } = await testDatabase();
  const types = await generate({
    // The generator is CommonJS and sees Kysely's other build of the same types.
    db: db as never,
    dialect: new PostgresDialect(),
    excludePattern: 'public.schema_migration',
    // node-postgres gives bigint as text; platform/db.ts makes a number of it, or refuses.
    typeMapping: { int8: 'number', timestamptz: 'Date' },
    outFile: null,
  });
  await expect(types).toMatchFileSnapshot('../../src/server/platform/db-types.ts');
});
