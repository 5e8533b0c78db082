import { beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { addContact, addDelivery } from '#test/prospect-history.ts';
import { addProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import {
  attackList,
  brokenReservations,
  NOW,
  reservationBody,
  reservationScene,
  reservedTargets,
  SEND_AT,
  slot,
} from '#test/reservations.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: readonly number[];

beforeEach(async () => {
  ({ database, tenant, client, ids } = await reservationScene());
});

type Wanted = Omit<Parameters<typeof reservationBody>[0], 'sender_id' | 'attack_list'> & { sender_id?: number };

const post = (attack_list: readonly unknown[], wanted: Wanted = {}, more: object = {}) =>
  client.post('/reservation', {
    ...reservationBody({ sender_id: tenant.senderId, ...wanted, attack_list }),
    ...more,
  });

const reservations = () => database.db.selectFrom('reservation').selectAll().orderBy('id').execute();

describe('POST /reservation', () => {
  test('stores the list for its time', async () => {
    const dates = [slot('2026-11-24')];
    const answer = await post(attackList(ids), { datetime_list: dates }, { days_from_lastday: 7 });
    const [reservation] = await reservations();
    expect(answer).toStrictEqual({ status: 200, body: { status: 'added', id: reservation?.id, skipped: [] } });
    expect(reservation).toMatchObject({
      sender_id: tenant.senderId,
      sender_group_id: tenant.senderGroupId,
      send_at: new Date('2026-11-20T09:00:00+09:00'),
      test_send_mode: false,
      is_sent: false,
      active: true,
      candidate_dates: dates,
      days_from_lastday: 7,
    });
    expect(await reservedTargets(database.db)).toStrictEqual({ [reservation?.id ?? 0]: ids });
    expect(await brokenReservations(database.db)).toStrictEqual([]);
  });

  test('a reserved company is shown as reserved and left out of attack lists', async () => {
    const { body } = await post(attackList(ids.slice(0, 1)));
    const { id } = body as { id: number };
    const view = await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}&status=reserved`);
    expect(view.body).toMatchObject({
      rows: [{ id: ids[0], reservation_id: id, send_at: SEND_AT.slice(0, 16) }],
      total: 1,
    });
    const preview = await client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}`);
    expect(preview.body).toMatchObject({ eligible: 3, left_out: { reserved: 1 } });
  });

  test('accepts lists as JSON values, and the fields of an entry in any order', async () => {
    const [prospect_id] = ids;
    const add_info = {
      sender_id: tenant.senderId,
      send_at: SEND_AT,
      test_send_mode: 0,
      attack_list: [{ prospect_id, company_name: '甲' }],
      active: 1,
    };
    const duplicate_key_update_info = { attack_list: [{ company_name: '甲', prospect_id }] };
    const answer = await client.post('/reservation', { add_info, duplicate_key_update_info });
    expect(answer.body).toMatchObject({ status: 'added' });
  });

  test('a body whose two parts disagree is refused', async () => {
    const body = reservationBody({ sender_id: tenant.senderId, attack_list: attackList(ids) });
    for (const differing of [
      { attack_list: JSON.stringify(attackList(ids.slice(1))) },
      { datetime_list: JSON.stringify([slot('2026-11-24')]) },
    ]) {
      const answer = await client.post('/reservation', { ...body, duplicate_key_update_info: differing });
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'invalid_input', details: [{ path: 'duplicate_key_update_info' }] },
      });
    }
    expect(await reservations()).toStrictEqual([]);
  });

  test('bad-inputs 43–48: unknown fields, a sent or deleted reservation and a chosen id are refused', async () => {
    const body = reservationBody({ sender_id: tenant.senderId, attack_list: attackList(ids) });
    for (const more of [
      { is_sent: 1 },
      { id: 1 },
      { account_id: tenant.accountId },
      { sender_group_id: tenant.senderGroupId },
      { active: 0 },
      { active: '1' },
      { active: true },
      { active: null },
      { test_send_mode: 2 },
      { sender_id: undefined },
    ]) {
      const answer = await client.post('/reservation', { ...body, add_info: { ...body.add_info, ...more } });
      expect([more, answer.status]).toStrictEqual([more, 400]);
    }
    expect((await client.post('/reservation', { ...body, is_sent: 1 })).status).toBe(400);
    expect((await client.post('/reservation', { add_info: body.add_info })).status).toBe(400);
    expect(await reservations()).toStrictEqual([]);
  });

  test('bad-inputs 50, 52: no target, or more than 1,000', async () => {
    expect(await post([])).toMatchObject({ status: 400, body: { message: 'アタックリストが0件です' } });
    const thousand = Array.from({ length: 1000 }, (_, n) => ({ prospect_id: n + 1_000_000, company_name: '株式会社' }));
    expect((await post([...thousand, { prospect_id: 1 }])).status).toBe(400);
    expect((await post(thousand)).body).toMatchObject({ status: 'no-added', id: null });
  });

  test('bad-inputs 49, 51, 53: ineligible prospects that the client lists are skipped with the reason', async () => {
    const { db } = database;
    const [inactive = 0, recent = 0, open = 0, fine = 0] = ids;
    const [noMail = 0, twin = 0, suppressed = 0] = await addProspects(db, tenant.accountId, [
      { company_name: '株式会社無', company_email: null },
      { company_name: '株式会社双子', company_email: 'INFO3@a.example' },
      { company_name: '株式会社止', company_email: 'stop@b.example' },
    ]);
    const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
    await db
      .insertInto('active_prospect')
      .values({ account_id, sender_group_id, prospect_id: inactive, active: false })
      .execute();
    await addContact(db, tenant, recent, new Date(NOW - (7 * 24 - 1) * 3_600_000));
    await addDelivery(db, tenant, open, { state: 'queued' });
    await db.insertInto('suppression').values({ account_id, kind: 'domain', value: 'b.example', reason: '' }).execute();
    const asked = [inactive, recent, open, noMail, suppressed, fine, twin, fine, 987_654];
    const answer = await post(attackList(asked), {}, { days_from_lastday: 7 });
    expect(answer.body).toMatchObject({
      status: 'added',
      skipped: [
        { prospect_id: inactive, reason: 'inactive' },
        { prospect_id: recent, reason: 'recently_sent' },
        { prospect_id: open, reason: 'open_delivery' },
        { prospect_id: noMail, reason: 'no_email' },
        { prospect_id: suppressed, reason: 'suppressed' },
        { prospect_id: twin, reason: 'duplicate' },
        { prospect_id: fine, reason: 'duplicate' },
        { prospect_id: 987_654, reason: 'not_found' },
      ],
    });
    expect(Object.values(await reservedTargets(db))).toStrictEqual([[fine]]);
  });

  test.each([-1, 3651, 7.5, 'NaN', null, '7'])('bad-inputs 55: days_from_lastday %j is refused', async (days) => {
    expect((await post(attackList(ids), {}, { days_from_lastday: days })).status).toBe(400);
  });

  test('a template fault is refused at once, and nothing is written', async () => {
    await database.db.updateTable('mail_template').set({ text_body: '{{ company_nam }} 御中' }).execute();
    expect(await post(attackList(ids))).toMatchObject({ status: 400, body: { code: 'invalid_template' } });
    expect(await reservations()).toStrictEqual([]);
  });

  test('bad-inputs 183: an inactive sender or group cannot reserve', async () => {
    await database.db.updateTable('sender').set({ active: false }).execute();
    expect((await post(attackList(ids))).status).toBe(404);
    await database.db.updateTable('sender').set({ active: true }).execute();
    await database.db.updateTable('sender_group').set({ active: false }).execute();
    expect((await post(attackList(ids))).status).toBe(404);
  });

  test("another account's sender and prospects are not found", async () => {
    const stranger = await addTenant(database.db);
    const [foreign = 0] = await addProspects(database.db, stranger.accountId, [{ company_email: 'x@b.example' }]);
    expect(await post(attackList(ids), { sender_id: stranger.senderId })).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
    const answer = await post(attackList([foreign, ...ids]));
    expect(answer.body).toMatchObject({ status: 'added', skipped: [{ prospect_id: foreign, reason: 'not_found' }] });
    expect(Object.values(await reservedTargets(database.db))).toStrictEqual([ids]);
  });
});

