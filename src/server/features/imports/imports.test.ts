import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { workbookOf } from '#test/workbook.ts';
import { FILE_COLUMNS } from './read/table/columns.ts';

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

const companies = async () => {
  const rows = await database.db
    .selectFrom('prospect')
    .select(['company_name', 'ceo', 'address'])
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
  return rows.map(({ company_name, ceo, address }) => [company_name, ceo, address]);
};
const get = async (path: string) => (await by.client.get(path)).body;

const HEADING = '会社名,代表者,住所,代表メール';
const FIRST = `${HEADING}\n甲,田中,東京都,a@example.jp\n乙,佐藤,大阪府,b@example.jp\n`;

describe('a check', () => {
  const SECOND = `${HEADING}\n甲,鈴木,東京都,\n乙,佐藤,大阪府,\n丙,,,c@example.jp\n,,名のない会社,\n丁,,,壊れた\n丙,,,\n`;

  test('counts what an import would do, and changes nothing', async () => {
    await by.importText(FIRST);
    const before = await companies();
    const id = await by.upload(SECOND);
    expect(await by.job(`/import/${id}/check`, {})).toMatchObject({ state: 'done', kind: 'import_check' });
    const { state, review } = await by.read(id);
    expect([state, review]).toMatchObject([
      'checked',
      { rows: 6, added: 1, updated: 1, unchanged: 1, refused: 2, repeated: 1, suppressed: 0, archived: 0 },
    ]);
    expect(await companies()).toStrictEqual(before);
    expect(await database.db.selectFrom('prospect_change').select('id').execute()).toHaveLength(0);
  });

  test('lists the changed companies with their old and new values', async () => {
    await by.importText(FIRST);
    const id = await by.upload(SECOND);
    await by.job(`/import/${id}/check`, {});
    expect(await get(`/import/${id}/change/list`)).toStrictEqual([
      {
        row: 2,
        prospect_id: expect.any(Number),
        company_name: '甲',
        changes: [{ field: 'ceo', old: '田中', new: '鈴木' }],
      },
    ]);
  });

  test('bad-inputs 228, 232: lists faults with value, row and reason, and gives the rows back', async () => {
    const id = await by.upload('会社名,備考,代表メール\n"甲\n本社",x,\n,"y, z",a@example.jp\n乙,w,壊れた\n');
    await by.job(`/import/${id}/check`, {});
    const lines = (await get(`/import/${id}/line/list?kind=refused`)) as { row: number; reason: string }[];
    expect(lines).toMatchObject([
      { row: 3, column: '会社名', value: '', reason: '会社名が空です。' },
      { row: 4, column: '代表メール', value: '壊れた' },
    ]);
    const reason = `reason=${encodeURIComponent('会社名が空です。')}`;
    expect(await get(`/import/${id}/line/list?${reason}`)).toHaveLength(1);
    expect(await get(`/import/${id}/line/list?${reason}&column=${encodeURIComponent('会社名')}`)).toHaveLength(1);
    expect(await get(`/import/${id}/line/list?${reason}&column=${encodeURIComponent('代表メール')}`)).toHaveLength(0);
    expect((await by.read(id)).review?.groups).toHaveLength(2);
    const file = await by.file(`/import/${id}/faults`);
    expect(Buffer.from(await file.arrayBuffer()).toString()).toBe(
      '\uFEFF会社名,備考,代表メール,行番号,誤りの項目,誤りの理由\r\n' +
        ',"y, z",a@example.jp,3,会社名,会社名が空です。\r\n' +
        `乙,w,壊れた,4,代表メール,${lines[1]?.reason}\r\n`,
    );
  });

  test('tells which companies are suppressed or archived', async () => {
    await by.importText(FIRST);
    const { accountId: account_id } = tenant;
    await database.db
      .insertInto('suppression')
      .values({ account_id, kind: 'address', value: 'a@example.jp', reason: '本人の希望' })
      .execute();
    await database.db.updateTable('prospect').set({ archived_at: new Date() }).where('ceo', '=', '佐藤').execute();
    const id = await by.upload(FIRST);
    await by.job(`/import/${id}/check`, {});
    expect((await by.read(id)).review).toMatchObject({ unchanged: 2, suppressed: 1, archived: 1 });
    expect(await get(`/import/${id}/line/list`)).toMatchObject([
      { kind: 'suppressed', row: 2, company_name: '甲' },
      { kind: 'archived', row: 3, company_name: '乙' },
    ]);
  });

  test('follows the columns that a person chose, and remembers them', async () => {
    const text = '名前;売上;場所;番地\n甲;12;東京都港区;1-1\n';
    const id = await by.upload(text);
    const columns = [
      { index: 0, field: 'company_name', unit: '' },
      { index: 1, field: 'amount_of_sales', unit: '百万円' },
      { index: 2, field: 'address', unit: '' },
      { index: 3, field: 'address', unit: '' },
    ];
    const table = { separator: 'semicolon', header_row: 1, columns };
    await by.job(`/import/${id}/check`, { table, remember: 1 });
    await by.job(`/import/${id}/run`, { mode: 'strict' });
    const stored = await database.db.selectFrom('prospect').select(['amount_of_sales', 'address']).execute();
    expect(stored).toStrictEqual([{ amount_of_sales: 12_000_000, address: '東京都港区1-1' }]);
    const again = await by.upload(text);
    expect(await get(`/import/${again}/look`)).toMatchObject({ mapping: 'saved', missing: [] });
  });

  test('bad-inputs 224: reads the chosen sheet of a workbook, and the run reads the same', async () => {
    const sheets = [{ rows: [['会社名'], ['甲']] }, { rows: [['会社名', '代表メール'], ['乙'], ['丙', '壊れた']] }];
    const id = await by.upload(workbookOf({ sheets }), '一覧.xlsx');
    const columns = [{ index: 0, field: 'company_name', unit: '' }];
    const table = { separator: 'tab', header_row: 1, columns };
    await by.job(`/import/${id}/check`, { sheet: 1, table });
    expect((await by.read(id)).review).toMatchObject({ rows: 2, added: 2, encoding: 'xlsx' });
    await by.job(`/import/${id}/check`, { sheet: 1 });
    expect((await by.read(id)).review).toMatchObject({ added: 1, refused: 1 });
    const { state } = await by.job(`/import/${id}/run`, { mode: 'leave_out' });
    expect([state, await companies()]).toStrictEqual(['done', [['乙', null, null]]]);
  });

  test('ends with the reason where a workbook cannot be read', async () => {
    const id = await by.upload(workbookOf({ sheets: [] }).subarray(0, 200), '一覧.xlsx');
    expect(await by.job(`/import/${id}/check`, {})).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('壊れています'),
    });
  });

  test.each([
    ['bad-inputs 227: two columns for one field', ['company_name', 'ceo', 'ceo'], 'duplicate_column'],
    ['bad-inputs 228: no column for 会社名', ['ceo'], 'no_company_name_column'],
  ])('refuses %s', async (_, fields, code) => {
    const id = await by.upload('a,b,c\n甲,乙,丙\n');
    const columns = fields.map((field, index) => ({ index, field, unit: '' }));
    const add_info = { table: { separator: 'comma', header_row: 1, columns } };
    expect(await by.client.post(`/import/${id}/check`, { add_info })).toMatchObject({ status: 400, body: { code } });
  });

  test('a file without a heading row is read by position', async () => {
    const id = await by.upload('甲,田中\n乙,佐藤\n');
    const columns = [
      { index: 0, field: 'company_name', unit: '' },
      { index: 1, field: 'ceo', unit: '' },
    ];
    await by.job(`/import/${id}/check`, { table: { separator: 'comma', header_row: 0, columns } });
    expect((await by.read(id)).review).toMatchObject({ rows: 2, added: 2 });
  });

  test('says why a file is no list', async () => {
    const id = await by.upload(`${HEADING}\n"甲\n`);
    const job = await by.job(`/import/${id}/check`, {});
    expect(job).toMatchObject({ state: 'failed', message: expect.stringMatching(/引用符/) });
    expect(await by.read(id)).toMatchObject({ state: 'uploaded', message: job.message, review: null });
  });
});

