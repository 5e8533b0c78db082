import { beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { addDelivery, addReservation } from '#test/prospect-history.ts';
import { addSender, type Tenant } from '#test/prospects.ts';
import { attackList, brokenReservations, reservationBody, reservationScene } from '#test/reservations.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: readonly number[];

beforeEach(async () => {
  ({ database, tenant, client, ids } = await reservationScene());
});

const list = (where_info: object = {}, columns?: readonly string[]) => {
  const query = new URLSearchParams({ where_info: JSON.stringify(where_info) });
  if (columns) query.set('columns', JSON.stringify(columns));
  return client.get(`/reservation/list?${query}`);
};

const idsOf = async (where_info: object) => {
  const { status, body } = await list(where_info, ['id']);
  expect(status).toBe(200);
  return (body as { id: number }[]).map(({ id }) => id);
};

const at = (clock: string) => ({ sendAt: new Date(`${clock}+09:00`) });

describe('GET /reservation/list', () => {
  test('§2.18 returns a reservation with its targets in the order they were added', async () => {
    const [first = 0, second = 0] = ids;
    const datetime_list = [{ date: '2026-11-24', start_time: '9:00', end_time: '18:00' }];
    const wanted = { sender_id: tenant.senderId, datetime_list, attack_list: attackList([second, first]) };
    const { body } = await client.post('/reservation', reservationBody(wanted));
    expect((await list()).body).toStrictEqual([
      {
        id: (body as { id: number }).id,
        sender_id: tenant.senderId,
        sender_group_id: tenant.senderGroupId,
        send_to: 'company',
        attack_list: [
          { prospect_id: second, company_name: '株式会社1', company_email: 'info1@a.example', person_in_charge: '' },
          { prospect_id: first, company_name: '株式会社0', company_email: 'info0@a.example', person_in_charge: '山田' },
        ],
        send_at: '2026/11/20 09:00:00',
        is_sent: 0,
        test_send_mode: 0,
        active: 1,
        suppressed: 0,
        maybe_refused: 0,
        replied: 0,
        datetime_list,
        // The scene is at a fixed time, the clock of the database is not: see below.
        is_missed: expect.any(Number),
        is_held: 0,
        refused_reason: null,
      },
    ]);
  });

  test('lawful 35: counts the targets of a reservation that a refusal takes out', async () => {
    const { accountId: account_id } = tenant;
    const [first = 0, second = 0, third = 0] = ids;
    await addReservation(database.db, tenant, [first, second], at('2030-01-07T09:00:00'));
    await addReservation(database.db, tenant, [third], at('2030-01-07T10:00:00'));
    await addReservation(database.db, tenant, [first], { ...at('2030-01-07T11:00:00'), test: true });
    const counts = async () =>
      ((await list({}, ['suppressed'])).body as { suppressed: number }[]).map(({ suppressed }) => suppressed);
    expect(await counts()).toStrictEqual([0, 0, 0]);
    const row = { account_id, kind: 'address', value: 'info0@a.example' };
    await database.db
      .insertInto('suppression')
      .values([row, { ...row, class: 'refused' }])
      .execute();
    expect(await counts()).toStrictEqual([1, 0, 0]);
  });

  test('counts the targets of a reservation that an answer takes out', async () => {
    const { accountId: account_id } = tenant;
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    const run = await addDelivery(database.db, tenant, fourth, { state: 'sent' });
    await addReservation(database.db, tenant, [first, second], at('2030-01-07T09:00:00'));
    const followUps = await addReservation(database.db, tenant, [third, fourth], at('2030-01-07T10:00:00'));
    await database.db
      .updateTable('reservation_target')
      .set({ follow_up_of: run })
      .where('reservation_id', '=', followUps)
      .where('prospect_id', '=', fourth)
      .execute();
    await addReservation(database.db, tenant, [first], { ...at('2030-01-07T11:00:00'), test: true });
    const counts = async () =>
      ((await list({}, ['replied', 'suppressed'])).body as { replied: number; suppressed: number }[]).map(
        ({ replied, suppressed }) => [replied, suppressed],
      );
    const answer = (prospect_id: number, more: object = {}) =>
      database.db
        .insertInto('reply')
        .values({ account_id, prospect_id, kind: 'reply', ...more })
        .execute();
    await answer(first, { kind: 'auto_reply' });
    await answer(second);
    await answer(second);
    // Handled: it stops no first mail, but a follow-up.
    for (const company of [third, fourth]) await answer(company, { handled_at: new Date() });
    expect(await counts()).toStrictEqual([
      [1, 0],
      [1, 0],
      [0, 0],
    ]);
    // It falls out once.
    const stop = { account_id, kind: 'address', value: 'info1@a.example' };
    await database.db.insertInto('suppression').values(stop).execute();
    expect(await counts()).toStrictEqual([
      [0, 1],
      [1, 0],
      [0, 0],
    ]);
  });

  test('decides by the database’s clock which reservations were missed', async () => {
    const [company = 0, other = 0, third = 0] = ids;
    const minutesAgo = (minutes: number) => ({ sendAt: new Date(Date.now() - minutes * 60_000) });
    const missed = await addReservation(database.db, tenant, [company], minutesAgo(61));
    const due = await addReservation(database.db, tenant, [other], minutesAgo(59));
    await addReservation(database.db, tenant, [third], { ...minutesAgo(90), pending: false });
    expect((await list({}, ['id', 'is_missed'])).body).toStrictEqual([
      { id: expect.any(Number), is_missed: 0 },
      { id: missed, is_missed: 1 },
      { id: due, is_missed: 0 },
    ]);
  });

  test('a test reservation shows its test addresses', async () => {
    const attack_list = attackList(ids.slice(0, 2), 'test+[n]@example.com');
    await client.post('/reservation', reservationBody({ sender_id: tenant.senderId, attack_list, test_send_mode: 1 }));
    expect((await list({ test_send_mode: 1 }, ['attack_list', 'datetime_list'])).body).toMatchObject([
      {
        attack_list: [{ company_email: 'test+0@example.com' }, { company_email: 'test+1@example.com' }],
        datetime_list: null,
      },
    ]);
  });

  test('filters by what the specification filters by, and each other column', async () => {
    const { db } = database;
    const other = { ...tenant, senderId: await addSender(db, tenant) };
    const later = await addReservation(db, tenant, ids.slice(0, 1), at('2026-11-24T09:00:00'));
    const sooner = await addReservation(db, tenant, ids.slice(1), at('2026-11-20T09:00:00'));
    const rehearsal = await addReservation(db, other, ids, { ...at('2026-11-25T09:00:00'), test: true });
    const deleted = await addReservation(db, tenant, ids, { ...at('2026-11-26T09:00:00'), pending: false });
    const sent = await addReservation(db, tenant, [], { ...at('2026-11-17T09:00:00') });
    await db.updateTable('reservation').set({ is_sent: true }).where('id', '=', sent).execute();

    expect(await idsOf({})).toStrictEqual([sent, sooner, later, rehearsal, deleted]);
    const asTheClientAsks = { is_sent: 0, test_send_mode: 0, active: 1, send_at: { gt: '2026/11/18 12:34:56' } };
    expect(await idsOf({ sender_id: tenant.senderId, ...asTheClientAsks })).toStrictEqual([sooner, later]);
    expect(await idsOf({ id: later })).toStrictEqual([later]);
    expect(await idsOf({ id: { gte: later, lt: rehearsal } })).toStrictEqual([sooner, later]);
    expect(await idsOf({ sender_group_id: tenant.senderGroupId, sender_id: other.senderId })).toStrictEqual([
      rehearsal,
    ]);
    expect(await idsOf({ active: '0' })).toStrictEqual([deleted]);
    expect(await idsOf({ is_sent: '1' })).toStrictEqual([sent]);
    expect(await idsOf({ test_send_mode: 1 })).toStrictEqual([rehearsal]);
    expect(await idsOf({ send_at: '2026-11-24T00:00:00Z' })).toStrictEqual([later]);
    expect(await idsOf({ send_at: { gte: '2026/11/20 09:00', lte: '2026/11/24 9:00' } })).toStrictEqual([
      sooner,
      later,
    ]);
    expect(await idsOf({ send_at: { gt: '2026/11/20 09:00', lt: '2026/11/25 09:00' } })).toStrictEqual([later]);
  });

  test('bad-inputs 198: the label of 9:00 in Tokyo is 09:00, whatever the zone of the process', async () => {
    await client.post('/reservation', reservationBody({ sender_id: tenant.senderId, attack_list: attackList(ids) }));
    const { body } = await list({ send_at: { gt: '2026/11/20 08:59:59', lt: '2026/11/20 09:00:01' } });
    expect(body).toMatchObject([{ send_at: expect.stringMatching(/^2026\/11\/20 09:00/) }]);
  });
});

describe('PUT /reservation/{id}', () => {
  const remove = (id: number) => client.put(`/reservation/${id}`, { update_info: { active: 0 } });

  test('§2.18 deletes the reservation and frees its targets; a repeated deletion succeeds', async () => {
    const id = await addReservation(database.db, tenant, ids, at('2026-11-20T09:00:00'));
    for (let time = 0; time < 2; time += 1) {
      expect(await remove(id)).toStrictEqual({ status: 200, body: { status: 'updated' } });
      expect(await idsOf({ active: 0 })).toStrictEqual([id]);
      expect(await brokenReservations(database.db)).toStrictEqual([]);
    }
    const preview = await client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}`);
    expect(preview.body).toMatchObject({ eligible: 4, left_out: { reserved: 0 } });
  });

  test('bad-inputs 181: deletion after the start is a conflict', async () => {
    const { db } = database;
    const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
    const started = await addReservation(db, tenant, ids.slice(0, 1), at('2026-11-20T09:00:00'));
    const run = { account_id, sender_group_id, reservation_id: started, test_send_mode: false, days_from_lastday: 7 };
    await db
      .insertInto('send_log')
      .values({ ...run, mail: '{}' })
      .execute();
    const sent = await addReservation(db, tenant, ids.slice(1), at('2026-11-24T09:00:00'));
    await db.updateTable('reservation').set({ is_sent: true }).where('id', '=', sent).execute();
    for (const id of [started, sent]) {
      expect(await remove(id)).toMatchObject({ status: 409, body: { code: 'reservation_started' } });
    }
    expect(await idsOf({ active: 1 })).toStrictEqual([started, sent]);
  });

  test('bad-inputs 43–47: nothing else can be changed', async () => {
    const id = await addReservation(database.db, tenant, ids, at('2026-11-20T09:00:00'));
    for (const update_info of [
      {},
      { active: 1 },
      { active: 2 },
      { active: '0' },
      { active: false },
      { active: null },
      { active: 0, send_at: '2026/11/24 09:00:00' },
      { active: 0, id: 1 },
      { active: 0, is_sent: 1 },
      { attack_list: [] },
    ]) {
      expect([update_info, (await client.put(`/reservation/${id}`, { update_info })).status]).toStrictEqual([
        update_info,
        400,
      ]);
    }
    expect((await client.put(`/reservation/${id}`, { active: 0 })).status).toBe(400);
    expect(await idsOf({ active: 1 })).toStrictEqual([id]);
  });
});