describe('the same sender, time and mode again', () => {
  test('bad-inputs 173: adds its targets to the existing reservation, and removes none', async () => {
    const first = await post(attackList(ids.slice(0, 2)));
    const { id } = first.body as { id: number };
    const second = await post(attackList(ids.slice(1)));
    expect(second.body).toStrictEqual({
      status: 'updated',
      id,
      skipped: [{ prospect_id: ids[1], reason: 'reserved' }],
    });
    expect(await reservedTargets(database.db)).toStrictEqual({ [id]: ids });
  });

  test('without new targets is no-added, returns the id of the reservation and changes nothing', async () => {
    const first = await post(attackList(ids), { datetime_list: [slot('2026-11-24')] });
    const before = await reservations();
    const again = await post(attackList(ids), { datetime_list: [slot('2026-11-24')] }, { days_from_lastday: 30 });
    expect(again.body).toMatchObject({
      status: 'no-added',
      id: (first.body as { id: number }).id,
      skipped: ids.map((prospect_id) => ({ prospect_id, reason: 'reserved' })),
    });
    expect(await reservations()).toStrictEqual(before);
  });

  test('replaces the candidate dates; null removes them, and undefined keeps them', async () => {
    const dates = async () => (await reservations()).map(({ candidate_dates }) => candidate_dates);
    await post(attackList(ids.slice(0, 1)), { datetime_list: [slot('2026-11-24')] });
    const other = await post(attackList(ids.slice(0, 1)), { datetime_list: [slot('2026-11-25')] });
    expect(other.body).toMatchObject({ status: 'updated' });
    expect(await dates()).toStrictEqual([[slot('2026-11-25')]]);

    const { add_info } = reservationBody({ sender_id: tenant.senderId, attack_list: attackList(ids.slice(0, 2)) });
    const kept = await client.post('/reservation', { add_info, duplicate_key_update_info: {} });
    expect(kept.body).toMatchObject({ status: 'updated' });
    expect(await dates()).toStrictEqual([[slot('2026-11-25')]]);

    await post(attackList(ids.slice(2)), { datetime_list: null });
    expect(await dates()).toStrictEqual([null]);
  });

  test('applies the longer re-send interval to all targets', async () => {
    const [first = 0, second = 0, third = 0] = ids;
    const days = async () => (await reservations()).map(({ days_from_lastday }) => days_from_lastday);
    await addContact(database.db, tenant, third, new Date(NOW - 10 * 24 * 3_600_000));
    await post(attackList([first]), {}, { days_from_lastday: 14 });
    const shorter = await post(attackList([second, third]), {}, { days_from_lastday: 7 });
    expect(shorter.body).toMatchObject({ skipped: [{ prospect_id: third, reason: 'recently_sent' }] });
    expect(await days()).toStrictEqual([14]);
    await post(attackList(ids.slice(3)), {}, { days_from_lastday: 30 });
    expect(await days()).toStrictEqual([30]);
  });

  test('at another time, of another sender or in test mode it is another reservation', async () => {
    const [one = 0, two = 0, three = 0, four = 0] = ids;
    const otherSender = await addSender(database.db, tenant);
    const answers = [
      await post(attackList([one])),
      await post(attackList([two]), { send_at: '2026/11/20 09:15:00' }),
      await post(attackList([three]), { sender_id: otherSender }),
      await post(attackList([four], 'test@example.com'), { test_send_mode: 1 }),
    ];
    expect(answers.map(({ body }) => (body as { status: string }).status)).toStrictEqual(Array(4).fill('added'));
    expect(Object.keys(await reservedTargets(database.db))).toHaveLength(4);
  });

  test('prospects in another pending reservation of the group are skipped; other groups do not matter', async () => {
    const senderGroupId = await addSenderGroup(database.db, tenant.accountId);
    const elsewhere = await addSender(database.db, { ...tenant, senderGroupId });
    await post(attackList(ids.slice(0, 2)));
    const later = await post(attackList(ids), { send_at: '2026/11/24 09:00:00' });
    expect(later.body).toMatchObject({
      status: 'added',
      skipped: ids.slice(0, 2).map((prospect_id) => ({ prospect_id, reason: 'reserved' })),
    });
    const otherGroup = await post(attackList(ids), { sender_id: elsewhere });
    expect(otherGroup.body).toMatchObject({ status: 'added', skipped: [] });
  });

  test('a deleted or sent reservation is not added to: a new one is made', async () => {
    const { id } = (await post(attackList(ids))).body as { id: number };
    await client.put(`/reservation/${id}`, { update_info: { active: 0 } });
    const second = await post(attackList(ids));
    expect(second.body).toMatchObject({ status: 'added', skipped: [] });
    await database.db.updateTable('reservation').set({ is_sent: true }).execute();
    await database.db.updateTable('reservation_target').set({ pending: false }).execute();
    expect((await post(attackList(ids))).body).toMatchObject({ status: 'added', skipped: [] });
    expect(await reservations()).toHaveLength(3);
  });
});

