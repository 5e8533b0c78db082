import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { plansOf, readsOf } from '#test/plan.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { addJob, claimJob, deleteOldJobs, endJob } from './job.queries.ts';
import type { JobClaim, JobHandler } from './job.ts';
import { startJobWorker } from './job-worker.ts';

/** Whose job is next: accounts take turns, and no queue of others holds one up. */

let database: TestDatabase;
let a: Tenant;
let b: Tenant;
let c: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  [a, b, c] = [await addTenant(database.db), await addTenant(database.db), await addTenant(database.db)];
});

const INPUT = { what: 'runs', format: 'csv_utf8' } as const;

async function add({ accountId, memberId }: Tenant, count = 1): Promise<number[]> {
  const account = database.account(accountId, memberId);
  const ids: number[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await account.transaction((tx) => addJob(tx, account, 'export', INPUT)));
  return ids;
}

const claim = (db = database.service.db): Promise<JobClaim | null> => claimJob(db, ['export']);
const end = async (job: JobClaim | null) => job && endJob(database.service.db, job, 'done', {});

/** Claims and ends jobs one by one, until none waits. @returns their accounts */
async function turns(): Promise<number[]> {
  const accounts: number[] = [];
  for (let job = await claim(); job !== null; job = await claim()) {
    accounts.push(job.accountId);
    await end(job);
  }
  return accounts;
}

describe('the next job', () => {
  test('is of the account whose last job began first, whatever it has waiting', async () => {
    await add(a, 4);
    await add(b, 3);
    await end(await claim());
    await add(c, 2);
    // Those without a job until now come first, the one whose job waits longest before the others.
    const [one, two, three] = [a, b, c].map(({ accountId }) => accountId);
    expect(await turns()).toStrictEqual([two, three, one, two, three, one, two, one]);
  });

  test('is of the account whose turn it is, though its earlier jobs have been deleted', async () => {
    await add(a);
    await turns();
    await database.pool.query(`UPDATE job SET finished_at = now() - interval '31 days'`);
    await deleteOldJobs(database.service.db);
    await add(a);
    await add(b);
    expect(await turns()).toStrictEqual([b.accountId, a.accountId]);
  });

  test('is of an account without a running job, also where another worker is claiming one', async () => {
    await add(a, 2);
    await database.service.db.transaction().execute(async (tx) => {
      expect(await claim(tx)).toMatchObject({ accountId: a.accountId });
      expect(await claim()).toBeNull();
      await add(b);
      expect(await claim()).toMatchObject({ accountId: b.accountId });
    });
    expect(await claim()).toBeNull();
  });

  test('is of another account while a change keeps the row of this one', async () => {
    const [first] = await add(a);
    await add(b);
    await database.db.transaction().execute(async (tx) => {
      await tx.selectFrom('account').select('id').where('id', '=', a.accountId).forShare().execute();
      expect(await claim()).toMatchObject({ accountId: b.accountId });
    });
    expect(await claim()).toMatchObject({ id: first });
  });

  test('is found by an index, however many wait', async () => {
    await add(a);
    await database.pool.query(
      `INSERT INTO job (account_id, kind, input, state)
       SELECT $1, 'export', '{}', CASE WHEN n % 2 = 0 THEN 'queued' ELSE 'done' END FROM generate_series(1, 2000) AS n`,
      [b.accountId],
    );
    await database.pool.query('ANALYZE job, account');
    const plans = await plansOf(database, 'service', claim);
    expect(readsOf(plans, 'job')).toStrictEqual(['job_open_idx', 'job_pkey']);
  });
});

test('two accounts with long queues do not hold up a third: it has the next free place of a worker', async () => {
  await add(a, 5);
  await add(b, 5);
  const begun: number[] = [];
  const free: (() => void)[] = [];
  const handler: JobHandler<'export'> = async ({ accountId, account, signal, finish }) => {
    begun.push(accountId);
    await new Promise<void>((resolve, reject) => {
      free.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    await account.transaction((tx) => finish(tx, {}));
    return undefined;
  };
  const { db } = database.service;
  onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers: { export: handler }, pollMs: 10 }));
  const begins = (jobs: number) =>
    eventually(
      () => begun.length,
      (count) => count >= jobs,
    );
  await begins(2);
  await add(c);
  free[0]?.();
  await begins(3);
  expect(begun).toStrictEqual([a.accountId, b.accountId, c.accountId]);
});
