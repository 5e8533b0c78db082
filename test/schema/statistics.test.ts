import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '#test/db.ts';

/** Of these an account has some hundreds or thousands at most: autovacuum looks at small tables often by default. */
const SMALL = [
  'account_host',
  'create_key',
  'custom_field',
  'import_run',
  'industry',
  'invitation',
  'mailbox',
  'member_group',
  'notice',
  'oauth_start',
  'saved_condition',
  'sender',
  'sender_connection',
  'sender_profile',
  'stored_file',
];

test('tables in which the planner may choose the wrong index of a new account are analyzed often, or lack statistics', async () => {
  const { db } = await testDatabase();
  const { rows } = await sql<{ name: string; safe: boolean }>`
    SELECT relname AS name,
      'autovacuum_analyze_scale_factor=0' = ANY (reloptions) IS TRUE OR attstattarget = 0 IS TRUE AS safe
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'account_id'
    WHERE relnamespace = 'public'::regnamespace AND 1 < (
      SELECT count(*) FROM pg_index WHERE indrelid = pg_class.oid AND indkey[0] = attnum)
    ORDER BY name`.execute(db);
  expect(rows.filter(({ safe }) => !safe).map(({ name }) => name)).toStrictEqual(SMALL);
});