describe('in test mode', () => {
  test('stores the test address of each target, with its row index for [n]', async () => {
    await post(attackList(ids.slice(0, 2), 'test+[n]@example.com'), { test_send_mode: 1 });
    await post(attackList(ids.slice(2), 'more+[n]@example.com'), { test_send_mode: 1 });
    const rows = await database.db
      .selectFrom('reservation_target')
      .select(['prospect_id', 'mail_to', 'row_index'])
      .orderBy('row_index')
      .execute();
    expect(rows).toStrictEqual(
      ['test+0', 'test+1', 'more+0', 'more+1'].map((name, index) => ({
        prospect_id: ids[index],
        mail_to: `${name}@example.com`,
        row_index: index,
      })),
    );
  });

  test('skips the prospects that a real one would, and blocks no real one', async () => {
    const [reserved = 0] = ids;
    await post(attackList([reserved]));
    const rehearsal = await post(attackList(ids, 'test@example.com'), { test_send_mode: 1 });
    expect(rehearsal.body).toMatchObject({ status: 'added', skipped: [{ prospect_id: reserved, reason: 'reserved' }] });
    const twice = await post(attackList(ids, 'test@example.com'), { test_send_mode: 1 });
    expect(twice.body).toMatchObject({ status: 'no-added' });
    const real = await post(attackList(ids));
    expect(real.body).toMatchObject({ status: 'updated', skipped: [{ prospect_id: reserved, reason: 'reserved' }] });
  });

  test.each(['', '[n]', '[n]@x.jp,b@y.jp', 'a@b'])('refuses the test address %j', async (address) => {
    const answer = await post(attackList(ids, address), { test_send_mode: 1 });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_test_address' } });
    expect(await reservations()).toStrictEqual([]);
  });
});
