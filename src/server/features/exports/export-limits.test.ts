import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import type { ExportRequest } from '#contract/companies/exports.ts';
import { MAX_STORED_BYTES, MAX_WAITING_JOBS } from '#domain/limits.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { importerOf } from '#test/imports.ts';
import { addManyProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { addJob, claimJob } from '../jobs/job.queries.ts';
import { type JobHandlers, JobLost, type RunningJob } from '../jobs/job.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { NO_STORAGE_LIMITS, type StorageLimits, storageFigures } from '../stored-files/storage-limits.ts';
import { deleteDeadFiles } from '../stored-files/stored-file.queries.ts';
import { exportHandler } from './export-job.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

const MB = 1024 * 1024;
const GB = 1024 * MB;

const handlerOf = (limits: StorageLimits = NO_STORAGE_LIMITS) =>
  exportHandler({ db: database.service.db, now: Date.now, limits });

/** Starts a job worker. @returns how to stop it before the end of the test */
function work(limits?: StorageLimits): () => Promise<void> {
  const handlers: JobHandlers = { export: handlerOf(limits) };
  const log = pino({ level: 'silent' });
  const stop = startJobWorker({ db: database.service.db, log, handlers, renewMs: 20, pollMs: 50 });
  onTestFinished(stop);
  return stop;
}

const runs = { add_info: { what: 'runs', format: 'csv_utf8' } };
interface Started {
  readonly status: number;
  readonly body: { readonly id: number; readonly code: string; readonly message: string };
}
const start = async (body: object = runs, by = client) => (await by.post('/export', body)) as Started;
const ended = (id: number): Promise<Job> =>
  eventually(
    async () => (await client.get(`/job/${id}`)).body as Job,
    ({ finished_at }) => finished_at !== null,
  );
const begin = async (bytes: number, by = client) =>
  (await by.post('/import', { add_info: { name: '甲.csv', bytes } })) as Started;

/** Adds a finished export whose file counts as so many bytes. @returns its id */
async function addExport(name: string, bytes: number): Promise<number> {
  const { id } = await database.db
    .insertInto('job')
    .values({ account_id: tenant.accountId, kind: 'export', state: 'done', input: JSON.stringify(runs.add_info) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`
    WITH file AS (
      INSERT INTO stored_file (account_id, job_id, name, media_type, bytes, expires_at)
      VALUES (${tenant.accountId}, ${id}, ${name}, 'text/csv', ${bytes}, now() + interval '1 day') RETURNING id
    ) UPDATE job SET result = jsonb_build_object('file_id', file.id, 'rows', 1, 'replaced', 0), finished_at = now()
    FROM file WHERE job.id = ${id}`.execute(database.db);
  return id;
}

const files = async () => {
  const { rows } = await sql<{ job_id: number; bytes: number }>`SELECT job_id, bytes FROM stored_file`.execute(
    database.db,
  );
  return rows;
};

describe('an account stores 1 GB', () => {
  test('of exports, complete files, and what open uploads declared; the refusal names what can be deleted', async () => {
    const big = await addExport('見込み客_古い.csv', 600 * MB);
    await addExport('送信履歴_'.repeat(20), 100 * MB);
    expect(await begin(300 * MB)).toMatchObject({ status: 200 });
    const refused = await begin(100 * MB);
    expect(refused).toMatchObject({ status: 409, body: { code: 'account_storage_full' } });
    expect(refused.body.message).toContain('1 GB・1,000件まで');
    expect(refused.body.message).toContain('書き出し「見込み客_古い.csv」（600 MB）、取り込み「甲.csv」（300 MB）');
    expect(Buffer.byteLength(JSON.stringify(refused.body))).toBeLessThan(1000);
    expect(await begin(24 * MB)).toMatchObject({ status: 200 });
    expect(await start()).toMatchObject({ status: 409, body: { code: 'account_storage_full' } });
    expect(await client.post(`/export/${big}/delete`, {})).toMatchObject({ status: 200 });
    expect(await start()).toMatchObject({ status: 200 });
    expect((await client.get(`/job/${big}`)).status).toBe(404);
    expect(await client.post(`/export/${big}/delete`, {})).toMatchObject({ status: 404 });
  });

  test('in 1,000 files at most, and all that have one are listed, so that each can be deleted', async () => {
    await addExport('最初.csv', 1);
    await sql`
      WITH job AS (
        INSERT INTO job (account_id, kind, state, input, finished_at)
        SELECT ${tenant.accountId}, 'export', 'done', '{"what":"runs","format":"csv_utf8"}', now()
        FROM generate_series(1, 999) RETURNING account_id, id
      ) INSERT INTO stored_file (account_id, job_id, name, media_type, bytes, expires_at)
      SELECT account_id, id, '小.csv', 'text/csv', 1, now() + interval '1 day' FROM job`.execute(database.db);
    expect(await begin(10)).toMatchObject({ status: 409, body: { code: 'account_storage_full' } });
    expect(await start()).toMatchObject({ status: 409, body: { code: 'account_storage_full' } });
    const listed = (await client.get('/export/list')).body as { id: number; file: { name: string } | null }[];
    const first = listed.find(({ file }) => file?.name === '最初.csv');
    await client.post(`/export/${first?.id}/delete`, {});
    expect(await begin(10)).toMatchObject({ status: 200 });
  });

  test('also where many uploads begin at once', async () => {
    await addExport('大.csv', GB - 15);
    const all = await Promise.all(Array.from({ length: 8 }, () => begin(10)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('and an export that meets the limit midway fails with the same words, and leaves no file', async () => {
    await addExport('古い.csv', MAX_STORED_BYTES - 1.5 * MB);
    await addManyProspects(database.db, tenant.accountId, 6000, 1, { ceo: sql`repeat('長', 200)` });
    work();
    const add_info = { what: 'prospects', format: 'csv_utf8', sender_group_id: tenant.senderGroupId };
    const { body } = await start({ add_info });
    const refused = await begin(2 * MB);
    expect(await ended(body.id)).toMatchObject({ state: 'failed', message: refused.body.message });
    expect(refused.body.message).toContain('書き出し「古い.csv」');
    expect((await files()).filter(({ job_id }) => job_id === body.id)).toStrictEqual([]);
  });
});

describe('an account has 20 waiting jobs', () => {
  test('also where more begin at once, and the refusal names some of them', async () => {
    const all = await Promise.all(Array.from({ length: MAX_WAITING_JOBS + 5 }, () => start()));
    const refused = all.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(5);
    expect(refused[0]?.body).toMatchObject({ code: 'too_many_jobs', message: expect.stringContaining('「送信履歴」') });
    const waiting = all.find(({ status }) => status === 200)?.body.id;
    expect(await client.post(`/export/${waiting}/delete`, {})).toMatchObject({ status: 200 });
    expect(await start()).toMatchObject({ status: 200 });
    expect(await start()).toMatchObject({ status: 409 });
  });

  test('also where they are checks of several files, begun at once', async () => {
    const by = await importerOf(database, tenant, { worker: false });
    const ids = [await by.upload('会社名\n甲\n'), await by.upload('会社名\n乙\n'), await by.upload('会社名\n丙\n')];
    for (let n = 1; n < MAX_WAITING_JOBS; n += 1) await start();
    const checks = await Promise.all(ids.map((id) => client.post(`/import/${id}/check`, { add_info: {} })));
    expect(checks.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(checks.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('a refused check loses nothing of the one before', async () => {
    const by = await importerOf(database, tenant, { worker: true });
    const id = await by.upload('会社名\n甲\n');
    await by.job(`/import/${id}/check`, {});
    for (let n = 0; n < MAX_WAITING_JOBS; n += 1) await start();
    expect(await client.post(`/import/${id}/check`, { add_info: {} })).toMatchObject({
      status: 409,
      body: { code: 'too_many_jobs' },
    });
    expect(await by.read(id)).toMatchObject({ state: 'checked', review: { added: 1 } });
  });
});

test('of ended exports without a file an account keeps the last hundred', async () => {
  await sql`
    INSERT INTO job (account_id, kind, state, input, finished_at)
    SELECT ${tenant.accountId}, 'export', 'cancelled', '{"what":"runs","format":"csv_utf8"}', now()
    FROM generate_series(1, 120)`.execute(database.db);
  const kept = await addExport('残る.csv', 1);
  await start();
  const { rows } = await sql<{ ended: number; kept: number }>`
    SELECT count(*) FILTER (WHERE state = 'cancelled')::integer AS ended, count(*) FILTER (WHERE id = ${kept})::integer AS kept
    FROM job`.execute(database.db);
  expect(rows).toStrictEqual([{ ended: 100, kept: 1 }]);
});

describe('the operator has room', () => {
  const of = async (limits: Partial<StorageLimits>, { accountId }: Tenant = tenant) => {
    const storageLimits = { ...NO_STORAGE_LIMITS, allFiles: database.login, ...limits };
    return clientOf({ ...database, storageLimits }, accountId);
  };
  const full = { status: 503, body: { code: 'storage_full' } };

  test('on the disk of the bundled database: three bytes for each declared one, and 1 GB', async () => {
    let free = GB + 3 * (100 * MB) - 1;
    const limits = { freeBytes: async () => free };
    const [ours, theirs] = [await of(limits), await of(limits, await addTenant(database.db))];
    expect(await begin(100 * MB, ours)).toMatchObject(full);
    free += 1;
    expect(await storageFigures(database.db, { ...NO_STORAGE_LIMITS, ...limits })).toStrictEqual({
      storedBytes: 0,
      roomBytes: 100 * MB,
      isFull: 1,
    });
    expect(await begin(100 * MB, ours)).toMatchObject({ status: 200 });
    // It has declared them, and no byte of it has come.
    expect(await begin(1, theirs)).toMatchObject(full);
    expect(await start(runs, theirs)).toMatchObject(full);
    free = 3 * GB;
    expect(await begin(512 * MB, theirs)).toMatchObject({ status: 200 });
  });

  test('of STORED_BYTES_MAX over all accounts, also where they begin at once', async () => {
    const limits = { maxBytes: 100 };
    const [ours, theirs] = [await of(limits), await of(limits, await addTenant(database.db))];
    const all = await Promise.all([ours, theirs, ours, theirs].map((by) => begin(60, by)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ status }) => status === 503)).toHaveLength(3);
    expect(await begin(40, theirs)).toMatchObject({ status: 200 });
    expect(await storageFigures(database.db, { ...NO_STORAGE_LIMITS, ...limits })).toStrictEqual({
      storedBytes: 100,
      roomBytes: 0,
      isFull: 1,
    });
  });

  test('or else an export fails with the same words', async () => {
    work({ ...NO_STORAGE_LIMITS, maxBytes: 20 });
    expect(await ended((await start()).body.id)).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('サーバーの保存場所がいっぱい'),
    });
    expect(await files()).toStrictEqual([]);
  });
});

describe('an export', () => {
  const request = { what: 'runs', format: 'csv_utf8' } as ExportRequest;

  /** Adds an export and claims it. @returns it as its handler sees it, and its end */
  async function claim(finish: RunningJob<'export'>['finish'] = async () => {}): Promise<RunningJob<'export'>> {
    const { accountId, memberId } = tenant;
    const account = database.account(accountId, memberId);
    await account.transaction((tx) => addJob(tx, account, 'export', request));
    const claimed = await claimJob(database.service.db, ['export']);
    return {
      ...(claimed as RunningJob<'export'>),
      account,
      signal: new AbortController().signal,
      report: () => {},
      finish,
    };
  }

  test('that is deleted while it runs leaves nothing, and its worker goes on', async () => {
    const job = await claim(async () => {
      throw new Error('not reached');
    });
    await client.post(`/export/${job.id}/delete`, {});
    await expect(handlerOf()(job)).rejects.toThrow(JobLost);
    expect(await files()).toStrictEqual([]);
    work();
    expect(await ended((await start()).body.id)).toMatchObject({ state: 'done' });
  });

  /** Does an export up to the commit of its end, as a worker that is killed there: nothing cleans up behind it. */
  async function killAtEnd(): Promise<RunningJob<'export'>> {
    const gate = Promise.withResolvers<never>();
    const before = (await files()).length;
    const job = await claim(() => gate.promise);
    // Ends with the test, so that its transaction gives its connection back.
    const death = handlerOf()(job).then(
      () => null,
      (error: Error) => error.message,
    );
    onTestFinished(async () => {
      gate.reject(new Error('the test is over'));
      expect(await death).toBe('the test is over');
    });
    await eventually(files, (rows) => rows.length === before + 1);
    return job;
  }

  test('whose worker was killed has one file once another has done it, and none once it has failed', async () => {
    const job = await killAtEnd();
    expect((await files())[0]?.bytes).toBeGreaterThan(0);
    await sql`UPDATE job SET lease_until = now() - interval '1 s'`.execute(database.db);
    const stop = work();
    expect(await ended(job.id)).toMatchObject({ state: 'done' });
    expect(await files()).toHaveLength(1);
    await stop();

    const second = await killAtEnd();
    await sql`UPDATE job SET claim_no = 3, lease_until = now() - interval '1 s' WHERE id = ${second.id}`.execute(
      database.db,
    );
    work();
    expect(await ended(second.id)).toMatchObject({ state: 'failed' });
    await eventually(files, (rows) => rows.length === 1);
  });

  test('that was cancelled after its worker was killed leaves no file', async () => {
    const job = await killAtEnd();
    await client.post(`/job/${job.id}/cancel`, {});
    await deleteDeadFiles(database.service.db);
    expect(await files()).toStrictEqual([]);
  });
});
