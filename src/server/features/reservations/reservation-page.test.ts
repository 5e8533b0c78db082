import { beforeEach, describe, expect, test } from 'vitest';
import type { ReservationRow } from '#contract/sending/reservations-page.ts';
import { LATEST_START_MINUTES } from '#domain/limits.ts';
import { addDays } from '#domain/time/calendar.ts';
import { instantOf } from '#domain/time/tokyo-time.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addContact, addReservation } from '#test/prospect-history.ts';
import { addProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { startReservation } from './due.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

/** A Monday far ahead: the database compares it with its own now. 2037 and 2038 have the weekdays of 2026 and 2027. */
const MONDAY = '2037-12-21';
const at = (day: string, hour: number) => new Date(instantOf(day, hour * 60));

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  // The states follow the database's clock, so the program has the same one here.
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    Array.from({ length: 6 }, (_, n) => ({ company_name: `株式会社${n}`, company_email: `info${n}@a.example` })),
  );
});

const MINUTE = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE);
const reserve = (
  of: readonly number[],
  sendAt: Date,
  { test = false, ...sender }: Partial<Tenant> & { test?: boolean } = {},
) => addReservation(database.db, { ...tenant, ...sender }, of, { sendAt, test });
const view = async (query = '') =>
  (await client.get(`/reservation/view${query}`)).body as { rows: ReservationRow[]; total: number };
const idsOf = async (query?: string) => (await view(query)).rows.map(({ id }) => id);
const set = (id: number, values: object) =>
  database.db.updateTable('reservation').set(values).where('id', '=', id).execute();

/** One of each state. A started one is late, so that its mails may have to wait. */
async function oneOfEach() {
  const pending = await reserve(ids.slice(0, 1), at(MONDAY, 9));
  const missed = await reserve(ids.slice(1, 2), ago(LATEST_START_MINUTES + 5));
  const refused = await reserve(ids.slice(2, 3), ago(5));
  await set(refused, { refused_reason: '理由' });
  const sent = await reserve(ids.slice(3, 4), ago(2));
  await startReservation(database.service.db, { accountId: tenant.accountId, id: sent }, Date.now(), TEST_MAILING);
  const deleted = await reserve(ids.slice(4, 5), at(MONDAY, 10));
  await client.put(`/reservation/${deleted}`, { update_info: { active: 0 } });
  return { pending, missed, refused, sent, deleted };
}

