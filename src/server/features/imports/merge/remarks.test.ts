import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { Problem } from '../../../platform/problem.ts';
import { type ImportOptions, importProspects } from './import.command.ts';

/** Remarks and telephone numbers of a list. */

let database: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  database = await emptyDatabase();
});
beforeEach(async () => {
  tenant = await addTenant(database.db);
});

const attempt = (text: string, choices: Partial<ImportOptions> = {}) => {
  const { accountId, senderGroupId: remarksGroupId } = tenant;
  return importProspects(database, { accountId, file: Readable.from([Buffer.from(text)]), remarksGroupId, ...choices });
};

/** What each company has: its name, its number, and the remarks of the group. */
async function stored(senderGroupId = tenant.senderGroupId) {
  const { rows } = await database.pool.query(
    `SELECT company_name, phone, remarks FROM prospect
     LEFT JOIN active_prospect AS own ON own.account_id = prospect.account_id AND own.prospect_id = prospect.id
       AND own.sender_group_id = $2
     WHERE prospect.account_id = $1 ORDER BY id`,
    [tenant.accountId, senderGroupId],
  );
  return rows.map(({ company_name, phone, remarks }) => [company_name, phone, remarks]);
}

const history = () =>
  database.db
    .selectFrom('prospect_change')
    .select(['kind', 'sender_group_id', 'changes'])
    .where('account_id', '=', tenant.accountId)
    .orderBy('id')
    .execute();

describe('remarks', () => {
  test('of a new company go to the group of the import alone, with its history', async () => {
    const other = await addSenderGroup(database.db, tenant.accountId);
    expect(await attempt('会社名,メモ,TEL\n甲,"展示会\n\t名刺\\交換",０３－１２３４－５６７８\n乙,,\n')).toMatchObject({
      added: 2,
      ignoredColumns: [],
    });
    expect(await stored()).toEqual([
      ['甲', '03-1234-5678', '展示会\n\t名刺\\交換'],
      ['乙', null, null],
    ]);
    expect(await stored(other)).toEqual([
      ['甲', '03-1234-5678', null],
      ['乙', null, null],
    ]);
    expect(await history()).toEqual([
      { kind: 'added', sender_group_id: tenant.senderGroupId, changes: { remarks: ['', '展示会\n\t名刺\\交換'] } },
    ]);
  });

  test('of a known company are replaced by others and left by a blank cell', async () => {
    await attempt('会社名,備考\n甲,前\n乙,前\n丙,前\n丁,\n');
    const again = await attempt('会社名,備考,電話番号\n甲,後,\n乙,,03-1234-5678\n丙,前,\n丁,後,06-1234-5678\n');
    expect(again).toMatchObject({ added: 0, updated: 3, unchanged: 1 });
    expect(await stored()).toEqual([
      ['甲', null, '後'],
      ['乙', '03-1234-5678', '前'],
      ['丙', null, '前'],
      ['丁', '06-1234-5678', '後'],
    ]);
    const { senderGroupId } = tenant;
    expect((await history()).slice(3)).toEqual([
      { kind: 'imported', sender_group_id: null, changes: { phone: [null, '03-1234-5678'] } },
      { kind: 'imported', sender_group_id: null, changes: { phone: [null, '06-1234-5678'] } },
      { kind: 'imported', sender_group_id: senderGroupId, changes: { remarks: ['前', '後'] } },
      { kind: 'imported', sender_group_id: senderGroupId, changes: { remarks: ['', '後'] } },
    ]);
  });

  test('keep the flag of a company that is switched off', async () => {
    await attempt('会社名,備考\n甲,前\n');
    const own = () => database.db.selectFrom('active_prospect').where('sender_group_id', '=', tenant.senderGroupId);
    await database.db
      .updateTable('active_prospect')
      .set({ active: false })
      .where('sender_group_id', '=', tenant.senderGroupId)
      .execute();
    await attempt('会社名,備考\n甲,後\n');
    expect(await own().select(['active', 'remarks']).execute()).toEqual([{ active: false, remarks: '後' }]);
  });

  test('are an ignored column without a group', async () => {
    expect(await attempt('会社名,備考\n甲,x\n', { remarksGroupId: null })).toMatchObject({ ignoredColumns: ['備考'] });
    expect(await stored()).toEqual([['甲', null, null]]);
  });

  test('cannot be mapped without a group', async () => {
    const mapping = new Map([['remarks' as const, ['所感']]]);
    const file = '会社名,所感\n甲,x\n';
    expect(await attempt(file, { mapping, remarksGroupId: null })).toBeInstanceOf(Problem);
    expect(await attempt(file, { mapping })).toMatchObject({ added: 1 });
    expect(await stored()).toEqual([['甲', null, 'x']]);
  });

  test('that are too long refuse the row, and nothing is cut', async () => {
    const answer = await attempt(`会社名,備考\n甲,${'あ'.repeat(1001)}\n乙,${'あ'.repeat(1000)}\n`, {
      skipRefused: true,
    });
    expect(answer).toMatchObject({ added: 1, refused: 1 });
    expect(await stored()).toEqual([['乙', null, 'あ'.repeat(1000)]]);
  });
});

test('a telephone number is no key: two companies may share one', async () => {
  expect(await attempt('会社名,電話番号\n甲,03-1234-5678\n乙,03-1234-5678\n')).toMatchObject({
    added: 2,
    duplicates: 0,
  });
});
