import iconv from 'iconv-lite';
import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Job } from '#contract/account/jobs.ts';
import type { ExportRequest } from '#contract/companies/exports.ts';
import { openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addManyProspects, addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, eventually } from '#test/sending.ts';
import { addJob } from '../jobs/job.queries.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { NO_STORAGE_LIMITS } from '../stored-files/storage-limits.ts';
import { PIECE_BYTES } from '../stored-files/stored-file.queries.ts';
import { readAllSuppressions } from '../suppression-list/view.queries.ts';
import { addSuppressions } from '../suppressions/write-suppressions.queries.ts';
import { exportHandler } from './export-job.ts';

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
  const { db } = database.service;
  const handlers = { export: exportHandler({ db, now: Date.now, limits: NO_STORAGE_LIMITS, maxXlsxRows: 10 }) };
  onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers, pollMs: 50 }));
});

type Request = Record<string, unknown>;
const prospects = (more: Request = {}): Request => ({
  what: 'prospects',
  format: 'csv_utf8',
  sender_group_id: tenant.senderGroupId,
  columns: ['company_name', 'ordinary_profit', 'active'],
  ...more,
});

/** Exports, and waits for the end. */
async function run(add_info: Request): Promise<Job> {
  const { body } = await client.post('/export', { add_info });
  return ended((body as { id: number }).id);
}

const ended = (id: number): Promise<Job> =>
  eventually(
    async () => (await client.get(`/job/${id}`)).body as Job,
    ({ finished_at }) => finished_at !== null,
  );

const fileOf = (id: number, by = token) =>
  fetch(`${address}/export/${id}/file`, { headers: { authorization: `Bearer ${by}` } });

async function bytesOf(add_info: Request): Promise<Buffer> {
  const job = await run(add_info);
  expect(job).toMatchObject({ state: 'done', message: null });
  const response = await fileOf(job.id);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get('content-length')).toBe(String(bytes.length));
  return bytes;
}

const textOf = async (add_info: Request) => (await bytesOf(add_info)).toString('utf8');

