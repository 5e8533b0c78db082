import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects } from '#test/prospects.ts';
import { type SenderScene, senderScene } from '#test/senders.ts';

let database: TestDatabase;
let scene: SenderScene;

beforeEach(async () => {
  database = await emptyDatabase();
  scene = await senderScene(database);
});

const add = (group_name: unknown, headers?: Record<string, string>) =>
  scene.client.post('/sender_group', { add_info: { group_name } }, headers);
const change = (id: number, update_info: object) => scene.client.put(`/sender_group/${id}`, { update_info });
const list = async () => (await scene.client.get('/sender_group/list')).body as object[];

test('a group is added, listed and renamed', async () => {
  const { body } = await add('  関西営業部 ');
  const { id } = body as { id: number };
  expect(body).toStrictEqual({ status: 'added', id });
  expect(await change(id, { group_name: '西日本営業部' })).toStrictEqual({ status: 200, body: { status: 'updated' } });
  expect((await list())[1]).toMatchObject({
    id,
    group_name: '西日本営業部',
    account_id: scene.tenant.accountId,
    active: 1,
    senders: 0,
    active_senders: 0,
    sent_this_month: 0,
  });
});

test('a repeated create with one key adds one group', async () => {
  const headers = { 'idempotency-key': 'a-key-of-this-test' };
  const [first, second] = [await add('新しい', headers), await add('新しい', headers)];
  expect(second).toStrictEqual(first);
  expect(await list()).toHaveLength(2);
});

test.each([
  ['', 'グループ名が入力されていません'],
  ['\u200b', 'グループ名が入力されていません'],
  ['改\n行', '使えない文字（改行や、文字の向きを変える記号など）が含まれています'],
  ['あ'.repeat(101), '1〜100文字で入力してください'],
])('a faulty name is refused at its field: %j', async (name, message) => {
  expect(await add(name)).toMatchObject({ status: 400, body: { details: [{ path: 'add_info.group_name', message }] } });
  const changed = await change(scene.tenant.senderGroupId, { group_name: name });
  expect(changed).toMatchObject({ status: 400, body: { details: [{ path: 'update_info.group_name', message }] } });
});

test('a name is taken in its account alone, however it is written; also by concurrent requests', async () => {
  const refusal = { code: 'group_name_taken', details: [{ message: '同じ名前のグループがあります' }] };
  await add('Sales 1');
  expect(await add('ＳＡＬＥＳ　１')).toMatchObject({ status: 409, body: refusal });
  expect(await change(scene.tenant.senderGroupId, { group_name: 'sales 1' })).toMatchObject({
    status: 409,
    body: refusal,
  });
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => add('同時')))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toStrictEqual([200]);
  expect(statuses.filter((status) => status === 409)).toHaveLength(7);
  const other = await senderScene(database);
  expect(await other.client.post('/sender_group', { add_info: { group_name: 'Sales 1' } })).toMatchObject({
    status: 200,
  });
});

describe('a group is switched off', () => {
  test('and on again; its senders then send nothing new', async () => {
    await add('別のグループ');
    const { senderGroupId } = scene.tenant;
    expect(await change(senderGroupId, { active: 0 })).toMatchObject({ status: 200 });
    expect(await list()).toMatchObject([{ id: senderGroupId, active: 0 }, { active: 1 }]);
    expect(await change(senderGroupId, { active: 1 })).toMatchObject({ status: 200 });
    expect(await list()).toMatchObject([{ id: senderGroupId, active: 1 }, { active: 1 }]);
  });

  test('but not with reservations, whose number is named', async () => {
    await add('別のグループ');
    const ids = await addProspects(database.db, scene.tenant.accountId, [{}, {}]);
    for (const [n, id] of ids.entries()) {
      await addReservation(database.db, scene.tenant, [id], { sendAt: new Date(Date.UTC(2026, 10, 25 + n)) });
    }
    const message = '予約が2件あります。先に予約を削除してください';
    expect(await change(scene.tenant.senderGroupId, { active: 0 })).toMatchObject({
      status: 409,
      body: { code: 'has_reservations', message },
    });
  });

  test('but not the last active one, also by two at once', async () => {
    expect(await change(scene.tenant.senderGroupId, { active: 0 })).toMatchObject({
      status: 409,
      body: { code: 'last_active_group' },
    });
    const { body } = await add('別のグループ');
    const both = [scene.tenant.senderGroupId, (body as { id: number }).id].map((id) => change(id, { active: 0 }));
    const statuses = (await Promise.all(both)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toStrictEqual([200, 409]);
  });
});

test('a list counts senders, and the real mails of this month in Tokyo', async () => {
  await scene.addSender({ active: 0 });
  const ids = await addProspects(database.db, scene.tenant.accountId, [{}, {}, {}, {}]);
  const finished = ['2026-10-31T14:59:59Z', '2026-10-31T15:00:00Z', '2026-11-23T15:30:00Z', '2026-11-23T15:30:00Z'];
  for (const [index, id] of ids.entries()) {
    const state = index === 3 ? 'failed' : 'sent';
    const run = await addDelivery(database.db, scene.tenant, id, { state });
    await database.db
      .updateTable('delivery')
      .set({ finished_at: new Date(finished[index] ?? '') })
      .where('send_log_id', '=', run)
      .execute();
  }
  expect(await list()).toMatchObject([{ senders: 2, active_senders: 1, sent_this_month: 2 }]);
  const few = await scene.client.get('/sender_group/list?columns[]=id&columns[]=senders');
  expect(few.body).toStrictEqual([{ id: scene.tenant.senderGroupId, senders: 2 }]);
});
