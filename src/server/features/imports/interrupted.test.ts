import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { fillDisk } from '#test/fill-disk.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { type JobKind, JobLost, type RunningJob } from '../jobs/job.ts';
import { importHandlers } from './import-jobs.ts';

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

const names = async () => {
  const rows = await database.db.selectFrom('prospect').select('company_name').orderBy('id').execute();
  return rows.map(({ company_name }) => company_name);
};

/** Does a job until its end, where its worker is lost. */
async function lose<Kind extends Exclude<JobKind, 'export'>>(kind: Kind, input: RunningJob<Kind>['input']) {
  const { db, pool } = database.service;
  const { accountId, memberId } = tenant;
  const account = database.account(accountId, memberId);
  const finish = () => Promise.reject(new JobLost());
  const job = { accountId, memberId, id: 1, claimNo: 1, kind, input, account, finish, report: () => {} };
  const handle = importHandlers({ db, pool, now: Date.now, peopleMax: 10 })[kind] as (job: object) => Promise<unknown>;
  await expect(handle({ ...job, signal: new AbortController().signal })).rejects.toThrow(JobLost);
}

describe('bad-inputs 235: a worker that is lost at the end of', () => {
  test('a check leaves the import unchecked', async () => {
    const id = await by.upload('会社名\n甲\n');
    await lose('import_check', { import_run_id: id });
    expect(await by.read(id)).toMatchObject({ state: 'uploaded', review: null });
    await by.job(`/import/${id}/check`, {});
    expect(await by.read(id)).toMatchObject({ state: 'checked', review: { added: 1 } });
  });

  test('a run leaves nothing imported, and the next one imports all', async () => {
    const id = await by.upload('会社名\n甲\n乙\n');
    await by.job(`/import/${id}/check`, {});
    await lose('import_run', { import_run_id: id, mode: 'leave_out' });
    expect([await names(), (await by.read(id)).state]).toStrictEqual([[], 'checked']);
    await by.job(`/import/${id}/run`, { mode: 'leave_out' });
    expect([await names(), (await by.read(id)).state]).toStrictEqual([['甲', '乙'], 'imported']);
  });

  test('an undo leaves everything imported', async () => {
    const id = await by.importText('会社名\n甲\n');
    await lose('import_undo', { import_run_id: id });
    expect([await names(), (await by.read(id)).state]).toStrictEqual([['甲'], 'imported']);
    await by.job(`/import/${id}/undo`);
    expect([await names(), (await by.read(id)).state]).toStrictEqual([[], 'undone']);
  });
});

describe('bad-inputs 237: a full disk', () => {
  const full = { code: 'storage_full', message: expect.stringContaining('保存場所がいっぱい') };

  test('in an upload stores nothing of the part, which is sent again when there is room', async () => {
    const content = Buffer.from('会社名\n甲\n');
    const { body } = await by.client.post('/import', { add_info: { name: '甲.csv', bytes: content.length } });
    const { id } = body as { id: number };
    await by.part(id, 0, content.subarray(0, 5));
    const makeRoom = await fillDisk(database, 'stored_file_piece');
    expect(await by.part(id, 5, content.subarray(5))).toMatchObject({ status: 503, body: full });
    expect(await by.read(id)).toMatchObject({ state: 'uploading', uploaded: 5 });
    await makeRoom();
    expect(await by.part(id, 5, content.subarray(5))).toMatchObject({
      status: 200,
      body: { uploaded: content.length },
    });
  });

  test('in a run imports nothing and says so, and the next run imports all', async () => {
    const id = await by.upload('会社名\n甲\n乙\n');
    await by.job(`/import/${id}/check`, {});
    const makeRoom = await fillDisk(database, 'prospect');
    expect(await by.job(`/import/${id}/run`, { mode: 'strict' })).toMatchObject({
      state: 'failed',
      message: full.message,
    });
    expect([await names(), (await by.read(id)).state]).toStrictEqual([[], 'checked']);
    await makeRoom();
    expect(await by.job(`/import/${id}/run`, { mode: 'strict' })).toMatchObject({ state: 'done' });
    expect(await names()).toStrictEqual(['甲', '乙']);
  });
});
