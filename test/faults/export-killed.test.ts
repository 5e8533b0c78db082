import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addJob } from '#server/features/jobs/job.queries.ts';
import { testDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { eventually, untilBlocked } from '#test/sending.ts';
import { kill, startWorker } from './workers.ts';

test('a worker killed during an export leaves no file of 0 bytes, and the next one makes the only file', async () => {
  const database = await testDatabase();
  const { accountId, memberId } = await addTenant(database.db);
  const account = database.account(accountId, memberId);
  const files = async () => {
    const { rows } = await sql<{ id: number; bytes: number }>`SELECT id, bytes FROM stored_file`.execute(database.db);
    return rows;
  };
  const keeper = await database.pool.connect();
  await keeper.query('BEGIN; LOCK TABLE stored_file_piece');
  const input = { what: 'runs', format: 'csv_utf8' } as const;
  const id = await account.transaction((tx) => addJob(tx, account, 'export', input));
  const victim = startWorker(database.url, 1);
  await untilBlocked(database);
  await kill(victim);
  await keeper.query('ROLLBACK');
  keeper.release();
  expect(await files()).toStrictEqual([]);

  await sql`UPDATE job SET lease_until = now()`.execute(database.db);
  startWorker(database.url, 1);
  const { result } = await eventually(
    () => database.db.selectFrom('job').select(['state', 'result']).where('id', '=', id).executeTakeFirstOrThrow(),
    ({ state }) => state === 'done',
    100_000,
  );
  const [file, ...others] = await files();
  expect([file?.id, others]).toStrictEqual([(result as { file_id: number }).file_id, []]);
});
