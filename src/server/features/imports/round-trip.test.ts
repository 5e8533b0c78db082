import { pino } from 'pino';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { exportHandler } from '../exports/export-job.ts';
import { startJobWorker } from '../jobs/job-worker.ts';
import { NO_STORAGE_LIMITS } from '../stored-files/storage-limits.ts';

/** Files that we make are imported again, and say what they said first. */

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

/** The cells of a CSV file that has no quotes. */
const cellsOf = (text: string) =>
  text
    .replace('\uFEFF', '')
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(','));

const FORMULA = /^\s*[=+\-@＝＋－−＠]/;
/** Some begin with an apostrophe that belongs to them. */
const NAMES = ['=1+1', '+81', '-5', '@x', '＝1+1', '−5', "'=1+1", "''-5", "'90年代社", '甲'];

describe('the file of faulty rows', () => {
  const HEADING = '会社名,経常利益,住所1,住所2,=1+1,閉鎖年月日,代表メール';
  const rowOf = (name: string, at: number) => `${name},-${at}00,東京都, －${at}－1,@備考,-,`;

  test('bad-inputs 239: has no formula, keeps numbers, and says the same once it is corrected', async () => {
    // As a stranger wrote them: some have the mark already.
    const rows = [...NAMES.map((name) => (/^'+[=+-]/.test(name) ? `'${name}` : name)), "'＋81"].map(rowOf);
    const id = await by.upload(`${HEADING}\n${rows.map((row) => `${row}壊れた`).join('\n')}\n`);
    await by.job(`/import/${id}/check`, {});
    expect((await by.read(id)).review).toMatchObject({ refused: rows.length });

    const file = await (await by.file(`/import/${id}/faults`)).text();
    const lines = cellsOf(file);
    expect(lines).toHaveLength(rows.length + 1);
    const formulas = lines.flat().filter((cell) => FORMULA.test(cell));
    expect(formulas).toStrictEqual(rows.map((_, at) => `-${at}00`));

    await by.importText(file.replaceAll('壊れた', ''));
    expect(await stored()).toStrictEqual(
      [...NAMES, '＋81'].map((name, at) => [name, at === 0 ? 0 : -100 * at, `東京都－${at}－1`]),
    );
  });
});

test.each(['csv_utf8', 'csv_cp932', 'xlsx'])('an export as %s is imported without a change', async (format) => {
  const { senderGroupId: sender_group_id } = tenant;
  const { db } = database.service;
  const handlers = { export: exportHandler({ db, now: Date.now, limits: NO_STORAGE_LIMITS }) };
  onTestFinished(startJobWorker({ db, log: pino({ level: 'silent' }), handlers, pollMs: 50 }));
  // Shift_JIS has no U+2212.
  const names = NAMES.filter((name) => format !== 'csv_cp932' || !name.includes('−'));
  for (const [at, company_name] of names.entries()) {
    const add_info = { company_name, address: `'-1-${at}`, ordinary_profit: -5, phone: '+81-3-0000-0000' };
    const { body } = await by.client.post('/prospect', { add_info, acknowledged: 1 });
    const own = { prospect_id: (body as { id: number }).id, sender_group_id, remarks: '-要フォロー\n\t「展示会」' };
    expect(await by.client.post('/active_prospect/', { add_info: own, duplicate_key_update_info: {} })).toMatchObject({
      status: 200,
    });
  }
  const before = await stored();
  expect(before).toStrictEqual(names.map((name, at) => [name, -5, `'-1-${at}`]));
  const columns = ['company_name', 'address', 'ordinary_profit', 'phone', 'remarks'];
  const job = await by.job('/export', { what: 'prospects', format, sender_group_id, columns });
  const file = await by.file(`/export/${job.id}/file`);
  const id = await by.upload(Buffer.from(await file.arrayBuffer()), `見込み客.${format === 'xlsx' ? 'xlsx' : 'csv'}`);
  await by.job(`/import/${id}/check`, { sender_group_id });
  expect(await by.read(id)).toMatchObject({
    remarks_group_name: 'グループ',
    review: { rows: names.length, unchanged: names.length },
  });
  await by.job(`/import/${id}/run`, { mode: 'strict' });
  expect(await stored()).toStrictEqual(before);
});

async function stored() {
  const rows = await database.db
    .selectFrom('prospect')
    .select(['company_name', 'ordinary_profit', 'address'])
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
  return rows.map(({ company_name, ordinary_profit, address }) => [company_name, ordinary_profit, address]);
}
