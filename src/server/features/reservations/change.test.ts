import { beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addContact } from '#test/prospect-history.ts';
import { addSender, addSenderGroup, type Tenant } from '#test/prospects.ts';
import {
  brokenReservations,
  NOW,
  reservationScene,
  reserveBy,
  reservedTargets,
  SEND_AT,
  slot,
} from '#test/reservations.ts';
import { testSink, testWorker, untilSettled } from '#test/sending.ts';
import { startReservation } from './due.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: readonly number[];
let id: number;

const LATER = '2026/11/24 10:30:00';

const reserve = (of: readonly number[], wanted?: Parameters<typeof reserveBy>[2]) =>
  reserveBy({ client, tenant }, of, wanted);
const change = (update_info: object, more: object = {}) =>
  client.put(`/reservation/${id}`, { version: 1, update_info, ...more });
const read = async (of = id) => (await client.get(`/reservation/${of}`)).body as Record<string, never>;
const refusal = (status: number, code: string, path?: string) => ({
  status,
  body: { code, ...(path !== undefined && { details: [{ path }] }) },
});

beforeEach(async () => {
  ({ database, tenant, client, ids } = await reservationScene());
  id = await reserve(ids.slice(0, 3), { datetime_list: [slot('2026-11-30')] });
});

describe('PUT /reservation/:id', () => {
  test('moves the time, replaces the dates and takes companies out, as one change of the history', async () => {
    const [first = 0] = ids;
    const answer = await change({
      send_at: LATER,
      datetime_list: [slot('2026-12-01')],
      remove_prospect_ids: [first, 999_999],
    });
    expect(answer).toStrictEqual({
      status: 200,
      body: { status: 'updated', id, version: 2, skipped: [{ prospect_id: 999_999, reason: 'not_found' }] },
    });
    expect(await read()).toMatchObject({
      send_at: LATER,
      targets: 2,
      version: 2,
      datetime_list: [slot('2026-12-01')],
      changed_by: '利用者',
      history: [
        {
          kind: 'changed',
          member_name: '利用者',
          changes: {
            send_at: { from: SEND_AT, to: LATER },
            datetime_list: { from: [slot('2026-11-30')], to: [slot('2026-12-01')] },
            removed: 1,
          },
        },
        { kind: 'made', changes: { added: 3 } },
      ],
    });
    expect(await reservedTargets(database.db)).toStrictEqual({ [id]: ids.slice(1, 3) });
    // The company is free for another reservation.
    expect(await reserve([first])).toBeGreaterThan(id);
  });

  test('a company that was taken out gets no mail', async () => {
    const [first = 0] = ids;
    await change({ remove_prospect_ids: [first] });
    const sink = await testSink();
    await database.db
      .updateTable('reservation')
      .set({ send_at: new Date(Date.now() - 1000) })
      .execute();
    await startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);
    testWorker(database, sink);
    await untilSettled(database.db);
    expect(sink.mails.flatMap(({ to }) => to).toSorted()).toStrictEqual(['info1@a.example', 'info2@a.example']);
  });

  test('judges only what changes: a time of today and a date that has passed stay', async () => {
    const past = { send_at: new Date(NOW + 60_000), candidate_dates: JSON.stringify([slot('2026-11-18')]) };
    await database.db.updateTable('reservation').set(past).execute();
    expect(await change({ remove_prospect_ids: ids.slice(0, 1) })).toMatchObject({ status: 200 });
    const both = [slot('2026-11-18'), slot('2026-11-30')];
    expect(await change({ datetime_list: both }, { version: 2 })).toMatchObject({ status: 200, body: { version: 3 } });
  });

  test.each([
    ['past', '2026/11/18 09:00:00'],
    ['no day', '2027/02/30 09:00:00'],
    ['before 8:00', '2026/11/24 07:59:00'],
    ['Saturday', '2026/11/28 09:00:00'],
    ['20:46', '2026/11/24 20:46:00'],
    ['four months', '2027/03/19 09:00:00'],
  ])('refuses a time: %s', async (_, send_at) => {
    const { status, body } = await change({ send_at });
    expect([status, (body as { code: string }).code]).toStrictEqual([400, expect.stringMatching(/^invalid_/)]);
    expect(await read()).toMatchObject({ send_at: SEND_AT, version: 1 });
  });

  test('refuses dates before the time, whichever of the two moves', async () => {
    const refused = refusal(400, 'invalid_candidate_date', 'update_info.datetime_list');
    expect(await change({ datetime_list: [slot('2026-11-19')] })).toMatchObject(refused);
    expect(await change({ send_at: '2026/12/01 08:00:00' })).toMatchObject(refused);
    const moved = { send_at: '2026/12/01 08:00:00', datetime_list: null };
    expect(await change(moved)).toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({ datetime_list: null });
  });

  test('refuses to take all companies out', async () => {
    expect(await change({ remove_prospect_ids: ids })).toMatchObject(
      refusal(400, 'nothing_left', 'update_info.remove_prospect_ids'),
    );
    expect(await reservedTargets(database.db)).toStrictEqual({ [id]: ids.slice(0, 3) });
  });

  test('needs the version that was read, and says who changed the reservation since', async () => {
    expect(await client.put(`/reservation/${id}`, { update_info: { send_at: LATER } })).toMatchObject({ status: 400 });
    expect(await change({ active: 0, send_at: LATER })).toMatchObject({ status: 400 });
    await change({ send_at: LATER });
    // The same again is no conflict: the first answer may be lost.
    expect(await change({ send_at: LATER })).toMatchObject({ status: 200, body: { version: 2 } });
    const late = await change({ remove_prospect_ids: ids.slice(0, 1) });
    expect(late).toMatchObject(refusal(409, 'reservation_changed'));
    expect((late.body as { message: string }).message).toMatch(/^利用者さんが\d+\/\d+（.）\d+:\d\dに変更しました。/);
  });

  test('companies that POST adds are a change too', async () => {
    expect(await reserve(ids)).toBe(id);
    expect(await change({ send_at: LATER })).toMatchObject(refusal(409, 'reservation_changed'));
    expect(await read()).toMatchObject({ version: 2, targets: 4 });
  });

  test('a started one is refused with its run, a deleted one with who deleted it', async () => {
    await database.db
      .updateTable('reservation')
      .set({ send_at: new Date(Date.now() - 1000) })
      .execute();
    const due = { accountId: tenant.accountId, id };
    const started = await startReservation(database.service.db, due, Date.now(), TEST_MAILING);
    const { sendLogId } = started as { sendLogId: number };
    expect(await change({ send_at: LATER })).toMatchObject({
      status: 409,
      body: { code: 'reservation_started', details: [{ path: 'send_log_id', message: String(sendLogId) }] },
    });
    expect(await read()).toMatchObject({ state: 'sent', send_log_id: sendLogId });
    const [fourth = 0] = ids.slice(3);
    id = await reserve([fourth]);
    await client.put(`/reservation/${id}`, { update_info: { active: 0 } });
    expect(await change({ send_at: LATER })).toMatchObject({
      body: { code: 'reservation_changed', message: expect.stringContaining('利用者さんが') },
    });
    expect(await read()).toMatchObject({ state: 'deleted', history: [{ kind: 'deleted' }, { kind: 'made' }] });
  });

  test('takes another sender of its group, not one of another group or one that is off', async () => {
    const other = await addSender(database.db, tenant);
    const off = await addSender(database.db, tenant);
    await database.db.updateTable('sender').set({ active: false }).where('id', '=', off).execute();
    const senderGroupId = await addSenderGroup(database.db, tenant.accountId);
    const elsewhere = await addSender(database.db, { ...tenant, senderGroupId });
    for (const sender_id of [off, elsewhere, 999_999]) {
      expect(await change({ sender_id })).toMatchObject({ status: 404 });
    }
    expect(await change({ sender_id: other })).toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({ sender: { id: other }, history: [{ changes: { subject: {} } }, {}] });
  });

  test('keeps whose name the mails show, unless the member takes it over', async () => {
    await database.db.updateTable('reservation').set({ member_id: null }).execute();
    await change({ send_at: LATER });
    expect(await read()).toMatchObject({ member_name: null });
    expect(await change({}, { version: 2, take_over: 1 })).toMatchObject({ status: 200 });
    expect(await read()).toMatchObject({ member_name: '利用者', history: [{ changes: { taken_over: 1 } }, {}, {}] });
  });

  test('plans a missed one anew, and names the companies that were mailed meanwhile', async () => {
    const missed = { send_at: new Date('2026-11-18T08:00:00+09:00'), missed_at: new Date(), refused_reason: '理由' };
    await database.db.updateTable('reservation').set(missed).execute();
    const [first = 0] = ids;
    await addContact(database.db, tenant, first, new Date(NOW));
    const answer = await change({ send_at: SEND_AT });
    expect(answer.body).toMatchObject({ skipped: [{ prospect_id: first, reason: 'recently_sent' }] });
    const stored = database.db.selectFrom('reservation').select(['missed_at', 'refused_reason']);
    expect(await stored.execute()).toStrictEqual([{ missed_at: null, refused_reason: null }]);
  });
});

