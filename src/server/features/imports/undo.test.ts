import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let by: Importer;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  by = await importerOf(database, tenant);
});

const stored = () =>
  database.db
    .selectFrom('prospect')
    .select(['id', 'company_name', 'ceo', 'address', 'address_search', 'identity_key', 'major_industry_id'])
    .select(['corporate_number', 'archived_at'])
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();
const idOf = async (name: string) => (await stored()).find(({ company_name }) => company_name === name)?.id ?? 0;
const HEADING = '会社名,代表者,住所,業種,法人番号';
const FIRST = `${HEADING}\n甲,田中,東京都,製造,\n乙,佐藤,大阪府,小売,7000012050002\n`;

describe('an undo', () => {
  test('removes what was added, and gives what was changed its old values back', async () => {
    await by.importText(FIRST);
    const before = await stored();
    const id = await by.importText(`${HEADING}\n甲,鈴木,東京都,運輸,\n乙改,,京都府,,7000012050002\n丙,,,,\n`);
    expect(await by.read(id)).toMatchObject({ counts: { added: 1, updated: 2 } });
    expect(await by.job(`/import/${id}/undo`)).toMatchObject({ state: 'done' });
    expect(await stored()).toStrictEqual(before);
    expect(await by.read(id)).toMatchObject({
      state: 'undone',
      undo_until: null,
      undone: { removed: 1, restored: 2, archived: 0, mailed: 0, reserved: 0, edited: 0 },
    });
  });

  test('bad-inputs 236: leaves what was mailed, reserved, edited or imported again, and says so', async () => {
    const id = await by.importText('会社名,代表者\n送信,\n予約,\n編集,\n再取り込み,\nテスト,\n残り,\n');
    await addDelivery(database.db, tenant, await idOf('送信'), { state: 'sent' });
    await addReservation(database.db, tenant, [await idOf('予約')], { sendAt: new Date(Date.now() + 86_400_000) });
    const { body } = await by.client.get(`/prospect/${await idOf('編集')}`);
    const { version } = body as { version: string };
    await by.client.put(`/prospect/${await idOf('編集')}`, { version, update_info: { ceo: '編集者' } });
    await by.importText('会社名,代表者\n再取り込み,田中\n');
    await addDelivery(database.db, tenant, await idOf('テスト'), { state: 'sent', test: true });
    await by.job(`/import/${id}/undo`);
    expect((await by.read(id)).undone).toStrictEqual({
      removed: 1,
      restored: 0,
      archived: 1,
      mailed: 1,
      reserved: 1,
      edited: 2,
    });
    expect((await stored()).map(({ company_name, archived_at }) => [company_name, archived_at !== null])).toStrictEqual(
      [
        ['送信', false],
        ['予約', false],
        ['編集', false],
        ['再取り込み', false],
        ['テスト', true],
      ],
    );
  });

  test('bad-inputs 236: leaves a changed company that was edited since', async () => {
    await by.importText(FIRST);
    const id = await by.importText(`${HEADING}\n甲,鈴木,東京都,,\n`);
    const company = await idOf('甲');
    const { version } = (await by.client.get(`/prospect/${company}`)).body as { version: string };
    await by.client.put(`/prospect/${company}`, { version, update_info: { ceo: '高橋' } });
    await by.job(`/import/${id}/undo`);
    expect((await by.read(id)).undone).toMatchObject({ restored: 0, edited: 1 });
    expect((await stored())[0]?.ceo).toBe('高橋');
  });

  test('is possible for 24 hours, and once', async () => {
    const id = await by.importText(FIRST);
    const undo = () => by.client.post(`/import/${id}/undo`, {});
    const importedAgo = (hours: number) =>
      database.db
        .updateTable('import_run')
        .set({ imported_at: new Date(Date.now() - hours * 3_600_000) })
        .execute();
    await importedAgo(24.1);
    const late = await undo();
    await importedAgo(23.9);
    await by.job(`/import/${id}/undo`);
    expect([late, await undo()]).toMatchObject([
      { status: 409, body: { code: 'not_undoable' } },
      { status: 409, body: { code: 'not_undoable' } },
    ]);
    expect(await stored()).toStrictEqual([]);
  });
});