describe('an export of prospects', () => {
  test('holds the list in its order, with a BOM, and quotes what needs it', async () => {
    await addProspects(database.db, tenant.accountId, [
      { company_name: '株式会社い', ordinary_profit: -5 },
      { company_name: '株式会社"あ", 他', ordinary_profit: null },
    ]);
    expect(await textOf(prospects({ sort: 'company_name', order: 'desc' }))).toBe(
      '\uFEFF会社名,経常利益,有効\r\n株式会社い,-5,有効\r\n"株式会社""あ"", 他",,有効\r\n',
    );
  });

  test('bad-inputs 239: formulas are harmless, and numbers stay numbers', async () => {
    const names = ['=1+1', '+81', '-5', '@x'];
    await addProspects(
      database.db,
      tenant.accountId,
      names.map((company_name) => ({ company_name, ordinary_profit: -1 })),
    );
    const lines = (await textOf(prospects())).split('\r\n').slice(1, -1);
    expect(lines).toStrictEqual(names.map((name) => `'${name},-1,有効`));
  });

  test('bad-inputs 240: characters outside of Shift_JIS become 〓, and are counted', async () => {
    const name = '髙﨑①㈱𠮷野〜−😀';
    await addProspects(database.db, tenant.accountId, [{ company_name: name }]);
    const bytes = await bytesOf(prospects({ format: 'csv_cp932', columns: ['company_name'] }));
    expect(iconv.decode(bytes, 'cp932')).toBe('会社名\r\n髙﨑①㈱〓野～－〓\r\n');
    const [listed] = (await client.get('/export/list')).body as { file: object }[];
    expect(listed?.file).toMatchObject({ rows: 1, replaced: 2, bytes: bytes.length });
  });

  test('lawful 46: of suppressions is harmless in a spreadsheet, and can be imported again as it is', async () => {
    // The last one is marked as in a file: its address begins with an apostrophe.
    const values = ['info@x.jp', "'@example.co.jp", '+a@x.jp', "''=b@x.jp"];
    await client.post('/suppression', { add_info: { values, class: 'refused', note: '=1+1' } });
    const file = await bytesOf({ what: 'suppressions', format: 'csv_utf8', class: 'refused' });
    const lines = file.toString('utf8').split('\r\n');
    expect(lines[0]).toBe('\uFEFFアドレス/ドメイン,理由,登録元,登録日時,登録者,会社,サーバーの応答,メモ');
    const others = ['本人の希望', '手動', '', '', "'=1+1"];
    const rows = lines.slice(1, -1).toSorted();
    expect(rows.map((line) => line.split(',').toSpliced(3, 2))).toStrictEqual(
      ["''=b@x.jp", "'+a@x.jp", "'@example.co.jp", 'info@x.jp'].map((value) => [value, ...others]),
    );
    const again = await fetch(`${address}/suppression/import?class=refused`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(file),
    });
    expect(await again.json()).toMatchObject({ status: 'no-added', already: 4, faults_total: 0 });
  });

  test('of suppressions holds each once, also where some are added while it is read', async () => {
    const { accountId } = tenant;
    const values = Array.from({ length: 1500 }, (_, n) => ({ kind: 'address' as const, value: `a${n}@x.jp` }));
    const add = (added: typeof values) =>
      database
        .account(accountId)
        .transaction((tx) =>
          addSuppressions(tx, { accountId, values: added, class: 'blocked', source: 'csv', memberId: null, note: '' }),
        );
    await add(values);
    const read: string[] = [];
    await readAllSuppressions(database.account(accountId), {}, async (rows, total) => {
      if (read.length === 0) await add([{ kind: 'address', value: 'late@x.jp' }]);
      expect(total).toBe(1500);
      read.push(...rows.map(({ value }) => value));
      return undefined;
    });
    expect(read.toSorted()).toStrictEqual(values.map(({ value }) => value).toSorted());
  });

  test('of a filter holds what the screen lists, over several pages of rows', async () => {
    await addManyProspects(database.db, tenant.accountId, 2500);
    const all = (await textOf(prospects())).split('\r\n');
    expect(all).toHaveLength(2502);
    const filter = { company_email: '9@' };
    const query = new URLSearchParams({ ...filter, sender_group_id: String(tenant.senderGroupId) });
    const { total } = (await client.get(`/prospect/view?${query}`)).body as { total: number };
    expect(total).toBeGreaterThan(100);
    expect((await textOf(prospects(filter))).split('\r\n')).toHaveLength(total + 2);
  });

  test('of chosen companies holds these, and none of another account', async () => {
    const [one = 0, , three = 0] = await addProspects(database.db, tenant.accountId, [
      { company_name: 'い' },
      { company_name: 'ろ' },
      { company_name: 'は' },
    ]);
    const other = await addTenant(database.db);
    const [foreign = 0] = await addProspects(database.db, other.accountId, [{ company_name: '他社' }]);
    const text = await textOf(prospects({ ids: [three, foreign, one], columns: ['company_name'] }));
    expect(text).toBe('\uFEFF会社名\r\nは\r\nい\r\n');
  });

  test('a group that is gone when the export begins ends the job as not found, and leaves no file', async () => {
    const { accountId, memberId } = tenant;
    const account = database.account(accountId, memberId);
    const { senderGroupId } = await addTenant(database.db);
    const request = { ...prospects({ sender_group_id: senderGroupId }) } as unknown as ExportRequest;
    const id = await account.transaction((tx) => addJob(tx, account, 'export', request));
    expect((await ended(id)).message).toContain('対象が見つかりません');
    expect(await database.db.selectFrom('stored_file').select('id').execute()).toStrictEqual([]);
  });

  test('as xlsx is a workbook whose texts are texts', async () => {
    await addProspects(database.db, tenant.accountId, [{ company_name: '=1+1', ordinary_profit: -5 }]);
    const { readSheet } = await import('read-excel-file/node');
    const rows = await readSheet(await bytesOf(prospects({ format: 'xlsx' })));
    expect(rows).toStrictEqual([
      ['会社名', '経常利益', '有効'],
      ['=1+1', -5, '有効'],
    ]);
  });

  test('as xlsx of too many rows is refused with the cure', async () => {
    await addManyProspects(database.db, tenant.accountId, 11);
    const job = await run(prospects({ format: 'xlsx' }));
    expect(job.message).toContain('10行までです。条件を絞り込むか、CSVを選んでください');
  });
});

