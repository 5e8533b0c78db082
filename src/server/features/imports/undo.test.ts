import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type Importer, importerOf } from '#test/imports.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';

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

  test('stands in the history of a company as that, with the import', async () => {
    await by.importText(FIRST);
    const id = await by.importText(`${HEADING}\n甲,鈴木,東京都,,\n丙,,,,\n`);
    await addDelivery(database.db, tenant, await idOf('丙'), { state: 'sent', test: true });
    await by.job(`/import/${id}/undo`);
    const newest = async (name: string) =>
      ((await by.client.get(`/prospect/${await idOf(name)}/timeline?limit=1`)).body as object[])[0];
    const ofImport = { import_run_id: id, file_name: '見込み客.csv' };
    expect([await newest('甲'), await newest('丙')]).toMatchObject([
      { ...ofImport, kind: 'import_undone', changes: [{ field: 'ceo', old: '鈴木', new: '田中' }] },
      { ...ofImport, kind: 'archived', changes: [] },
    ]);
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

describe('an undo of an import with remarks', () => {
  const withRemarks = (text: string) => by.importText(text, { sender_group_id: tenant.senderGroupId });
  const remarks = async () => {
    const { rows } = await database.pool.query(
      `SELECT company_name, phone, remarks FROM prospect
       LEFT JOIN active_prospect AS own ON own.account_id = prospect.account_id AND own.prospect_id = prospect.id
       WHERE prospect.account_id = $1 ORDER BY prospect.id`,
      [tenant.accountId],
    );
    return rows.map(({ company_name, phone, remarks: text }) => [company_name, phone, text]);
  };
  const write = async (name: string, text: string, sender_group_id = tenant.senderGroupId) => {
    const add_info = { prospect_id: await idOf(name), sender_group_id, remarks: text };
    await by.client.post('/active_prospect/', { add_info, duplicate_key_update_info: { remarks: text } });
  };
  const undo = async (id: number) => {
    expect(await by.job(`/import/${id}/undo`)).toMatchObject({ state: 'done' });
    return (await by.read(id)).undone;
  };

  test('gives the old remarks and numbers back, with their history', async () => {
    await withRemarks('会社名,備考,電話番号\n甲,前,03-1111-1111\n乙,,\n丙,前,\n');
    const before = await remarks();
    const id = await withRemarks('会社名,備考,電話番号\n甲,後,03-2222-2222\n乙,後,\n丙,前,\n丁,新,\n');
    expect(await remarks()).not.toEqual(before);
    expect(await undo(id)).toMatchObject({ removed: 1, restored: 2, edited: 0 });
    expect(await remarks()).toEqual(before.map((row) => (row[0] === '乙' ? ['乙', null, ''] : row)));
    const { body } = await by.client.get(`/prospect/${await idOf('甲')}/timeline?limit=2`);
    expect(body).toMatchObject([
      { kind: 'import_undone', sender_group_id: null, changes: [{ field: 'phone' }] },
      {
        kind: 'import_undone',
        sender_group_id: tenant.senderGroupId,
        import_run_id: id,
        changes: [{ field: 'remarks', old: '後', new: '前' }],
      },
    ]);
  });

  test('leaves companies alone whose remarks differ from what the import wrote', async () => {
    await withRemarks('会社名,備考\n変更,前\n消去,前\n同じ,前\n');
    const id = await withRemarks('会社名,備考\n変更,後\n消去,後\n同じ,後\n追加,後\n追加編集,後\n備考なし,\n');
    await write('変更', '人');
    await write('消去', '');
    await write('同じ', '人');
    await write('同じ', '後');
    await write('追加編集', '人');
    await write('備考なし', '人');
    expect(await undo(id)).toMatchObject({ removed: 1, restored: 1, edited: 4 });
    expect((await remarks()).map(([name, , text]) => [name, text])).toEqual([
      ['変更', '人'],
      ['消去', ''],
      ['同じ', '前'],
      ['追加編集', '人'],
      ['備考なし', '人'],
    ]);
  });

  test('leaves an added company of which another group has remarks', async () => {
    const other = await addSenderGroup(database.db, tenant.accountId);
    const id = await withRemarks('会社名,備考\n甲,新\n乙,新\n');
    await write('甲', 'ほか', other);
    expect(await undo(id)).toMatchObject({ removed: 1, edited: 1 });
  });
});