test('the sample that the screens offer has all headings, and no faults', async () => {
  const id = await by.upload(readFileSync('src/web/public/prospects-sample.csv'));
  await by.job(`/import/${id}/check`, { sender_group_id: tenant.senderGroupId });
  const { review } = await by.read(id);
  expect(review).toMatchObject({ added: 3, refused: 0, blanked: 0, repeated: 0, ignored_columns: [], groups: [] });
  const { columns } = (await get(`/import/${id}/look`)) as { columns: { field: string | null }[] };
  expect(new Set(columns.map(({ field }) => field))).toStrictEqual(new Set(FILE_COLUMNS.map(({ field }) => field)));
});

describe('the remarks of a list', () => {
  const LIST = '会社名,備考\n甲,新しい備考\n乙,\n丙,同じ\n丁,追加\n';
  const ofGroup = () => ({ sender_group_id: tenant.senderGroupId });

  beforeEach(async () => {
    await by.importText('会社名,備考\n甲,古い備考\n乙,残る\n丙,同じ\n', ofGroup());
  });

  test('are shown by a check as a change, for the group that it names', async () => {
    await database.db.updateTable('prospect').set({ ceo: '田中' }).where('company_name', '=', '甲').execute();
    const id = await by.upload('会社名,備考,代表者\n甲,新しい備考,鈴木\n乙,,\n丙,同じ,\n丁,追加,\n');
    await by.job(`/import/${id}/check`, ofGroup());
    expect(await by.read(id)).toMatchObject({
      remarks_group_name: 'グループ',
      review: { added: 1, updated: 1, unchanged: 2, ignored_columns: [] },
    });
    expect(await get(`/import/${id}/change/list`)).toMatchObject([
      {
        company_name: '甲',
        changes: [
          { field: 'ceo', old: '田中', new: '鈴木' },
          { field: 'remarks', old: '古い備考', new: '新しい備考' },
        ],
      },
    ]);
  });

  test('go where the check said, and the same list again changes nothing', async () => {
    await by.importText(LIST, ofGroup());
    const rows = await database.db
      .selectFrom('active_prospect')
      .select(['sender_group_id', 'remarks'])
      .orderBy('prospect_id')
      .execute();
    const { senderGroupId: sender_group_id } = tenant;
    expect(rows).toEqual(['新しい備考', '残る', '同じ', '追加'].map((remarks) => ({ sender_group_id, remarks })));
    const again = await by.upload(LIST);
    await by.job(`/import/${again}/check`, ofGroup());
    expect((await by.read(again)).review).toMatchObject({ added: 0, updated: 0, unchanged: 4 });
  });

  test('are left out without a group, and no group is named for a list without them', async () => {
    const [without, other] = [await by.upload(LIST), await by.upload('会社名\n甲\n')];
    await by.job(`/import/${without}/check`, {});
    await by.job(`/import/${other}/check`, ofGroup());
    expect([await by.read(without), await by.read(other)]).toMatchObject([
      { remarks_group_name: null, review: { ignored_columns: ['備考'] } },
      { remarks_group_name: null },
    ]);
  });

  test('need a group of the account where a person has chosen their column', async () => {
    const id = await by.upload(LIST);
    const columns = [
      { index: 0, field: 'company_name', unit: '' },
      { index: 1, field: 'remarks', unit: '' },
    ];
    const table = { separator: 'comma', header_row: 1, columns };
    const foreign = await addTenant(database.db);
    const check = (more: object) => by.client.post(`/import/${id}/check`, { add_info: { table, ...more } });
    expect(await check({})).toMatchObject({ status: 400, body: { code: 'no_remarks_group' } });
    expect(await check({ sender_group_id: foreign.senderGroupId })).toMatchObject({ status: 404 });
    expect(await check(ofGroup())).toMatchObject({ status: 200 });
  });
});

