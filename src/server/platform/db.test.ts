import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '#test/db.ts';
import { prepared } from './db.ts';

test('only a query marked as prepared stays planned on its connection', async () => {
  const { db } = await testDatabase();
  await db.connection().execute(async (connection) => {
    const plain = connection.selectFrom('account').select('id').where('id', '=', 1);
    await plain.execute();
    await plain.modifyFront(prepared('one_account')).execute();
    await plain.modifyFront(prepared('one_account')).execute();
    const known = await sql<{ name: string }>`SELECT name FROM pg_prepared_statements`.execute(connection);
    expect(known.rows).toStrictEqual([{ name: 'one_account' }]);
  });
});

test('a name stands for one query', async () => {
  const { db } = await testDatabase();
  await db.connection().execute(async (connection) => {
    const account = connection.selectFrom('account').modifyFront(prepared('same_name'));
    await account.select('id').execute();
    await expect(account.select('email').execute()).rejects.toThrow('unique');
  });
});
