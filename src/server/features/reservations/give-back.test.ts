import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { addDays, skipWeekend } from '#domain/time/calendar.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { addMember } from '#test/accounts.ts';
import { type Client, clientOf } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import type { Tenant } from '#test/prospects.ts';
import { brokenReservations, reservationScene, reserveBy } from '#test/reservations.ts';
import { chooseUndo, claimMails, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import { holdAll } from '../delivery/pauses/held.command.ts';
import { findDue } from './due.command.ts';

/** A reservation that was sent now comes back at its old time, when its run is taken back (decisions/reservations). */

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: readonly number[];

/** The clocks of the database and of the requests agree here: what is over is decided by the first. */
const weekday = (days: number) => skipWeekend(addDays(dayOf(Date.now()), days));
const DAY = weekday(14);
const SEND_AT = `${DAY.replaceAll('-', '/')} 11:00:00`;
const LATER = `${weekday(21).replaceAll('-', '/')} 11:00:00`;

beforeEach(async () => {
  ({ database, tenant, ids } = await reservationScene());
  client = await clientOf(database, tenant.accountId);
  await chooseUndo(database.db, tenant.accountId, 30);
  return async () => {
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
    expect(await brokenReservations(database.db)).toStrictEqual([]);
  };
});

const read = async (id: number) => (await client.get(`/reservation/${id}`)).body as Record<string, never>;
const reserve = (of: readonly number[] = ids.slice(0, 3), wanted: object = {}) =>
  reserveBy({ client, tenant }, of, { send_at: SEND_AT, ...wanted });

async function sendNow(id: number): Promise<number> {
  const { version } = await read(id);
  const { status, body } = await client.post(`/reservation/${id}/send_now`, { version });
  expect(status).toBe(200);
  return (body as { send_log_id: number }).send_log_id;
}
const cancel = (run: number) => client.put(`/send_log/${run}`, { update_info: { state: 'cancelled' } });

/** Moves the old time of a run that was sent now, so that it is over without a wait. */
const setOldTime = (run: number, secondsFromNow: number) =>
  sql`UPDATE send_log SET was_reserved_for = now() + make_interval(secs => ${secondsFromNow}) WHERE id = ${run}`.execute(
    database.db,
  );

/** The states of the companies of a reservation. */
const targets = async (id: number) =>
  (
    (await client.get(`/reservation/${id}/targets`)).body as { rows: { prospect_id: number; state: string }[] }
  ).rows.map(({ prospect_id, state }) => [prospect_id, state]);

describe('a cancellation of the whole run', () => {
  test('gives the reservation back at its old time, with its companies', async () => {
    const id = await reserve();
    const before = await read(id);
    const run = await sendNow(id);
    expect(await cancel(run)).toMatchObject({
      status: 200,
      body: {
        status: 'updated',
        cancelled: 3,
        left: 0,
        reservation: 'restored',
        reservation_id: id,
        reserved_for: SEND_AT,
        reserved_elsewhere: 0,
      },
    });
    const { version, changed_at, changed_by, history, ...after } = await read(id);
    const { version: _1, changed_at: _2, changed_by: _3, history: _4, ...asBefore } = before;
    expect(after).toStrictEqual(asBefore);
    expect(after).toMatchObject({ state: 'pending', send_at: SEND_AT, send_log_id: null });
    expect([version, changed_by]).toStrictEqual([3, expect.any(String)]);
    expect(changed_at).not.toBeNull();
    expect(history).toMatchObject([
      { kind: 'changed', changes: { send_at: { to: SEND_AT }, taken_back: 1 } },
      { kind: 'started' },
      { changes: { send_at: { from: SEND_AT }, sent_now: 1 } },
      { kind: 'made' },
    ]);
    expect(await targets(id)).toStrictEqual(ids.slice(0, 3).map((prospect) => [prospect, 'will_send']));
    // It is changed, listed and sent as any other.
    expect((await client.get(`/reservation/list?where_info[sender_id]=${tenant.senderId}`)).body).toMatchObject([
      { id, send_at: SEND_AT, is_missed: 0 },
    ]);
    const moved = await client.put(`/reservation/${id}`, { version, update_info: { send_at: LATER } });
    expect(moved).toMatchObject({ status: 200, body: { id, skipped: [] } });
    const again = await sendNow(id);
    expect((await cancel(again)).body).toMatchObject({ reservation: 'restored', reserved_for: LATER });
  });

  test('gives the reservation of a member who was stopped meanwhile to who cancels', async () => {
    const id = await reserve();
    const left = await addMember(database.db, tenant.accountId, { role: 'sales' });
    await database.db.updateTable('reservation').set({ member_id: left }).execute();
    const owner = async () => (await database.db.selectFrom('reservation').select('member_id').execute())[0]?.member_id;
    await cancel(await sendNow(id));
    expect(await owner()).toBe(left);
    const run = await sendNow(id);
    await database.db.updateTable('member').set({ active: false }).where('id', '=', left).execute();
    await cancel(run);
    expect(await owner()).toBe(tenant.memberId);
  });

  test('answers the same when it is repeated, and changes nothing', async () => {
    const id = await reserve();
    const run = await sendNow(id);
    const { body } = await cancel(run);
    const { version } = await read(id);
    expect((await cancel(run)).body).toStrictEqual(body);
    expect(await read(id)).toMatchObject({ version, state: 'pending' });
    const next = await sendNow(id);
    expect((await cancel(run)).body).toStrictEqual(body);
    expect(await read(id)).toMatchObject({ state: 'sent', send_log_id: next });
  });

  test('gives back a test, and a run that waits longer than its window', async () => {
    const test = await reserve(ids.slice(0, 1), { test_send_mode: 1 });
    expect((await cancel(await sendNow(test))).body).toMatchObject({ reservation: 'restored', reservation_id: test });
    expect(await read(test)).toMatchObject({ state: 'pending', send_at: SEND_AT, test_send_mode: 1 });
    const rules = { update_info: { outside: 'hold' } };
    await client.put(`/sending_rules/${tenant.senderGroupId}`, rules);
    const id = await reserve();
    await client.post('/closing_day', {
      add_info: { first_day: dayOf(Date.now()), last_day: weekday(7), name: '休業' },
    });
    const run = await sendNow(id);
    await sql`UPDATE send_log SET starts_at = now() WHERE id = ${run}`.execute(database.db);
    await client.put(`/send_log/${run}`, { update_info: { state: 'paused' } });
    expect((await cancel(run)).body).toMatchObject({ cancelled: 3, reservation: 'restored' });
  });

  test.each([
    ['is over', -60],
    ['comes within the minute', 30],
  ])('gives it back as missed where the old time %s: nothing leaves', async (_, seconds) => {
    const id = await reserve();
    const run = await sendNow(id);
    await setOldTime(run, seconds);
    expect((await cancel(run)).body).toMatchObject({ reservation: 'missed', reservation_id: id });
    expect(await read(id)).toMatchObject({
      state: 'missed',
      refused_reason: expect.stringMatching(/60秒以内でした。$/),
    });
    expect(await findDue(database.service.db)).toStrictEqual([]);
    await sql`UPDATE reservation SET send_at = now()`.execute(database.db);
    expect(await findDue(database.service.db)).toStrictEqual([]);
    const { version } = await read(id);
    await client.put(`/reservation/${id}`, { version, update_info: { send_at: SEND_AT } });
    expect(await read(id)).toMatchObject({ state: 'pending', send_at: SEND_AT, refused_reason: null });
  });

  test('gives it back though its sender was switched off meanwhile, and its notes say so', async () => {
    const id = await reserve();
    const run = await sendNow(id);
    await database.db.updateTable('sender').set({ active: false }).execute();
    expect((await cancel(run)).body).toMatchObject({ reservation: 'restored' });
    const { notes, state } = await read(id);
    expect([state, notes]).toMatchObject([
      'pending',
      expect.arrayContaining([expect.objectContaining({ code: 'sender_off' })]),
    ]);
  });

  test('gives one that was missed back as missed', async () => {
    const id = await reserve();
    await sql`UPDATE reservation SET missed_at = now(), send_at = now() - interval '2 hours'`.execute(database.db);
    const { send_at } = await read(id);
    expect((await cancel(await sendNow(id))).body).toMatchObject({ reservation: 'missed', reserved_for: send_at });
    expect(await read(id)).toMatchObject({ state: 'missed', send_at });
    const { rows } = await sql`SELECT FROM notice_event WHERE kind = 'reservation_missed'`.execute(database.db);
    expect(rows).toHaveLength(1);
  });

  test('gives one that was held since a restore back as held', async () => {
    const id = await reserve();
    await holdAll(database.service.db);
    expect((await cancel(await sendNow(id))).body).toMatchObject({ reservation: 'missed', reservation_id: id });
    expect(await read(id)).toMatchObject({ state: 'held', send_at: SEND_AT });
  });

  test('does not give it back where another one stands at that time', async () => {
    const id = await reserve();
    const run = await sendNow(id);
    const other = await reserve(ids.slice(3));
    const answer = { reservation: 'taken', reservation_id: other, reserved_for: SEND_AT };
    const { body } = await cancel(run);
    expect(body).toMatchObject({ cancelled: 3, left: 0, ...answer });
    expect(await read(id)).toMatchObject({ state: 'cancelled', send_log_id: run, notes: [] });
    expect(await read(other)).toMatchObject({ state: 'pending', targets: 1, version: 1 });
    await client.put(`/reservation/${other}`, { update_info: { active: 0 } });
    expect((await cancel(run)).body).toStrictEqual(body);
    // Its companies are free.
    expect(await targets(await reserve())).toHaveLength(3);
  });

  test.each([
    ['of another mode', async () => reserve(ids.slice(3), { test_send_mode: 1 })],
    ['that was deleted', async () => client.put(`/reservation/${await reserve(ids.slice(3))}`, DELETED)],
    ['of another time', async () => reserve(ids.slice(3), { send_at: LATER })],
  ])('gives it back beside one %s', async (_, addOther) => {
    const id = await reserve();
    const run = await sendNow(id);
    await addOther();
    expect((await cancel(run)).body).toMatchObject({ reservation: 'restored' });
    expect(await read(id)).toMatchObject({ state: 'pending', targets: 3 });
  });

  test('leaves out companies that another reservation has by then, and counts them', async () => {
    const id = await reserve();
    const archive = (archived_at: Date | null) =>
      database.db.updateTable('prospect').set({ archived_at }).where('id', 'in', ids.slice(0, 2)).execute();
    // What a send now leaves out is free.
    await archive(new Date());
    const run = await sendNow(id);
    await archive(null);
    await reserve(ids.slice(0, 2), { send_at: LATER });
    expect((await cancel(run)).body).toMatchObject({ reservation: 'restored', reserved_elsewhere: 2 });
    expect(await targets(id)).toStrictEqual([[ids[2], 'will_send']]);
    const { history } = await read(id);
    expect(history).toMatchObject([{ changes: { taken_back: 1, removed: 2 } }, {}, {}, {}]);
  });
});

const DELETED = { update_info: { active: 0 } };

describe('gives nothing back', () => {
  test('where a mail has left, or came back', async () => {
    const id = await reserve();
    const run = await sendNow(id);
    await sql`UPDATE delivery SET not_before = now()`.execute(database.db);
    const [first] = await claimMails(database, { rows: 1 });
    if (!first) return expect.unreachable();
    await markSending(database.service.db, [first]);
    const failed = { kind: 'failed', reply: '550 5.1.1 no', badAddress: true } as const;
    await finishDeliveries(database.service.db, [{ claim: first, outcome: failed }]);
    expect((await cancel(run)).body).toStrictEqual({ status: 'updated', cancelled: 2, left: 0 });
    expect(await read(id)).toMatchObject({ state: 'sent', send_log_id: run });
  });

  test('a run of another kind', async () => {
    const attack_list = ids.slice(0, 2).map((prospect_id) => ({ prospect_id }));
    const { body } = await client.post(`/mail/send/${tenant.senderId}`, { test_send_mode: 0, attack_list });
    const { send_log_id } = body as { send_log_id: number };
    expect((await cancel(send_log_id)).body).toStrictEqual({ status: 'updated', cancelled: 2, left: 0 });
  });

  test.each(['one by one', 'all at once'])('what a member does not let go after a restore, %s', async (way) => {
    const id = await reserve();
    const run = await sendNow(id);
    await holdAll(database.service.db);
    if (way === 'one by one') {
      expect((await cancel(run)).body).toStrictEqual({ status: 'updated', cancelled: 3, left: 0 });
    } else {
      expect((await client.post('/restored', { act: 'drop' })).body).toMatchObject({ runs: 1 });
      expect((await cancel(run)).body).toStrictEqual({ status: 'updated', cancelled: 3, left: 0 });
    }
    expect(await read(id)).toMatchObject({ state: 'cancelled', send_log_id: run });
  });
});

describe('the state `cancelled`', () => {
  test('stands in the calendar and in the page, for a start by its time too', async () => {
    const id = await reserve();
    const run = await sendNow(id);
    // As the scheduler starts it: no time to come back to.
    await sql`UPDATE send_log SET was_reserved_for = NULL WHERE id = ${run}`.execute(database.db);
    await cancel(run);
    const { send_at } = await read(id);
    const today = String(send_at).slice(0, 10).replaceAll('/', '-');
    const items = async (day: string) => {
      const { body } = await client.get(`/reservation/calendar?from=${day}&to=${day}`);
      return (body as { days: { planned: number; items: unknown[] }[] }).days[0];
    };
    expect(await items(today)).toMatchObject({ planned: 0, items: [{ id, state: 'cancelled' }] });
    const page = async (state: string) =>
      ((await client.get(`/reservation/view${state}`)).body as { rows: { id: number }[] }).rows.map((row) => row.id);
    expect([
      await page(''),
      await page('?state=sent'),
      await page('?state=cancelled'),
      await page('?state=all'),
    ]).toEqual([[], [], [id], [id]]);
    // Given back, it stands at its day alone.
    const other = await reserve();
    await cancel(await sendNow(other));
    expect(await items(DAY)).toMatchObject({ planned: 3, items: [{ id: other, state: 'pending' }] });
  });

  test('is not that of a run that was opened again', async () => {
    const id = await reserve();
    const run = await sendNow(id);
    await sql`UPDATE send_log SET was_reserved_for = NULL WHERE id = ${run}`.execute(database.db);
    await cancel(run);
    await sql`UPDATE send_log SET cancelled = false WHERE id = ${run}`.execute(database.db);
    expect(await read(id)).toMatchObject({ state: 'sent' });
  });
});
