import { Readable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { importHandlers } from './import-jobs.ts';
import { importProspects } from './merge/import.command.ts';
import { readExtras } from './read/cells/read-extras.ts';

/* Files whose people and own columns would fill the memory of the worker, which serves all accounts. */

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const fileOf = (rows: readonly string[]) => Readable.from([Buffer.from(rows.join('\n'))]);
const importRows = (heading: string, rows: readonly string[]) =>
  importProspects(database, { accountId: tenant.accountId, file: fileOf([heading, ...rows]), skipRefused: true });

test('bad-inputs 82: a cell has no more labels than a file may bring, and one', () => {
  const plan = { people: new Map(), own: [], tagsAt: [0], tag: null, owner: null, externalAt: null };
  const cell = Array.from({ length: 20_000 }, (_, at) => `タグ${at}`).join('、');
  const record = { row: 2, cells: [`甲、甲、${cell}`] } as never;
  const read = readExtras(record, { ...plan, latestYear: 2027, keepsCutPhones: false });
  if ('reason' in read) return expect.unreachable(read.reason);
  expect(read.extra.tags).toHaveLength(101);
  expect(read.extra.tags.slice(0, 3)).toStrictEqual(['甲', 'タグ0', 'タグ1']);
});

test('labels without room are told each time, and a fault of a label as well', async () => {
  const rows = Array.from({ length: 105 }, (_, at) => `社${at},タグ${at}`);
  const answer = await importRows('会社名,タグ', [
    ...rows,
    '甲,タグ104',
    '乙,タグ0',
    `丙,${'長'.repeat(101)}`,
    `丁,{{x`,
  ]);
  expect(answer).toMatchObject({ blanked: 8 });
  expect((answer as { reportGroups: { reason: string; count: number }[] }).reportGroups).toMatchObject([
    { reason: '新しいタグは1つのファイルで100個までです。', count: 6 },
    { reason: expect.stringContaining('100文字'), count: 1 },
    { reason: expect.stringContaining('{{'), count: 1 },
  ]);
});

test('the merge of people can be ended, and stores what it tells, between its pages', async () => {
  const by = await importerOf(database, tenant, { worker: false });
  const rows = Array.from({ length: 6000 }, (_, at) => `社${at % 100},${at}番`);
  const id = await by.upload(['会社名,氏名', ...rows].join('\n'));
  const started = await by.client.post(`/import/${id}/check`, { add_info: {} });
  expect(started).toMatchObject({ status: 200 });
  const { db, pool } = database.service;
  const { import_check: check } = importHandlers({ db, pool, now: Date.now, peopleMax: 10_000 });
  const reports: number[] = [];
  const ending = new AbortController();
  const job = {
    accountId: tenant.accountId,
    memberId: tenant.memberId,
    input: { import_run_id: id },
    account: accountDbOf(db, tenant.accountId),
    signal: ending.signal,
    report: (done: number) => {
      reports.push(done);
      if (reports.filter((read) => read === rows.length).length === 2) ending.abort(new Error('ended'));
    },
    finish: () => Promise.resolve(),
  };
  await expect(check(job as never)).rejects.toThrow('ended');
});
