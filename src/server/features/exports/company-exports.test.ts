import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addFields, addLabels, setOwn } from '#test/own-data.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { readOwnFields } from '../own-fields/own-fields.queries.ts';
import { readOwnValue } from '../own-fields/own-value.ts';
import { NO_STORAGE_LIMITS } from '../stored-files/storage-limits.ts';
import { exportHandler } from './export-job.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let fileOf: (id: number) => Promise<string>;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const { address } = await serveApp(database);
  const authorization = `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`;
  client = clientAt(address, authorization);
  fileOf = async (id) => (await fetch(`${address}/export/${id}/file`, { headers: { authorization } })).text();
  const { db } = database.service;
  const handlers = { export: exportHandler({ db, now: Date.now, limits: NO_STORAGE_LIMITS }) };
  onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers, pollMs: 50 }));
});

/** Exports, and returns the file's lines without its BOM. */
async function linesOf(info: object): Promise<string[]> {
  const add_info = { what: 'prospects', format: 'csv_utf8', sender_group_id: tenant.senderGroupId, ...info };
  const { body } = await client.post('/export', { add_info });
  const { id } = body as { id: number };
  const job = await eventually(
    async () => (await client.get(`/job/${id}`)).body as Job,
    ({ finished_at }) => finished_at !== null,
  );
  expect(job).toMatchObject({ state: 'done', message: null });
  return (await fileOf(id)).replace('\uFEFF', '').trimEnd().split('\r\n');
}

async function addOwn(): Promise<readonly number[]> {
  const { db } = database;
  const { accountId, memberId } = tenant;
  const fields = await addFields(db, accountId, [
    { key: 'event', label: '展示会名', type: 'text' },
    { key: 'rank', label: 'ランク', type: 'choice' },
    { key: 'seats', label: '席数', type: 'number' },
    { key: 'met', label: '訪問日', type: 'date' },
    { key: 'member', label: '会員', type: 'flag' },
    { key: 'old', label: '旧項目', type: 'text', archived: true },
  ]);
  const fieldOf = (key: string) => fields.get(key) ?? 0;
  const [hot = 0, autumn = 0, gone = 0] = await addLabels(db, accountId, [
    '重点',
    '秋',
    { label: '去年', archived: true },
  ]);
  const [a = 0] = await addLabels(db, accountId, ['A'], fieldOf('rank'));
  const companies = await addProspects(db, accountId, [
    { company_name: '甲', external_id: '001A' },
    { company_name: '乙' },
    { company_name: '丙' },
  ]);
  const [first = 0, second = 0] = companies;
  await setOwn(db, accountId, first, {
    labels: [hot, autumn, gone, a],
    vals: {
      [fieldOf('event')]: '=1+1、東京',
      [fieldOf('seats')]: -1.5,
      [fieldOf('met')]: '2026-10-15',
      [fieldOf('member')]: false,
      [fieldOf('old')]: '昔の値',
    },
    texts: [fieldOf('event')],
  });
  await setOwn(db, accountId, second, { vals: { [fieldOf('member')]: true } });
  await db.updateTable('prospect_own').set({ owner_id: memberId }).where('prospect_id', '=', first).execute();
  return companies;
}

/** Adds people, the first as 主担当. */
async function addPeople(prospectId: number, names: readonly string[]): Promise<void> {
  const rows = await database.db
    .insertInto('person')
    .values(
      names.map((name, place) => ({
        account_id: tenant.accountId,
        prospect_id: prospectId,
        name,
        name_key: name,
        department: '購買部',
        title: '部長',
        email: `p${place}@x.jp`,
        email_search: `p${place}@x.jp`,
        phone: '090-0000-0000',
        met_on: '2026-11-20',
        archived_at: name === '退職' ? new Date() : null,
      })),
    )
    .returning('id')
    .execute();
  await database.db
    .updateTable('prospect')
    .set({ person_id: rows[0]?.id ?? 0, person_email: 'p0@x.jp', person_email_search: 'p0@x.jp' })
    .where('id', '=', prospectId)
    .execute();
}

const memberName = async (): Promise<string> =>
  (await database.db.selectFrom('member').select('name').where('id', '=', tenant.memberId).executeTakeFirstOrThrow())
    .name;

