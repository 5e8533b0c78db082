import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { type Client, clientOf } from '#test/client.ts';
import type { TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import type { Tenant } from '#test/prospects.ts';
import { brokenReservations, reservationScene, reserveBy, SEND_AT, slot } from '#test/reservations.ts';
import { chooseUndo } from '#test/sending.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: readonly number[];
let id: number;

const read = async () => (await client.get(`/reservation/${id}`)).body as Record<string, never>;
const send = (version = 1, more: object = {}, as = client) =>
  as.post(`/reservation/${id}/send_now`, { version, ...more });
const refusal = (status: number, code: string) => ({ status, body: { code } });

beforeEach(async () => {
  ({ database, tenant, client, ids } = await reservationScene());
  id = await reserveBy({ client, tenant }, ids.slice(0, 3), { datetime_list: [slot('2026-11-30')] });
});

describe('POST /reservation/:id/send_now', () => {
  test('starts it, with the old time in the history', async () => {
    const { status, body } = await send();
    expect([status, body]).toMatchObject([200, { status: 'accepted', accepted: 3, skipped: [] }]);
    const { send_log_id } = body as { send_log_id: number };
    expect(await read()).toMatchObject({
      state: 'sent',
      send_log_id,
      history: [{ kind: 'started' }, { changes: { send_at: { from: SEND_AT }, sent_now: 1 } }, { kind: 'made' }],
    });
    expect(await brokenReservations(database.db)).toStrictEqual([]);
    expect(await send()).toMatchObject(refusal(409, 'reservation_started'));
  });

  test('is refused after a change, and where nothing can be sent', async () => {
    await client.put(`/reservation/${id}`, { version: 1, update_info: { datetime_list: null } });
    expect(await send()).toMatchObject(refusal(409, 'reservation_changed'));
    await database.db.updateTable('prospect').set({ archived_at: new Date() }).execute();
    expect(await send(2)).toMatchObject(refusal(400, 'nothing_left'));
    await database.db.updateTable('sender').set({ active: false }).execute();
    expect(await send(2)).toMatchObject(refusal(409, 'sender_off'));
    expect(await read()).toMatchObject({ version: 2, notes: [{ code: 'sender_off' }] });
  });

  test('starts a missed one', async () => {
    const missed = await addReservation(database.db, tenant, ids.slice(3), { sendAt: new Date(Date.now() - 8e6) });
    id = missed;
    expect(await read()).toMatchObject({ state: 'missed' });
    expect(await send()).toMatchObject({ status: 200, body: { accepted: 1 } });
  });

  describe('is a send at once', () => {
    const mails = () => database.db.selectFrom('delivery').select(['not_before', 'put_off']).distinct().execute();

    test('that can be taken back for some seconds, but a test', async () => {
      await chooseUndo(database.db, tenant.accountId, 30);
      const { body } = await send();
      const { starts_at } = await database.db.selectFrom('send_log').select('starts_at').executeTakeFirstOrThrow();
      expect(await mails()).toStrictEqual([{ not_before: starts_at, put_off: null }]);
      expect(body).toMatchObject({ starts_at: formatSecond(starts_at?.getTime() ?? 0) });
      id = await reserveBy({ client, tenant }, ids.slice(3), { test_send_mode: 1 });
      const test = await send();
      expect(test).toMatchObject({ status: 200, body: { status: 'accepted' } });
      expect(test.body).not.toHaveProperty('starts_at');
    });

    test('that begins when its group opens, with what the member has looked at', async () => {
      await closeUntil('2026-11-19');
      expect((await send(1, { acknowledged: ['outside_hours'] })).body).toMatchObject({
        status: 'accepted',
        begins_at: '2026/11/20 08:00:00',
      });
      expect(await mails()).toStrictEqual([{ not_before: new Date('2026-11-20T08:00:00+09:00'), put_off: 'hours' }]);
      expect(await read()).toMatchObject({ state: 'waiting', put_off_until: '2026/11/20 08:00:00' });
      expect(await acknowledged()).toStrictEqual([['outside_hours']]);
    });

    test('whose candidate dates must be later than its begin', async () => {
      await closeUntil('2026-11-30');
      const message = '送信が始まる12/1（火）8:00より後の候補日を選んでください。';
      expect(await send()).toMatchObject({ status: 400, body: { code: 'invalid_candidate_date', message } });
      await database.db.deleteFrom('closing_day').execute();
      const late = await clientOf(database, tenant.accountId, () => Date.parse('2026-11-30T15:00:00+09:00'));
      expect(await send(1, {}, late)).toMatchObject(refusal(400, 'invalid_candidate_date'));
      expect(await read()).toMatchObject({ send_log_id: null });
    });
  });
});

/** Closes the group, which holds its mails, to the end of a day. */
async function closeUntil(last_day: string): Promise<void> {
  const rules = { update_info: { outside: 'hold' } };
  expect(await client.put(`/sending_rules/${tenant.senderGroupId}`, rules)).toMatchObject({ status: 200 });
  const add_info = { first_day: '2026-11-18', last_day, name: '休業' };
  expect(await client.post('/closing_day', { add_info })).toMatchObject({ status: 200 });
}

/** What members have looked at, by act. */
async function acknowledged(): Promise<unknown[]> {
  const { rows } = await sql<{ list: unknown }>`
    SELECT detail -> 'acknowledged' AS list FROM audit_event WHERE detail ? 'acknowledged' ORDER BY id`.execute(
    database.db,
  );
  return rows.map(({ list }) => list);
}
