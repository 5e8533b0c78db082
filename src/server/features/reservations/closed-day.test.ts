import { expect, test } from 'vitest';
import { attackList, reservationBody, reservationScene } from '#test/reservations.ts';

test('a group that holds its mails takes no reservation for a closed time, but for a test', async () => {
  const { database, tenant, client, ids } = await reservationScene();
  const reserve = (send_at: string, test_send_mode: 0 | 1 = 0) => {
    const attack_list = attackList(ids.slice(0, 1), test_send_mode ? 'test@example.com' : undefined);
    return client.post(
      '/reservation',
      reservationBody({ sender_id: tenant.senderId, attack_list, send_at, test_send_mode }),
    );
  };
  const save = (update_info: object) => client.put(`/sending_rules/${tenant.senderGroupId}`, { update_info });
  await save({ on_holidays: 0 });
  // Who is asked may reserve for 勤労感謝の日.
  expect(await reserve('2026/11/23 09:00:00')).toMatchObject({ status: 200, body: { status: 'added' } });
  await database.db.deleteFrom('reservation_target').execute();
  await save({ outside: 'hold' });
  const message = '予約日時は送信時間外です（勤労感謝の日）。次に送信できるのは11/24（火）8:00です。';
  expect(await reserve('2026/11/23 09:00:00')).toMatchObject({
    status: 400,
    body: { code: 'closed_day', message, details: [{ path: 'add_info.send_at', message }] },
  });
  expect(await reserve('2026/11/23 09:00:00', 1)).toMatchObject({ status: 200 });
  await database.db
    .insertInto('sender_throttle')
    .values(await throttleOf())
    .onConflict((on) => on.doNothing())
    .execute();
  expect((await reserve('2026/11/24 09:00:00')).body).toMatchObject({
    status: 'added',
    ends_about: '2026/11/24 09:01:00',
  });

  async function throttleOf() {
    const { id: profile_id } = await database.db.selectFrom('sender_profile').select('id').executeTakeFirstOrThrow();
    return { account_id: tenant.accountId, profile_id, mails_per_minute: 1 };
  }
});