test('bad-inputs 238: an export goes on when the browser is closed, and is stored piece by piece', async () => {
  const ROWS = 5000;
  await addManyProspects(database.db, tenant.accountId, ROWS, 1, { ceo: sql`repeat('長', 100)` });
  const { body } = await client.post('/export', {
    add_info: prospects({ columns: ['company_name', 'ceo'] }),
  });
  const { id } = body as { id: number };
  const browser = new AbortController();
  const events = await fetch(`${address}/job/${id}/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: browser.signal,
  });
  await events.body?.getReader().read();
  browser.abort();
  expect(await ended(id)).toMatchObject({ state: 'done' });
  const { rows } = await database.pool.query<{ bytes: number }>(
    'SELECT length(content) AS bytes FROM stored_file_piece',
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(Math.max(...rows.map(({ bytes }) => bytes))).toBe(PIECE_BYTES);
  const lines = (await (await fileOf(id)).text()).trimEnd().split('\r\n');
  expect(lines).toHaveLength(ROWS + 1);
  expect(lines.at(-1)).toContain(`会社${ROWS}`);
});

test('runs and their results are exported', async () => {
  const { id } = await acceptRun(database, tenant, 3);
  const runs = (await textOf({ what: 'runs', format: 'csv_utf8' })).split('\r\n');
  expect(runs[1]?.split(',')[0]).toBe(String(id));
  const failed = { state: 'failed', smtp_reply: '550 5.1.1 User unknown', finished_at: new Date() };
  await database.db.updateTable('delivery').set(failed).where('row_index', '=', 1).execute();
  const cancelled = { state: 'cancelled', reason: 'suppressed', finished_at: new Date() };
  await database.db.updateTable('delivery').set(cancelled).where('row_index', '=', 2).execute();
  const mails = (await textOf({ what: 'deliveries', format: 'csv_utf8', send_log_id: id })).split('\r\n');
  expect(mails).toHaveLength(5);
  expect(mails[0]).toMatch(/,回数,理由,対処,サーバーの応答$/);
  expect(mails[1]).toMatch(/,送信待ち,.*,0,,,$/);
  expect(mails[2]).toMatch(/,失敗,.*,0,宛先が存在しません,会社のサイト.*,550 5\.1\.1 User unknown$/);
  expect(mails[3]).toMatch(/,取り消し,.*,0,配信停止,,$/);
});

describe('the file of an export', () => {
  test("is not another account's, and is gone when it has expired", async () => {
    const { id } = await run(prospects());
    const other = await addTenant(database.db);
    expect((await fileOf(id, await openSessionOf(database.login, other.accountId, Date.now()))).status).toBe(404);
    await database.pool.query(`UPDATE stored_file SET expires_at = now()`);
    expect((await fileOf(id)).status).toBe(404);
    expect((await client.get('/export/list')).body).toMatchObject([{ id, state: 'done', file: null }]);
  });

  test('has a name that says what and when', async () => {
    const { id } = await run(prospects());
    const name = (await fileOf(id)).headers.get('content-disposition') ?? '';
    expect(decodeURIComponent(name)).toMatch(/^attachment; filename\*=UTF-8''見込み客_\d{8}_\d{4}\.csv$/);
  });
});