test('an import counts all skipped rows', async () => {
  const id = await by.importText(`${HEADING}\n甲,,,\n甲,,,\n乙,,,壊れた\n合計,,,\n`);
  expect((await by.read(id)).counts).toEqual({
    added: 1,
    updated: 0,
    unchanged: 0,
    refused: 1,
    repeated: 1,
    closed: 1,
  });
});

describe('a run', () => {
  test('leaves the faulty rows out, with the history of what it changed', async () => {
    await by.importText(FIRST);
    const id = await by.importText(`${HEADING}\n甲,鈴木,東京都,\n,,,\n丙,,,壊れた\n`);
    expect(await by.read(id)).toMatchObject({
      state: 'imported',
      counts: { added: 0, updated: 1, unchanged: 0, refused: 1 },
    });
    const changes = await database.db
      .selectFrom('prospect_change')
      .select(['kind', 'member_id', 'import_run_id', 'changes'])
      .execute();
    expect(changes).toStrictEqual([
      { kind: 'imported', member_id: tenant.memberId, import_run_id: id, changes: { ceo: ['田中', '鈴木'] } },
    ]);
    expect(await get('/import/list')).toMatchObject([{ id, state: 'imported' }, { state: 'imported' }]);
  });

  test('imports nothing in the strict mode where a row is faulty', async () => {
    const id = await by.upload(`${FIRST}丙,,,壊れた\n`);
    await by.job(`/import/${id}/check`, {});
    expect(await by.job(`/import/${id}/run`, { mode: 'strict' })).toMatchObject({
      state: 'failed',
      message: '取り込めない行が1行あるため、何も取り込みませんでした。',
    });
    expect(await companies()).toStrictEqual([]);
    expect(await by.read(id)).toMatchObject({ state: 'checked', counts: null });
  });

  test('waits for a check, and is done once', async () => {
    const id = await by.upload(FIRST);
    const run = () => by.client.post(`/import/${id}/run`, { add_info: { mode: 'strict' } });
    expect(await run()).toMatchObject({ status: 409, body: { code: 'not_checked' } });
    await by.job(`/import/${id}/check`, {});
    await by.job(`/import/${id}/run`, { mode: 'strict' });
    expect(await run()).toMatchObject({ status: 409, body: { code: 'import_ended' } });
  });

  test('bad-inputs 234: the same file twice at once adds each company once', async () => {
    const ids = [await by.upload(FIRST), await by.upload(FIRST)];
    await Promise.all(ids.map((id) => by.job(`/import/${id}/check`, {})));
    await Promise.all(ids.map((id) => by.job(`/import/${id}/run`, { mode: 'leave_out' })));
    const counts = await Promise.all(ids.map(async (id) => (await by.read(id)).counts));
    expect(new Set(counts.map((count) => count?.added))).toStrictEqual(new Set([0, 2]));
    expect(await companies()).toHaveLength(2);
  });
});

