import { expect, test } from 'vitest';
import { clientOf, serve } from '#test/client.ts';
import { addSender, addSenderGroup, addTenant } from '#test/prospects.ts';
import { NOW, reservationBody } from '#test/reservations.ts';
import { openSessionOf } from '../accounts.ts';
import { SPECIFIED_CALLS } from './calls.ts';
import { listPath, offered, openScene, recordSent, targets } from './scene.ts';

/** Section 6: who may see and change what. The matrix of every call and every caller is test/authorization. */

test('§6.4 every call but the login takes the bearer token of a login, and answers 401 without one', async () => {
  const { database, tenant } = await openScene([]);
  const address = await serve(database);
  const bearer = `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`;
  const ask = async (name: string, authorization: string) => {
    const [method = '', path = ''] = name.split(' ');
    const init = { method, headers: { authorization } };
    return (await fetch(address + path.replace(/\{\w+\}/, '1'), init)).status;
  };
  for (const name of SPECIFIED_CALLS.filter((call) => call !== 'POST /auth/login')) {
    expect([name, await ask(name, '')]).toStrictEqual([name, 401]);
    expect([name, await ask(name, bearer)]).not.toStrictEqual([name, 401]);
  }
});

test('§6.2 data is scoped by account: the lists of an account contain nothing of another', async () => {
  const { client, database, tenant, ids } = await openScene();
  const stranger = await addTenant(database.db);
  const other = await clientOf(database, stranger.accountId, () => NOW);
  await client.post('/reservation', reservationBody({ sender_id: tenant.senderId, attack_list: targets(ids) }));
  await recordSent({ client, tenant, database, ids }, ids, '2026/11/01 10:00:00');
  for (const path of ['/prospect/list', '/reservation/list', '/send_log/list']) {
    expect([path, (await client.get(path)).body]).not.toStrictEqual([path, []]);
    expect([path, (await other.get(path)).body]).toStrictEqual([path, []]);
  }
  expect((await other.get(listPath('/sender_group/list', { account_id: tenant.accountId }))).body).toStrictEqual([]);
  expect((await other.get(listPath('/sender/list', { sender_group_id: tenant.senderGroupId }))).body).toStrictEqual([]);
  expect((await other.get(`/account/${tenant.accountId}`)).status).toBe(404);
  expect(
    (await other.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list: targets(ids) })).status,
  ).toBe(404);
});

test('§6.3 data is scoped by sender group: flags, remarks, times and reservations are those of one group', async () => {
  const scene = await openScene();
  const { client, tenant, database, ids } = scene;
  const [inactive = 0, reserved = 0, sent = 0] = ids;
  const senderGroupId = await addSenderGroup(database.db, tenant.accountId);
  const senderId = await addSender(database.db, { ...tenant, senderGroupId });
  const off = { prospect_id: inactive, sender_group_id: tenant.senderGroupId, active: 0, remarks: '休業中' };
  await client.post('/active_prospect/', { add_info: off, duplicate_key_update_info: { active: 0 } });
  await client.post('/reservation', reservationBody({ sender_id: tenant.senderId, attack_list: targets([reserved]) }));
  await recordSent(scene, [sent], '2026/11/18 09:00:00');
  expect(await offered(scene)).toStrictEqual([]);
  expect(await offered(scene, '', senderGroupId)).toStrictEqual(ids);
  const { body } = await client.get(`/prospect/view?sender_group_id=${senderGroupId}`);
  const untouched = { active: 1, remarks: '', sent_at: null, send_at: null, reservation_id: null };
  expect(body).toMatchObject({ rows: ids.map((id) => ({ id, ...untouched })) });
  for (const [path, where] of [
    ['/active_prospect/list', { sender_group_id: senderGroupId }],
    ['/send_log/list', { sender_group_id: senderGroupId }],
    ['/reservation/list', { sender_id: senderId }],
  ] as const) {
    expect([path, (await client.get(listPath(path, where))).body]).toStrictEqual([path, []]);
  }
});
