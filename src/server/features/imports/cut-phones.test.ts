import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { workbookOf } from '#test/workbook.ts';

/** Telephone numbers whose first 0 Excel took, which counts digits as a number. */

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

async function phones(): Promise<Record<string, string | null>> {
  const rows = await database.db.selectFrom('prospect').select(['company_name', 'phone']).orderBy('id').execute();
  return Object.fromEntries(rows.map(({ company_name, phone }) => [company_name, phone]));
}
const get = async (path: string) => (await by.client.get(path)).body;

const WORKBOOK = workbookOf({
  sheets: [
    {
      rows: [
        ['会社名', '代表メール', '電話番号'],
        ['頭零一', 'a1@a40.example', 312345678],
        ['頭零二', 'a2@a40.example', 120123456],
        ['頭零三', 'a3@a40.example', 9012345678],
        ['そのまま', 'a4@a40.example', '03-1234-5678'],
      ],
    },
  ],
});
const WHOLE = { 頭零一: '0312345678', 頭零二: '0120123456', 頭零三: '09012345678', そのまま: '03-1234-5678' };
const CUT = { ...WHOLE, 頭零一: '312345678', 頭零二: '120123456', 頭零三: '9012345678' };

describe('the numbers of a workbook', () => {
  test('get their 0 back, each with a line of the report', async () => {
    const id = await by.upload(WORKBOOK, '電話.xlsx');
    await by.job(`/import/${id}/check`, {});
    const reason = 'Excelで先頭の0が消えたとみて、0を補います。';
    expect((await by.read(id)).review).toMatchObject({
      added: 4,
      cut_phone: 3,
      phones: 'mend',
      groups: [{ kind: 'cut_phone', column: '電話番号', reason, count: 3 }],
    });
    expect(await get(`/import/${id}/line/list?kind=cut_phone`)).toMatchObject([
      { row: 2, column: '電話番号', value: '312345678', reason },
      { row: 3, value: '120123456' },
      { row: 4, value: '9012345678' },
    ]);
    await by.job(`/import/${id}/run`, { mode: 'strict' });
    expect(await phones()).toStrictEqual(WHOLE);
  });

  test('stay as they are where a person says so for the file, until that is taken back', async () => {
    const id = await by.upload(WORKBOOK, '電話.xlsx');
    const columns = ['company_name', 'company_email', 'phone'].map((field, index) => ({ index, field, unit: '' }));
    const table = { separator: 'comma', header_row: 1, columns: columns.filter(({ index }) => index !== 1) };
    await by.job(`/import/${id}/check`, { sheet: 0, table });
    await by.job(`/import/${id}/check`, { as_before: 1, phones: 'as_written' });
    const kept = { cut_phone: 3, phones: 'as_written', ignored_columns: ['代表メール'] };
    expect((await by.read(id)).review).toMatchObject(kept);
    // Other columns are another check of the same file.
    await by.job(`/import/${id}/check`, { sheet: 0, table: { ...table, columns } });
    expect((await by.read(id)).review).toMatchObject({ ...kept, ignored_columns: [] });
    await by.job(`/import/${id}/check`, { as_before: 1, phones: 'mend' });
    expect((await by.read(id)).review).toMatchObject({ cut_phone: 3, phones: 'mend', ignored_columns: [] });
    await by.job(`/import/${id}/check`, { as_before: 1, phones: 'as_written' });
    await by.job(`/import/${id}/run`, { mode: 'strict' });
    expect(await phones()).toStrictEqual(CUT);
  });

  test('a check of a program before this one counts none', async () => {
    const id = await by.upload('会社名\n甲\n');
    await by.job(`/import/${id}/check`, {});
    const { review } = await database.db.selectFrom('import_run').select('review').executeTakeFirstOrThrow();
    const { cut_phone: _count, phones: _phones, ...before } = review as Record<string, unknown>;
    await database.db
      .updateTable('import_run')
      .set({ review: JSON.stringify(before) })
      .execute();
    expect((await by.read(id)).review).toMatchObject({ added: 1, cut_phone: 0, phones: 'mend' });
  });
});

describe('a stored number', () => {
  const list = (phone: string, ceo = '') => `会社名,住所,電話番号,代表者\n往復零,東京都千代田区9,${phone},${ceo}\n`;

  test.each([
    ['0312345678', '312345678'],
    ['03-1234-5678', '312345678'],
    ['03-1234-5678', '0312345678'],
    ['03-1234-5678', '3-1234-5678'],
    ['(03)1234-5678 内線12', '312345678'],
    ['+81 3-1234-5678', '312345678'],
    ['090-1234-5678', '9012345678'],
    ['0120-123-456', '120123456'],
    ['03-1234-5678、06-1234-5678', '312345678'],
    // No number of the plan: nothing is mended.
    ['06-0234-5678', '602345678'],
  ])('%j is not replaced by %j, mended or not', async (stored, cut) => {
    await by.importText(list(stored));
    for (const [at, rule] of ['mend', 'as_written'].entries()) {
      const id = await by.importText(list(`"${cut}"`, `代表${at}`), { phones: rule });
      expect((await by.read(id)).counts).toMatchObject({ updated: 1, unchanged: 0 });
      const again = await by.importText(list(cut), { phones: rule });
      expect((await by.read(again)).counts).toMatchObject({ updated: 0, unchanged: 1 });
    }
    expect(await phones()).toStrictEqual({ 往復零: stored });
    const rows = await database.db.selectFrom('prospect_change').select('changes').execute();
    expect(rows).toHaveLength(2);
    for (const { changes } of rows) expect(Object.keys(changes as object)).toStrictEqual(['ceo']);
  });

  test.each([
    ['0312345678', '612345678', '0612345678'],
    ['0312345678', '03-1234-5678', '03-1234-5678'],
    ['312345678', '0312345678', '0312345678'],
    ['312345678', '312345678', '0312345678'],
  ])('%j is replaced by %j as %j', async (stored, cell, phone) => {
    await by.importText(list(stored), { phones: 'as_written' });
    await by.importText(list(cell));
    expect(await phones()).toStrictEqual({ 往復零: phone });
  });
});
