import { type KyselyPlugin, RawNode, sql } from 'kysely';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { accountDbOf } from './account-db.ts';
import { type Db, openDatabase } from './db.ts';

let database: TestDatabase;
let accountId: number;
/** A pool of one connection. */
let one: Db;

beforeEach(async () => {
  database = await testDatabase();
  ({ accountId } = await addTenant(database.db));
  const { db, close } = openDatabase(database.url, { role: 'kaitaku_api', connections: 1 });
  one = db;
  onTestFinished(close);
});

test('what failed first is told though the connection is lost, and the pool goes on with another', async () => {
  const account = accountDbOf(one)(accountId);
  const failed = account.transaction(async (tx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
    await database.pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
    throw new Error('what failed first');
  });
  await expect(failed).rejects.toThrow('what failed first');
  // The server's last word may come before its end: then the next one finds out.
  const seen = () => account.transaction((tx) => tx.selectFrom('account').select('id').execute()).catch(() => null);
  expect(await eventually(seen, (rows) => rows !== null)).toStrictEqual([{ id: accountId }]);
});

test('a rollback that the server refuses is told with what failed first', async () => {
  const refused: KyselyPlugin = {
    transformQuery: ({ node }) =>
      RawNode.is(node) && node.sqlFragments[0] === 'ROLLBACK' ? RawNode.createWithSql('SELECT 1 / 0') : node,
    transformResult: async ({ result }) => result,
  };
  const failed = accountDbOf(one.withPlugin(refused))(accountId).transaction(async () => {
    throw new Error('what failed first');
  });
  await expect(failed).rejects.toMatchObject({
    errors: [{ message: 'what failed first' }, { message: 'division by zero' }],
  });
});
