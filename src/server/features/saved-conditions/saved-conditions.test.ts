import { beforeEach, expect, test } from 'vitest';
import { MAX_SAVED_CONDITIONS } from '#domain/limits.ts';
import { openSession } from '#server/features/auth/session.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientAt } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects } from '#test/prospects.ts';
import { type SenderScene, senderScene } from '#test/senders.ts';

let database: TestDatabase;
let scene: SenderScene;
/** Another member of the same account. */
let colleague: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  scene = await senderScene(database);
  const { accountId } = scene.tenant;
  const memberId = await addMember(database.db, accountId, { name: '佐藤 花子' });
  const token = await openSession(database.login, { accountId, memberId }, scene.now);
  colleague = clientAt(scene.api, `Bearer ${token}`);
});

const WHERE = { major_industry_type: '製造', amount_of_sales_from: 100_000_000, has_company_email: 'yes' };
const add = (info: object, client = scene.client) =>
  client.post('/saved_condition', { add_info: { name: '製造・東京', where_info: WHERE, ...info } });
const added = async (info: object, client = scene.client) => ((await add(info, client)).body as { id: number }).id;
const change = (id: number, update_info: object, client = scene.client) =>
  client.put(`/saved_condition/${id}`, { update_info });
const list = async (client = scene.client) =>
  (await client.get('/saved_condition/list')).body as { id: number; name: string }[];
const names = async (client?: Client) => (await list(client)).map(({ name }) => name);
const taken = (path: string) => ({
  status: 409,
  body: { code: 'name_taken', details: [{ path, message: '同じ名前の条件があります' }] },
});

test('a condition is saved for oneself, listed, renamed, replaced and removed', async () => {
  const where_info = { ...WHERE, status: 'unsent', address: '', sender_group_id: scene.tenant.senderGroupId };
  const id = await added({ name: ' 製造・東京 ', where_info });
  const { address: _blank, ...stored } = where_info;
  expect(await list()).toMatchObject([
    {
      id,
      name: '製造・東京',
      is_shared: 0,
      where_info: stored,
      gone: [],
      updated_by: '山田 太郎',
      updated_at: expect.stringMatching(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/),
    },
  ]);
  await change(id, { name: '卸売', where_info: { major_industry_type: '卸売' } });
  expect(await list()).toMatchObject([{ name: '卸売', where_info: { major_industry_type: '卸売' } }]);
  expect(await change(id, { active: 0 })).toStrictEqual({ status: 200, body: { status: 'updated' } });
  expect(await list()).toStrictEqual([]);
  const { rows } = await database.pool.query(
    `SELECT kind, detail FROM audit_event WHERE kind LIKE 'condition%' ORDER BY id`,
  );
  expect(rows).toStrictEqual([
    { kind: 'condition_saved', detail: { saved_condition_id: id, is_shared: false } },
    {
      kind: 'condition_changed',
      detail: { saved_condition_id: id, fields: ['name', 'where_info'], is_shared: false },
    },
    { kind: 'condition_removed', detail: { saved_condition_id: id, is_shared: false } },
  ]);
});

test('a colleague sees and changes what is shared, and nothing else', async () => {
  const own = await added({ name: '自分' });
  const shared = await added({ name: '全員', is_shared: 1 });
  expect(await names(colleague)).toStrictEqual(['全員']);
  expect((await change(own, { name: '乗っ取り' }, colleague)).status).toBe(404);
  expect((await change(own, { active: 0 }, colleague)).status).toBe(404);
  await change(shared, { name: 'みんな' }, colleague);
  expect(await list()).toMatchObject([{ name: '自分' }, { name: 'みんな', updated_by: '佐藤 花子' }]);
  await change(shared, { is_shared: 0 }, colleague);
  expect([await names(), await names(colleague)]).toStrictEqual([['自分'], ['みんな']]);
  await change(own, { is_shared: 1 });
  expect(await names(colleague)).toStrictEqual(['自分', 'みんな']);
});

test('a name is taken once among one’s own conditions, and once among the shared ones', async () => {
  await add({ name: 'Sales 1' });
  expect(await add({ name: 'ＳＡＬＥＳ　１' })).toMatchObject(taken('add_info.name'));
  const shared = await added({ name: 'sales 1', is_shared: 1 });
  expect(await add({ name: 'Sales 1' }, colleague)).toMatchObject({ status: 200 });
  expect(await change(shared, { is_shared: 0 })).toMatchObject(taken('update_info.name'));
  const other = await added({ name: 'ほか' });
  expect(await change(other, { name: 'SALES 1' })).toMatchObject(taken('update_info.name'));
  expect((await change(other, { name: 'ほか', is_shared: 0 })).status).toBe(200);
});