test('the file of companies has own columns after ours, without archived fields and tags', async () => {
  await addOwn();
  const lines = await linesOf({});
  const [heading = '', ...rows] = lines.map((line) => line.split(',営業お断り').at(-1)?.replace(/^,/, '') ?? '');
  expect(heading).toBe('外部ID,自社担当,タグ,展示会名,ランク,席数,訪問日,会員');
  const cells = (line: string | undefined) => line?.split(',').slice(-8);
  expect(cells(rows[0])).toStrictEqual([
    '001A',
    await memberName(),
    '秋、重点',
    "'=1+1、東京",
    'A',
    '-1.5',
    '2026-10-15',
    'いいえ',
  ]);
  expect(cells(rows[1])).toStrictEqual(['', '', '', '', '', '', '', 'はい']);
  expect(cells(rows[2])).toStrictEqual(['', '', '', '', '', '', '', '']);
});

test('what is written of an own field is read again as the same value', async () => {
  await addOwn();
  const fields = (await readOwnFields(database.db, tenant.accountId)).filter(({ archived }) => !archived);
  const [, first = ''] = await linesOf({ columns: ['company_name'], own_columns: 'event,rank,seats,met,member' });
  const stored = await database.db
    .selectFrom('prospect_own')
    .innerJoin('prospect', 'prospect.id', 'prospect_own.prospect_id')
    .select('vals')
    .where('company_name', '=', '甲')
    .executeTakeFirstOrThrow();
  const vals = stored.vals as Record<string, unknown>;
  const cells = first.split(',').slice(1);
  for (const [place, field] of fields.entries()) {
    const cell = (cells[place] ?? '').replace(/^'(?==)/, '');
    const expected = field.type === 'choice' ? field.options[0]?.id : vals[field.id];
    expect([field.key, readOwnValue(field, cell)]).toStrictEqual([field.key, expected]);
  }
});

test('without own fields, tags, people and external ids the file is as it was', async () => {
  await addProspects(database.db, tenant.accountId, [{ company_name: '甲' }]);
  const [heading = ''] = await linesOf({});
  expect(heading.split(',').at(-1)).toBe('営業お断り');
  expect(heading).not.toContain('タグ');
});

test('chosen columns have the own ones that are named, and no others', async () => {
  await addOwn();
  const lines = await linesOf({ columns: ['company_name'], own_columns: 'seats,tags,old' });
  expect(lines).toStrictEqual(['会社名,タグ,席数', '甲,秋、重点,-1.5', '乙,,', '丙,,']);
  expect(await linesOf({ columns: ['company_name'] })).toStrictEqual(['会社名', '甲', '乙', '丙']);
});

test('the file of companies has each 主担当', async () => {
  const [first = 0, , third = 0] = await addOwn();
  await addPeople(first, ['佐藤 一郎', '鈴木 花子']);
  // Nobody is 主担当 of it.
  await addPeople(third, ['高橋']);
  await database.db
    .updateTable('prospect')
    .set({ person_id: null, person_email: null })
    .where('id', '=', third)
    .execute();
  const rows = (await linesOf({})).map((line) => line.split(',').slice(-13, -6).join());
  expect(rows).toStrictEqual([
    '自社担当,氏名,部署,役職,担当者メール,携帯,名刺交換日',
    `${await memberName()},佐藤 一郎,購買部,部長,p0@x.jp,090-0000-0000,2026/11/20`,
    ',,,,,,',
    ',,,,,,',
  ]);
  const chosen = await linesOf({ columns: ['company_name'], own_columns: 'primary,seats' });
  expect(chosen.slice(0, 3)).toStrictEqual([
    '会社名,氏名,部署,役職,担当者メール,携帯,名刺交換日,席数',
    '甲,佐藤 一郎,購買部,部長,p0@x.jp,090-0000-0000,2026/11/20,-1.5',
    '乙,,,,,,,',
  ]);
});

test('the file of people has a row a person in use, the 主担当 first, and one a company without people', async () => {
  const [first = 0, , third = 0] = await addOwn();
  await addPeople(first, ['佐藤 一郎', '鈴木 花子', '退職']);
  await addPeople(third, ['退職']);
  await database.db
    .updateTable('prospect')
    .set({ person_id: null, person_email: null })
    .where('id', '=', third)
    .execute();
  const lines = await linesOf({ what: 'people', columns: ['company_name'], own_columns: 'seats' });
  expect(lines).toStrictEqual([
    '会社名,氏名,部署,役職,担当者メール,携帯,名刺交換日,主担当,席数',
    '甲,佐藤 一郎,購買部,部長,p0@x.jp,090-0000-0000,2026/11/20,○,-1.5',
    '甲,鈴木 花子,購買部,部長,p1@x.jp,090-0000-0000,2026/11/20,,-1.5',
    '乙,,,,,,,,',
    '丙,,,,,,,,',
  ]);
  const { body } = await client.get('/export/list');
  expect(body).toMatchObject([{ what: 'people', file: { rows: 4, name: expect.stringMatching(/^相手の人_/) } }]);
});