describe('GET /reservation/view', () => {
  test('has each state, and by default all that is not sent', async () => {
    const { pending, missed, refused, sent } = await oneOfEach();
    expect(await idsOf()).toStrictEqual([missed, refused, pending]);
    expect((await view('?state=all')).rows.map(({ id, state }) => [id, state])).toStrictEqual([
      [missed, 'missed'],
      [refused, 'refused'],
      [sent, 'sent'],
      [pending, 'pending'],
    ]);
    for (const [state, id] of Object.entries({ pending, missed, refused, sent })) {
      expect([state, await idsOf(`?state=${state}`)]).toStrictEqual([state, [id]]);
    }
  });

  test('a started one whose mails wait for the morning is `waiting`, with the time', async () => {
    const id = await reserve(ids.slice(0, 2), ago(1));
    await startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);
    // Late, and asked in the night.
    await set(id, { send_at: at('2037-12-01', 8) });
    const night = await clientOf(database, tenant.accountId, () => instantOf('2037-12-01', 23 * 60));
    const { body } = await night.get('/reservation/view');
    expect(body).toMatchObject({ rows: [{ id, state: 'waiting', put_off_until: '2037/12/02 08:00:00' }], total: 1 });
    expect(await night.get('/reservation/view?state=sent')).toMatchObject({ body: { rows: [], total: 0 } });
  });

  test('so is one whose mails wait for the next day, because a limit is used up', async () => {
    const id = await reserve(ids.slice(0, 2), ago(1));
    await startReservation(database.service.db, { accountId: tenant.accountId, id }, Date.now(), TEST_MAILING);
    expect(await view()).toMatchObject({ total: 0 });
    const [mail] = await database.db.selectFrom('delivery').select('id').execute();
    const putOff = database.db.updateTable('delivery').set({ not_before: at(MONDAY, 8), put_off: 'limit' });
    await putOff.where('id', '<>', mail?.id ?? 0).execute();
    // One may leave yet.
    expect(await view()).toMatchObject({ total: 0 });
    await putOff.execute();
    expect(await view()).toMatchObject({ rows: [{ id, state: 'waiting', put_off_until: '2037/12/21 08:00:00' }] });
  });

  test('filters by day, group, sender, mode, subject and company', async () => {
    const senderGroupId = await addSenderGroup(database.db, tenant.accountId);
    const senderId = await addSender(database.db, { ...tenant, senderGroupId });
    await database.db.updateTable('sender').set({ subject: 'ｾﾐﾅｰのご案内' }).where('id', '=', senderId).execute();
    const one = await reserve(ids.slice(0, 1), at(MONDAY, 9));
    const two = await reserve(ids.slice(1, 3), at(addDays(MONDAY, 1), 9), { senderGroupId, senderId });
    const tried = await reserve(ids.slice(4, 5), at(addDays(MONDAY, 2), 9), { test: true });
    const cases: [string, number[]][] = [
      [`from=${addDays(MONDAY, 1)}`, [two, tried]],
      [`to=${MONDAY}`, [one]],
      [`sender_group_id=${senderGroupId}`, [two]],
      [`sender_id=${tenant.senderId}`, [one, tried]],
      ['test_send_mode=0', [one, two]],
      ['test_send_mode=1', [tried]],
      [`search=${encodeURIComponent('セミナー')}`, [two]],
      [`search=${encodeURIComponent('㈱２')}`, [two]],
      [`search=${encodeURIComponent(' ')}`, [one, two, tried]],
      [`search=${encodeURIComponent('%')}`, []],
    ];
    for (const [query, expected] of cases) {
      expect([query, await idsOf(`?${query}`)]).toStrictEqual([query, expected]);
    }
    expect(await idsOf('?sort=targets&order=desc')).toStrictEqual([two, one, tried]);
    for (const sort of ['subject', 'group_name', 'candidates', 'member_name', 'state']) {
      expect([sort, (await view(`?sort=${sort}`)).total]).toStrictEqual([sort, 3]);
    }
    const page = await view('?pagenate_count=20&pagenate_num=2');
    expect(page).toStrictEqual({ rows: [], total: 3 });
  });

  test('counts the targets that will be left out', async () => {
    const id = await reserve(ids.slice(0, 4), at(MONDAY, 9));
    const suppression = { values: ['info0@a.example'], class: 'blocked' };
    expect(await client.post('/suppression', { add_info: suppression })).toMatchObject({ status: 200 });
    expect(await client.post('/reply', { add_info: { prospect_id: ids[1] } })).toMatchObject({ status: 200 });
    const { rows } = await view();
    expect(rows).toMatchObject([{ id, targets: 4, leaving: { suppressed: 1, replied: 1 }, maybe_refused: 0 }]);
  });
});

describe('GET /reservation/:id/targets', () => {
  test('judges each company now, with the interval at the reserved time', async () => {
    const [first = 0, second = 0, third = 0] = ids;
    const id = await reserve(ids.slice(0, 4), at(MONDAY, 9));
    await set(id, { days_from_lastday: 7 });
    await addContact(database.db, tenant, first, at(addDays(MONDAY, -6), 9));
    await addContact(database.db, tenant, second, at(addDays(MONDAY, -8), 9));
    await database.db.updateTable('prospect').set({ archived_at: new Date() }).where('id', '=', third).execute();
    const { body } = await client.get(`/reservation/${id}/targets`);
    const { rows, total } = body as { rows: { prospect_id: number; state: string }[]; total: number };
    expect(total).toBe(4);
    expect(Object.fromEntries(rows.map((row) => [row.prospect_id, row.state]))).toStrictEqual({
      [first]: 'recently_sent',
      [second]: 'will_send',
      [third]: 'archived',
      [ids[3] ?? 0]: 'will_send',
    });
    const found = await client.get(`/reservation/${id}/targets?search=${encodeURIComponent('㈱３')}`);
    expect(found.body).toMatchObject({ rows: [{ company_name: '株式会社3' }], total: 1 });
  });
});

