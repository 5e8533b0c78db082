import { type KyselyPlugin, RawNode, sql } from 'kysely';
import type pg from 'pg';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { openAs } from '#test/open-as.ts';
import { addSender, addSenderGroup, addTenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { rewriteStatements } from '#test/statements.ts';
import { accountDbOf } from './account-db.ts';
import type { Db } from './db.ts';

let database: TestDatabase;
let accountId: number;
/** A pool of one connection. */
let one: Db;

beforeEach(async () => {
  database = await emptyDatabase();
  ({ accountId } = await addTenant(database.db));
  const { db, close } = openAs('api', database.url, 1);
  one = db;
  onTestFinished(close);
});

test('the first error is reported though the connection is lost, and the pool opens another', async () => {
  const account = accountDbOf(one)(accountId, null);
  const failed = account.transaction(async (tx) => {
    const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
    await database.pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
    throw new Error('what failed first');
  });
  await expect(failed).rejects.toThrow('what failed first');
  // The server may close the connection after its answer; then the next query finds the connection broken.
  const seen = () => account.transaction((tx) => tx.selectFrom('account').select('id').execute()).catch(() => null);
  expect(await eventually(seen, (rows) => rows !== null)).toStrictEqual([{ id: accountId }]);
});

test('a refused rollback is reported with the first error', async () => {
  const refused: KyselyPlugin = {
    transformQuery: ({ node }) =>
      RawNode.is(node) && node.sqlFragments[0] === 'ROLLBACK' ? RawNode.createWithSql('SELECT 1 / 0') : node,
    transformResult: async ({ result }) => result,
  };
  const failed = accountDbOf(one.withPlugin(refused))(accountId, null).transaction(async () => {
    throw new Error('what failed first');
  });
  await expect(failed).rejects.toMatchObject({
    errors: [{ message: 'what failed first' }, { message: 'division by zero' }],
  });
});

test('a query sent with a BEGIN that fails sees no row and writes none, and the error is that of BEGIN', async () => {
  const { db, pool, close } = openAs('api', database.url, 1);
  onTestFinished(close);
  rewriteStatements(
    pool,
    () =>
      ({ text }) =>
        text.replace(/BEGIN.*/, 'SELECT 1 / 0'),
  );
  const answers: Promise<pg.QueryResult>[] = [];
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...asked: unknown[]) => Promise<pg.QueryResult>;
    client.query = (...asked: unknown[]) => {
      const answer = send(...asked);
      answers.push(answer);
      return answer as never;
    };
  });
  const account = accountDbOf(db)(accountId, null);
  const read = account.transaction((tx) => tx.selectFrom('account').select('id').execute());
  await expect(read).rejects.toThrow('division by zero');
  const event = { account_id: accountId, kind: 'outside' };
  const written = account.transaction((tx) => tx.insertInto('audit_event').values(event).execute());
  await expect(written).rejects.toThrow('division by zero');
  const [, rows, , , insert] = await Promise.allSettled(answers);
  expect(rows).toMatchObject({ status: 'fulfilled', value: { command: 'SELECT', rows: [] } });
  expect(insert).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringContaining('row-level security') },
  });
});

test('of two deadlocked transactions both commit: the one that PostgreSQL ends runs again', async () => {
  const senderGroupId = await addSenderGroup(database.db, accountId);
  const account = database.account(accountId);
  const subject = (tx: Db, senderId: number) =>
    tx.updateTable('sender').set({ subject: sql`subject || '!'` }).where('id', '=', senderId).execute();
  const [first = 0, second = 0] = await Promise.all(
    [1, 2].map(() => addSender(database.db, { accountId, senderGroupId })),
  );
  const barrier = Promise.withResolvers<void>();
  let tries = 0;
  let held = 0;
  const inOrder = (...senders: number[]) =>
    account.transaction(async (tx) => {
      tries += 1;
      for (const senderId of senders) {
        await subject(tx, senderId);
        held += 1;
        if (held === 2) barrier.resolve();
        await barrier.promise;
      }
    });
  await Promise.all([inOrder(first, second), inOrder(second, first)]);
  // On a loaded machine the third try may deadlock with the other transaction once more.
  expect(tries).toBeGreaterThanOrEqual(3);
});
