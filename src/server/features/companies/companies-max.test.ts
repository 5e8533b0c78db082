import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emailOf } from '#test/accounts.ts';
import type { Client } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { makeDemo } from '../demo/demo.command.ts';

/** COMPANIES_MAX, and every way by which companies come into a list. */
const MOST = 12;

let database: TestDatabase;
let tenant: Tenant;
let importer: Importer;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  importer = await importerOf({ ...database, companiesMax: MOST } as TestDatabase, tenant);
  client = importer.client;
});

/** Adds companies, or archived ones. @returns their ids */
const fill = (count: number, archived_at: Date | null = null) =>
  addProspects(
    database.db,
    tenant.accountId,
    Array.from({ length: count }, (_, n) => ({ company_name: `会社${n}${archived_at ? '旧' : ''}`, archived_at })),
  );
const listed = async () => ((await client.get('/prospect/list?columns[]=id')).body as unknown[]).length;
const add = (name: string) => client.post('/prospect', { add_info: { company_name: name, address: '東京都港区1' } });
const refused = (has: number, more: number) => ({
  status: 409,
  body: {
    code: 'too_many_companies',
    message: expect.stringContaining(`${MOST}社までです（いま${has}社、追加は${more}社）`),
  },
});

test('a company is added and brought back up to the limit; edits and archived ones do not count', async () => {
  const [first = 0] = await fill(MOST - 1);
  const [archived = 0] = await fill(1, new Date());
  expect(await add('最後')).toMatchObject({ status: 200 });
  expect(await add('もう1社')).toMatchObject(refused(MOST, 1));
  expect(await client.post(`/prospect/${archived}/restore`, {})).toMatchObject(refused(MOST, 1));
  expect(await client.post(`/prospect/${first}/restore`, {})).toMatchObject({ status: 200 });
  expect(await listed()).toBe(MOST);
  expect(await client.post(`/prospect/${first}/archive`, {})).toMatchObject({ status: 200 });
  expect(await client.post(`/prospect/${archived}/restore`, {})).toMatchObject({ status: 200 });
  expect(await listed()).toBe(MOST);
});

test('of many that are added and brought back at once, as many come as there is room for', async () => {
  await fill(MOST - 2);
  const archived = await fill(4, new Date());
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, (_, n) => add(`同時${n}`)),
    ...archived.map((id) => client.post(`/prospect/${id}/restore`, {})),
  ]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([
    200,
    200,
    ...Array<number>(8).fill(409),
  ]);
  expect(await listed()).toBe(MOST);
});

test('an Idempotency-Key of a refused company is not used up', async () => {
  const [first = 0] = await fill(MOST);
  const body = { add_info: { company_name: '鍵', address: '東京都港区1' } };
  const key = { 'idempotency-key': 'a-key-of-sixteen' };
  expect(await client.post('/prospect', body, key)).toMatchObject(refused(MOST, 1));
  await client.post(`/prospect/${first}/archive`, {});
  expect(await client.post('/prospect', body, key)).toMatchObject({ status: 200 });
});

test('a bulk change restores all companies, or none', async () => {
  await fill(MOST - 2);
  const ids = await fill(3, new Date());
  const restore = (more: object) =>
    client.post('/prospect/bulk', { act: 'restore', sender_group_id: tenant.senderGroupId, ...more });
  expect(await restore({ ids, dry_run: 1 })).toMatchObject(refused(MOST - 2, 3));
  expect(await restore({ ids })).toMatchObject(refused(MOST - 2, 3));
  expect(await listed()).toBe(MOST - 2);
  expect(await restore({ ids: ids.slice(1) })).toMatchObject({ status: 200, body: { changed: 2 } });
  expect(await restore({ ids: ids.slice(1) })).toMatchObject({ status: 200, body: { changed: 0 } });
});

test('sample companies come together or not at all, also back from the archive', async () => {
  await fill(3);
  const samples = () => client.post('/prospect/samples', {});
  expect(await samples()).toMatchObject(refused(3, 10));
  expect(await listed()).toBe(3);
  await database.pool.query('DELETE FROM prospect WHERE id = (SELECT max(id) FROM prospect)');
  expect(await samples()).toMatchObject({ status: 200 });
  expect(await samples()).toMatchObject({ status: 200 });
  await database.pool.query(
    'UPDATE prospect SET archived_at = now() WHERE id IN (SELECT prospect_id FROM sample_company)',
  );
  await fill(3);
  expect(await samples()).toMatchObject(refused(5, 10));
});

/** Makes a list with so many companies, those of fill() first. */
const listOf = (count: number) =>
  `会社名,住所\n${Array.from({ length: count }, (_, n) => `取込${n},東京都港区${n + 1}`).join('\n')}\n`;

test('an import does not begin with more new companies than there is room for; updates do not count', async () => {
  await importer.importText(listOf(4));
  expect(await listed()).toBe(4);
  const id = await importer.upload(listOf(MOST + 1));
  await importer.job(`/import/${id}/check`, {});
  expect(await client.post(`/import/${id}/run`, { add_info: { mode: 'leave_out' } })).toMatchObject(refused(4, 9));
  await importer.importText(listOf(MOST));
  expect(await listed()).toBe(MOST);
  await importer.importText(`会社名,住所,代表者\n取込0,東京都港区1,山田\n`);
  expect(await listed()).toBe(MOST);
});

test('the command line imports no more, nor does the demo begin with more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-most-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'list.csv');
  const email = await emailOf(database.db, tenant.accountId);
  const run = (count: number, ...more: string[]) => {
    writeFileSync(file, listOf(count));
    const env = { DATABASE_URL: database.url, COMPANIES_MAX: String(MOST) };
    return runCommand(['prospect', 'import', file, '--account', email, ...more], env);
  };
  const message = expect.stringContaining(`${MOST}社までです（いま0社、追加は${MOST + 1}社）`);
  expect(await run(MOST + 1, '--dry-run')).toMatchObject({ code: 1, err: message });
  expect(await run(MOST + 1)).toMatchObject({ code: 1, err: message });
  expect(await listed()).toBe(0);
  expect(await run(MOST)).toMatchObject({ code: 0 });

  const other = await emptyDatabase();
  await expect(makeDemo(other, { companiesMax: MOST })).rejects.toThrow(/会社は.*12社までです/);
});
