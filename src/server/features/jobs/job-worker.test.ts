import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { Problem } from '../../platform/problem.ts';
import { addJob, claimJob, MAX_CLAIMS } from './job.queries.ts';
import { type JobHandler, JobLost } from './job.ts';
import { startJobWorker } from './job-worker.ts';

let database: TestDatabase;
let tenant: Tenant;
let address: string;
let token: string;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  ({ address } = await serveApp(database));
  token = await openSessionOf(database.login, tenant.accountId, Date.now());
  client = clientAt(address, `Bearer ${token}`);
});

const INPUT = { what: 'runs', format: 'csv_utf8' } as const;

function add({ accountId, memberId }: Tenant = tenant): Promise<number> {
  return database
    .account(accountId, memberId)
    .transaction((tx) => addJob(tx, database.account(accountId, memberId), 'export', INPUT));
}

/** Starts a job worker of this process. It stops with the test. */
function work(handler: JobHandler<'export'>) {
  const log = pino({ level: 'silent' });
  const stop = startJobWorker({ db: database.service.db, log, handlers: { export: handler }, renewMs: 20 });
  onTestFinished(stop);
  return stop;
}

const finish: JobHandler<'export'> = async (job) => {
  await job.account.transaction((tx) => job.finish(tx, { file_id: 1 }));
  return undefined;
};

/** Waits for the job's abort, as a long piece of work does. It may come between the claim and the handler. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, fail) => {
    const end = () => fail(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });

const job = async (id: number): Promise<Job> => (await client.get(`/job/${id}`)).body as Job;
const stateOf = async (id: number) => (await job(id)).state;
const expireLease = (id: number) =>
  database.pool.query(`UPDATE job SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);

describe('a job worker', () => {
  test('leaves a kind that it has no handler for, as in an upgrade', async () => {
    const id = await add();
    expect(await claimJob(database.service.db, ['import_check'])).toBeNull();
    expect(await stateOf(id)).toBe('queued');
  });

  test('three workers do each of 20 jobs of four accounts once', async () => {
    const tenants = [tenant, ...(await Promise.all([1, 2, 3].map(() => addTenant(database.db))))];
    const ids = [];
    for (let n = 0; n < 5; n += 1) for (const one of tenants) ids.push(await add(one));
    const done: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      work(async (running) => {
        await finish(running);
        done.push(running.id);
        return undefined;
      });
    }
    await eventually(
      () => done.length,
      (count) => count >= 20,
    );
    expect(done.toSorted((a, b) => a - b)).toStrictEqual(ids.toSorted((a, b) => a - b));
  });

  test("an account's second job waits for its first, and another account's does not", async () => {
    const [first, second] = [await add(), await add()];
    const other = await add(await addTenant(database.db));
    const begun: number[] = [];
    work(async (running) => {
      begun.push(running.id);
      return running.id === first ? untilAborted(running.signal) : finish(running);
    });
    await eventually(
      () => begun,
      (ids) => ids.includes(other),
    );
    await client.post(`/job/${first}/cancel`, {});
    await eventually(
      () => stateOf(second),
      (state) => state === 'done',
    );
    expect(begun).toStrictEqual([first, other, second]);
  });

  test("a lost worker's job is claimed again, and its late end is rolled back with its changes", async () => {
    const id = await add();
    const late = vi.fn<(error: unknown) => void>();
    const begun = Promise.withResolvers<void>();
    const resume = Promise.withResolvers<void>();
    // A worker that renews no lease, as one that was stopped; the second claim of the job finishes it.
    const stop = startJobWorker({
      db: database.service.db,
      log: pino({ level: 'silent' }),
      renewMs: 1_000_000,
      handlers: {
        export: async (running) => {
          if (running.claimNo > 1) return finish(running);
          begun.resolve();
          await resume.promise;
          try {
            await running.account.transaction(async (tx) => {
              await tx
                .updateTable('account')
                .set({ company: 'too late' })
                .where('id', '=', running.accountId)
                .execute();
              await running.finish(tx, { file_id: 1 });
            });
          } catch (error) {
            late(error);
            throw error;
          }
          return undefined;
        },
      },
    });
    onTestFinished(stop);
    await begun.promise;
    await expireLease(id);
    await eventually(
      () => stateOf(id),
      (state) => state === 'done',
    );
    resume.resolve();
    await eventually(
      () => late.mock.calls.length,
      (calls) => calls > 0,
    );
    expect(late).toHaveBeenCalledWith(expect.any(JobLost));
    const { company } = await database.db.selectFrom('account').select('company').executeTakeFirstOrThrow();
    expect(company).not.toBe('too late');
  });

  test('a cancelled job is aborted, and nothing of it is committed', async () => {
    const id = await add();
    const aborted = vi.fn<(reason: unknown) => void>();
    work(async (running) => {
      try {
        return await untilAborted(running.signal);
      } catch (error) {
        aborted(error);
        throw error;
      }
    });
    await eventually(
      () => stateOf(id),
      (state) => state === 'running',
    );
    expect(await client.post(`/job/${id}/cancel`, {})).toStrictEqual({ status: 200, body: { status: 'cancelled' } });
    await eventually(
      () => aborted.mock.calls.length,
      (calls) => calls === 1,
    );
    expect(await job(id)).toMatchObject({ state: 'cancelled', finished_at: expect.any(String) });
    expect(await client.post(`/job/${id}/cancel`, {})).toMatchObject({ status: 409, body: { code: 'job_ended' } });
  });

  test('a worker that stops returns its job to the queue, and the claim does not count', async () => {
    const id = await add();
    const stop = work((running) => untilAborted(running.signal));
    await eventually(
      () => stateOf(id),
      (state) => state === 'running',
    );
    await stop();
    expect(await stateOf(id)).toBe('queued');
    expect((await claimJob(database.service.db, ['export']))?.claimNo).toBe(1);
  });

  test('a job that was interrupted three times fails, and says so', async () => {
    const id = await add();
    for (let n = 0; n < MAX_CLAIMS; n += 1) {
      await claimJob(database.service.db, ['export']);
      await expireLease(id);
    }
    work(finish);
    await eventually(
      () => stateOf(id),
      (state) => state === 'failed',
    );
    expect((await job(id)).message).toContain('何度も中断された');
  });

  test('a refusal ends the job with its message, and an unexpected error with a general one', async () => {
    const [refused, broken, silent] = [await add(), await add(), await add()];
    work((running) => {
      if (running.id === refused) return Promise.resolve(new Problem('too_many_rows', '10万行までです。'));
      return running.id === broken ? Promise.reject(new Error('broken')) : Promise.resolve(undefined);
    });
    await eventually(
      () => stateOf(silent),
      (state) => state === 'failed',
    );
    expect((await job(refused)).message).toBe('10万行までです。');
    for (const id of [broken, silent]) expect((await job(id)).message).toContain('問題が発生しました');
  });
});

describe('GET /job/:id/events', () => {
  test('sends the progress until the end of the job', async () => {
    const id = await add();
    const next = Promise.withResolvers<void>();
    work(async (running) => {
      running.report(1, 2);
      await next.promise;
      return finish(running);
    });
    const response = await fetch(`${address}/job/${id}/events`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const seen: Job[] = [];
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const [, data = ''] of chunk.matchAll(/^event: job\ndata: (.*)$/gm)) seen.push(JSON.parse(data) as Job);
      if (seen.at(-1)?.done === 1) next.resolve();
    }
    expect(seen).toContainEqual(expect.objectContaining({ state: 'running', done: 1, total: 2 }));
    expect(seen.at(-1)).toMatchObject({ state: 'done', finished_at: expect.any(String) });
  });
});