test('a repeated create with one key saves one condition', async () => {
  const create = () =>
    scene.client.post(
      '/saved_condition',
      { add_info: { name: '製造', where_info: WHERE } },
      { 'idempotency-key': 'a-key-of-this-test' },
    );
  expect(await create()).toStrictEqual(await create());
  expect(await list()).toHaveLength(1);
});

test.each([
  [{ name: '　' }, 'add_info.name', '条件の名前が入力されていません'],
  [{ name: 'あ'.repeat(101) }, 'add_info.name', '1〜100文字で入力してください'],
  [{ where_info: {} }, 'add_info.where_info', '条件がありません。絞り込みの条件を指定してください'],
  [{ where_info: { address: '' } }, 'add_info.where_info', '条件がありません。絞り込みの条件を指定してください'],
  [{ where_info: { sender_group_id: 1 } }, 'add_info.where_info', '条件がありません。絞り込みの条件を指定してください'],
  [
    { where_info: { address: '字'.repeat(1400) } },
    'add_info.where_info.address',
    '絞り込みの条件が長すぎます。語を減らしてください',
  ],
])('a condition is refused at its field: %j', async (info, path, message) => {
  expect(await add(info)).toMatchObject({ status: 400, body: { details: [{ path, message }] } });
});

test("a condition above its owner's limit is refused", async () => {
  const { accountId: account_id, memberId: owner_id } = scene.tenant;
  const many = Array.from({ length: MAX_SAVED_CONDITIONS }, (_, n) => ({
    account_id,
    owner_id,
    name: `条件${n}`,
    name_key: `条件${n}`,
    where_info: '{}',
  }));
  await database.db.insertInto('saved_condition').values(many).execute();
  expect(await add({})).toMatchObject({ status: 409, body: { code: 'too_many_conditions' } });
  const shared = await added({ is_shared: 1 });
  expect(await change(shared, { is_shared: 0 })).toMatchObject({ status: 409, body: { code: 'too_many_conditions' } });
});

test('bad-inputs 247: what is gone of a saved condition is named, and the rest applies', async () => {
  const { accountId, senderGroupId } = scene.tenant;
  await scene.client.post('/sender_group', { add_info: { group_name: 'ほか' } });
  await added({ where_info: { ...WHERE, sender_group_id: senderGroupId, status: 'sent' } });
  // As a later version may find it: without the column `tags`, and without one status.
  await database.pool.query(
    `UPDATE saved_condition SET where_info = where_info || '{"status": "opened", "tags": ["a"], "search": "山"}'
     WHERE account_id = ${accountId}`,
  );
  await database.pool.query(`UPDATE sender_group SET active = false, group_name = '関西' WHERE id = ${senderGroupId}`);
  const [row] = await list();
  expect(row).toMatchObject({
    where_info: { ...WHERE, search: '山' },
    gone: expect.arrayContaining([
      { field: 'status', value: 'opened' },
      { field: 'tags', value: '["a"]' },
      { field: 'sender_group_id', value: '関西' },
    ]),
  });
});

test('the companies of conditions are counted in one call, for the group of each or the one asked for', async () => {
  const { accountId, senderGroupId } = scene.tenant;
  const addresses = ['東京都千代田区', '東京都港区', '大阪府大阪市'];
  await addProspects(
    database.db,
    accountId,
    addresses.map((address) => ({ address })),
  );
  const tokyo = await added({ name: '東京', where_info: { address: '東京' } });
  const unsent = await added({ name: '未送信', where_info: { status: 'unsent', sender_group_id: senderGroupId } });
  const theirs = await added({ name: '人のもの', where_info: { address: '東京' } }, colleague);
  const count = (ids: string) => scene.client.get(`/saved_condition/count?sender_group_id=${senderGroupId}&ids=${ids}`);
  const { body } = await count([tokyo, unsent, theirs, 999_999, tokyo].join());
  expect((body as { id: number }[]).toSorted((a, b) => a.id - b.id)).toStrictEqual([
    { id: tokyo, total: 2 },
    { id: unsent, total: 3 },
  ]);
  expect((await count('1,2,3,4,5,6,7,8,9')).status).toBe(400);
  expect((await count('1,x')).status).toBe(400);
});

test('a count that takes too long is unknown', async () => {
  const tokyo = await added({ name: '東京', where_info: { address: '東京' } });
  const path = `/saved_condition/count?sender_group_id=${scene.tenant.senderGroupId}&ids=${tokyo}`;
  const blocker = await database.pool.connect();
  await blocker.query('BEGIN; LOCK TABLE prospect_search IN ACCESS EXCLUSIVE MODE');
  const { body } = await scene.client.get(path);
  await blocker.query('ROLLBACK');
  blocker.release();
  expect(body).toStrictEqual([{ id: tokyo, total: null }]);
});