describe('two reservations of one time', () => {
  let other: number;
  const dates = [slot('2026-12-02')];
  beforeEach(async () => {
    other = await reserve(ids.slice(3), { send_at: LATER, datetime_list: dates });
    await database.db.updateTable('reservation').set({ days_from_lastday: 30 }).where('id', '=', id).execute();
  });

  test('are refused with the other one', async () => {
    expect(await change({ send_at: LATER })).toMatchObject({
      status: 409,
      body: {
        code: 'reservation_at_that_time',
        details: [
          { path: 'id', message: String(other) },
          { path: 'targets', message: '1' },
        ],
      },
    });
  });

  test('are merged: its dates, the longer interval, all companies; the moved one ends', async () => {
    const answer = await change({ send_at: LATER, remove_prospect_ids: ids.slice(0, 1) }, { merge: 1 });
    expect(answer.body).toStrictEqual({ status: 'updated', id: other, version: 2, skipped: [] });
    expect(await read(other)).toMatchObject({
      targets: 3,
      datetime_list: dates,
      history: [{ changes: { merged_from: id, added: 2 } }, { kind: 'made' }],
    });
    expect(await read()).toMatchObject({ state: 'deleted', history: [{ changes: { merged_into: other } }, {}] });
    const interval = database.db.selectFrom('reservation').select('days_from_lastday').where('id', '=', other);
    expect(await interval.executeTakeFirst()).toStrictEqual({ days_from_lastday: 30 });
    expect((await reservedTargets(database.db))[other]).toStrictEqual([ids[3], ids[1], ids[2]]);
    expect(await brokenReservations(database.db)).toStrictEqual([]);
  });

  test('the merged one can be deleted or sent no more: the companies are those of the other one', async () => {
    await change({ send_at: LATER }, { merge: 1 });
    const merged = {
      status: 409,
      body: {
        code: 'reservation_changed',
        message: expect.stringMatching(/^この予約は、利用者さんが.*ほかの予約にまとめました。/),
        details: [{ path: 'merged_into', message: String(other) }],
      },
    };
    expect(await client.put(`/reservation/${id}`, { update_info: { active: 0 } })).toMatchObject(merged);
    expect(await change({ send_at: SEND_AT })).toMatchObject(merged);
    expect(await client.post(`/reservation/${id}/send_now`, { version: 2 })).toMatchObject(merged);
    expect((await reservedTargets(database.db))[other]).toHaveLength(4);
  });

  test('of tests may share a company, which stays once', async () => {
    const tests = (send_at: string) => reserve(ids.slice(0, 2), { send_at, test_send_mode: 1 });
    for (const real of [id, other]) await client.put(`/reservation/${real}`, { update_info: { active: 0 } });
    id = await tests(SEND_AT);
    const two = await tests(LATER);
    expect(await change({ send_at: LATER }, { merge: 1 })).toMatchObject({ status: 200, body: { id: two } });
    expect((await reservedTargets(database.db))[two]).toStrictEqual(ids.slice(0, 2));
  });
});