describe('the notes of a reservation', () => {
  const notes = async (sendAt: Date) => {
    const id = await reserve([], sendAt);
    return ((await client.get(`/reservation/${id}`)).body as { notes: object[] }).notes;
  };

  test('name a holiday, a weekend, and the hours in which its group, without rules, is closed', async () => {
    expect(await notes(at(MONDAY, 9))).toStrictEqual([]);
    expect(await notes(at('2037-12-31', 22))).toMatchObject([
      { code: 'outside_hours', next_open_at: '2038/01/04 08:00:00' },
    ]);
    expect(await notes(at('2038-01-01', 10))).toStrictEqual([
      { code: 'holiday', text: '2038/1/1（金）は元日（祝日）です。', next_open_at: '2038/01/04 10:00:00' },
    ]);
    expect(await notes(at('2037-12-26', 10))).toMatchObject([
      { code: 'outside_hours', next_open_at: '2037/12/28 10:00:00' },
    ]);
  });

  test('follow the rules of its group: its hours, its closing days, its limits of a day', async () => {
    const save = (update_info: object) => client.put(`/sending_rules/${tenant.senderGroupId}`, { update_info });
    await save({ periods: [{ weekday: 1, opens: 600, closes: 720 }], on_holidays: 1 });
    const add_info = { first_day: MONDAY, last_day: MONDAY, name: '創立記念日', yearly: 1 };
    await client.post('/closing_day', { add_info });
    expect(await notes(at(MONDAY, 11))).toStrictEqual([
      { code: 'closed_day', text: '2037/12/21（月）は創立記念日（休業日）です。', next_open_at: '2037/12/28 11:00:00' },
    ]);
    // A holiday on which the group has chosen to send.
    expect(await notes(at('2038-01-11', 10))).toStrictEqual([]);
    expect(await notes(at('2038-01-11', 9))).toMatchObject([
      { code: 'outside_hours', next_open_at: '2038/01/11 10:00:00' },
    ]);
    const day = '2038-01-18';
    await reserve(ids.slice(0, 3), at(day, 10));
    await reserve(ids.slice(3, 5), at(day, 10), { test: true });
    const id = await reserve(ids.slice(3, 5), at(day, 11));
    const overLimit = async () => ((await client.get(`/reservation/${id}`)).body as { notes: object[] }).notes;
    const noteOf = (left: number) => ({
      code: 'over_limit',
      text: `2038/1/18（月）の予約は合わせて5社で、この日に送れる${left}通を超えます。超えた分は2038/1/25（月）10:00から送信します。`,
      next_open_at: '2038/01/25 10:00:00',
    });
    await client.put('/account_rule', { update_info: { per_day: 5 } });
    expect(await overLimit()).toStrictEqual([]);
    await client.put('/account_rule', { update_info: { per_day: 4 } });
    expect(await overLimit()).toStrictEqual([noteOf(4)]);
    const { id: profile } = await database.db.selectFrom('sender_profile').select('id').executeTakeFirstOrThrow();
    await client.put(`/sender_limit/${profile}`, { update_info: { per_day: 3 } });
    expect(await overLimit()).toStrictEqual([noteOf(3)]);
  });

  test('name a sender whose address nobody has confirmed', async () => {
    await database.db.deleteFrom('confirmed_address').execute();
    expect(await notes(at(MONDAY, 9))).toMatchObject([{ code: 'sender_unconfirmed', next_open_at: null }]);
  });
});
