import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { attackList, reservationBody, reservationScene, reserveBy } from '#test/reservations.ts';

test('a group that holds its mails takes no reservation for a closed time, but for a test', async () => {
  const scene = await reservationScene();
  const { database, tenant, client, ids } = scene;
  const targets = ids.slice(0, 1);
  const post = (send_at: string) => {
    const body = reservationBody({ sender_id: tenant.senderId, attack_list: attackList(targets), send_at });
    return client.post('/reservation', body);
  };
  const save = (update_info: object) => client.put(`/sending_rules/${tenant.senderGroupId}`, { update_info });
  await save({ on_holidays: 0 });
  // Who is asked may reserve for 勤労感謝の日.
  await reserveBy(scene, targets, { send_at: '2026/11/23 09:00:00' });
  await database.db.deleteFrom('reservation_target').execute();
  await save({ outside: 'hold' });
  const message = '予約日時は送信時間外です（勤労感謝の日）。次に送信できるのは11/24（火）8:00です。';
  expect(await post('2026/11/23 09:00:00')).toMatchObject({
    status: 400,
    body: {
      code: 'closed_day',
      message,
      details: [
        { path: 'add_info.send_at', message },
        { path: 'next_open_at', message: '2026/11/24 08:00:00' },
      ],
    },
  });
  await reserveBy(scene, targets, { send_at: '2026/11/23 09:00:00', test_send_mode: 1 });
  await database.db
    .insertInto('sender_throttle')
    .values(await throttleOf())
    .onConflict((on) => on.doNothing())
    .execute();
  expect((await post('2026/11/24 09:00:00')).body).toMatchObject({
    status: 'added',
    ends_about: '2026/11/24 09:01:00',
  });

  async function throttleOf() {
    const { id: profile_id } = await database.db.selectFrom('sender_profile').select('id').executeTakeFirstOrThrow();
    return { account_id: tenant.accountId, profile_id, mails_per_minute: 1 };
  }
});

test('nor is one moved to a closed time, but one that stays there is changed, and a test moves', async () => {
  const scene = await reservationScene();
  const { database, tenant, client, ids } = scene;
  const real = await reserveBy(scene, ids.slice(0, 2));
  const tests = await reserveBy(scene, ids.slice(3), { test_send_mode: 1 });
  const put = (id: number, update_info: object, version = 1) =>
    client.put(`/reservation/${id}`, { version, update_info, acknowledged: ['outside_hours'] });
  const close = (update_info: object) => client.put(`/sending_rules/${tenant.senderGroupId}`, { update_info });
  const [send_at, open] = ['2026/11/23 09:00:00', '2026/11/24 08:00:00'];
  await close({ on_holidays: 0, outside: 'hold' });
  const message = '予約日時は送信時間外です（勤労感謝の日）。次に送信できるのは11/24（火）8:00です。';
  const details = [
    { path: 'update_info.send_at', message },
    { path: 'next_open_at', message: open },
  ];
  expect(await put(real, { send_at })).toMatchObject({ status: 400, body: { code: 'closed_day', message, details } });
  expect(await put(tests, { send_at })).toMatchObject({ status: 200 });
  await close({ outside: 'warn' });
  expect(await put(real, { send_at })).toMatchObject({ status: 200, body: { version: 2 } });
  await close({ outside: 'hold' });
  expect(await put(real, { remove_prospect_ids: ids.slice(0, 1) }, 2)).toMatchObject({ status: 200 });
  const acknowledged = database.db
    .selectFrom('audit_event')
    .select('id')
    .where(sql<boolean>`detail -> 'acknowledged' = '["outside_hours"]' AND kind = 'reservation_changed'`);
  expect(await acknowledged.execute()).toHaveLength(3);
  const { body } = await client.get(`/reservation/${real}`);
  const text = '11/23（月）は勤労感謝の日（祝日）です。11/24（火）8:00から送信します。';
  expect(body).toMatchObject({ notes: [{ code: 'holiday', text, next_open_at: '2026/11/24 09:00:00' }] });
});