describe('a discard', () => {
  const rowsOf = async (table: 'stored_file' | 'stored_file_piece' | 'import_line' | 'import_run') =>
    (await database.db.selectFrom(table).selectAll().where('account_id', '=', tenant.accountId).execute()).length;

  test('deletes a checked file with what was found in it, and then the import is gone', async () => {
    const id = await by.upload(`${HEADING}\n甲,田中,東京都,a@example.jp\n,,,壊れた\n`);
    await by.job(`/import/${id}/check`, {});
    expect(await rowsOf('import_line')).toBe(1);
    expect(await by.client.post(`/import/${id}/discard`, {})).toMatchObject({
      status: 200,
      body: { status: 'deleted' },
    });
    for (const table of ['stored_file', 'stored_file_piece', 'import_line', 'import_run'] as const) {
      expect(await rowsOf(table), table).toBe(0);
    }
    expect(await by.client.post(`/import/${id}/discard`, {})).toMatchObject({ status: 404 });
    expect(await companies()).toStrictEqual([]);
  });

  test('is refused while a job waits, and once the file is imported', async () => {
    const waiting = await by.upload(FIRST);
    const job = { account_id: tenant.accountId, kind: 'import_check', input: '{}', state: 'running' };
    const { id: job_id } = await database.db.insertInto('job').values(job).returning('id').executeTakeFirstOrThrow();
    await database.db.updateTable('import_run').set({ job_id }).where('id', '=', waiting).execute();
    expect(await by.client.post(`/import/${waiting}/discard`, {})).toMatchObject({
      status: 409,
      body: { code: 'import_busy' },
    });
    const done = await by.importText(FIRST);
    expect(await by.client.post(`/import/${done}/discard`, {})).toMatchObject({
      status: 409,
      body: { code: 'import_ended' },
    });
  });
});
