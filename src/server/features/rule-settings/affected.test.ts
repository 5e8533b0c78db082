import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addGroup, addProspects, addTenant, type Tenant } from '#test/prospects.ts';

/** The days of reservations are far ahead of any clock. */
const MONDAY = '2038-11-29';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

/** Adds a real reservation a minute, from a time of Tokyo on. */
const reserveEachMinute = (from: string, count: number) =>
  sql`
    INSERT INTO reservation (account_id, sender_id, sender_group_id, send_at, test_send_mode)
    SELECT ${tenant.accountId}, ${tenant.senderId}, ${tenant.senderGroupId},
      ${`${from}+09:00`}::timestamptz + n * interval '1 minute', false
    FROM generate_series(0, ${count - 1}::integer) AS n`.execute(database.db);
const saveHours = (closes: number, days = [0, 1, 2, 3, 4, 5, 6]) =>
  client.put(`/sending_rules/${tenant.senderGroupId}`, {
    update_info: { periods: days.map((weekday) => ({ weekday, opens: 540, closes })) },
  });

test('the first 100 by time are named, and all are counted', async () => {
  await reserveEachMinute(`${MONDAY}T09:00:00`, 180);
  const { body } = await saveHours(600);
  // Sixty are open, and 120 are not.
  expect(body).toMatchObject({ affected_count: 120, unchecked: 0 });
  const { affected } = body as { affected: { send_at: string; reason: string }[] };
  expect(affected).toHaveLength(100);
  expect(affected[0]).toMatchObject({ send_at: '2038/11/29 10:00:00', reason: '時間外' });
  expect(affected.at(-1)).toMatchObject({ send_at: '2038/11/29 11:39:00' });
});

test('of more than 10,000 reservations the rest is counted as not looked at', async () => {
  await reserveEachMinute(`${MONDAY}T00:00:00`, 10_150);
  const { body } = await saveHours(1080, [1]);
  // Monday from 9:00 to 18:00: 540 of the first 10,000.
  expect(body).toMatchObject({ affected_count: 10_000 - 540, unchecked: 150 });
});

describe('a plan that closing days fall on', () => {
  /** Adds a real reservation, or a test. @param at of Tokyo */
  async function reserve(at: string, { of = tenant, test: isTest = false } = {}): Promise<number> {
    const [company = 0] = await addProspects(database.db, tenant.accountId, [{}]);
    return addReservation(database.db, of, [company], { sendAt: new Date(`${at}+09:00`), test: isTest });
  }
  const addDay = (add_info: object) => client.post('/closing_day', { add_info: { name: '棚卸し', ...add_info } });
  const oneDay = (day: string) => ({ first_day: day, last_day: day });
  const change = (id: number, update_info: object) => client.put(`/closing_day/${id}`, { update_info });
  const idOf = (answer: { readonly body: unknown }) => (answer.body as { id: number }).id;
  /** Returns which reservations an answer names, with the reason. */
  function namedBy({ status, body }: { readonly status: number; readonly body: unknown }) {
    expect(status).toBe(200);
    const { affected, affected_count, unchecked } = body as {
      affected: { reservation_id: number; send_at: string; reason: string }[];
      affected_count: number;
      unchecked: number;
    };
    expect({ affected_count, unchecked }).toStrictEqual({ affected_count: affected.length, unchecked: 0 });
    return affected.map(({ reservation_id, reason }) => [reservation_id, reason]);
  }

  test('a new one names them, not those of the days beside it, nor tests; their times stay', async () => {
    const on = await reserve(`${MONDAY}T10:00:00`);
    await reserve('2038-11-30T00:00:00');
    await reserve('2038-11-28T23:59:00');
    await reserve(`${MONDAY}T11:00:00`, { test: true });
    const answer = await addDay(oneDay(MONDAY));
    expect(answer.body).toMatchObject({
      affected: [{ reservation_id: on, send_at: '2038/11/29 10:00:00', reason: '棚卸し' }],
    });
    expect(namedBy(answer)).toStrictEqual([[on, '棚卸し']]);
    const { send_at } = await database.db
      .selectFrom('reservation')
      .select('send_at')
      .where('id', '=', on)
      .executeTakeFirstOrThrow();
    expect(send_at).toStrictEqual(new Date(`${MONDAY}T10:00:00+09:00`));
  });

  test('one that was outside of the hours before is named too: the day falls on it', async () => {
    const sunday = await reserve('2038-11-28T10:00:00');
    const night = await reserve('2038-11-29T23:30:00');
    const answer = await addDay({ first_day: '2038-11-28', last_day: MONDAY });
    expect(namedBy(answer)).toStrictEqual([
      [sunday, '棚卸し'],
      [night, '棚卸し'],
    ]);
  });

  test('a preset and a CSV name them; what is there already names none', async () => {
    const newYear = await reserve('2038-12-29T10:00:00');
    const monday = await reserve(`${MONDAY}T10:00:00`);
    const preset = () => client.post('/closing_day/preset', { preset: 'new_year', year: 2038 });
    expect(namedBy(await preset())).toStrictEqual([[newYear, '年末年始']]);
    expect(namedBy(await preset())).toStrictEqual([]);
    const rows = [
      { day: '2038/11/26', name: '臨時休業' },
      { day: MONDAY, name: '棚卸し' },
      { day: '2038-12-29', name: '年末' },
    ];
    expect(namedBy(await client.post('/closing_day/import', { rows }))).toStrictEqual([
      [monday, '棚卸し'],
      [newYear, '年末年始'],
    ]);
  });

  test('one that is moved, made longer or brought back names them; one that is renamed or removed names none', async () => {
    const monday = await reserve(`${MONDAY}T10:00:00`);
    const tuesday = await reserve('2038-11-30T10:00:00');
    const id = idOf(await addDay(oneDay('2038-11-26')));
    expect(namedBy(await change(id, oneDay(MONDAY)))).toStrictEqual([[monday, '棚卸し']]);
    expect(namedBy(await change(id, { last_day: '2038-11-30' }))).toStrictEqual([
      [monday, '棚卸し'],
      [tuesday, '棚卸し'],
    ]);
    expect(namedBy(await change(id, { name: '大掃除' }))).toStrictEqual([]);
    expect(namedBy(await change(id, { active: 0 }))).toStrictEqual([]);
    expect(namedBy(await change(id, { first_day: '2038-11-30', active: 1 }))).toStrictEqual([[tuesday, '大掃除']]);
  });

  test('a yearly one names those of later years', async () => {
    const later = await reserve('2038-11-29T10:00:00');
    await reserve('2038-11-30T10:00:00');
    expect(namedBy(await addDay({ ...oneDay('2030-11-29'), yearly: 1 }))).toStrictEqual([[later, '棚卸し']]);
  });

  test('a working day names none; one that goes names those that it had opened', async () => {
    const saturday = await reserve('2038-11-27T10:00:00');
    const id = idOf(await addDay(oneDay('2038-11-27')));
    expect(namedBy(await change(id, { working: 1 }))).toStrictEqual([]);
    expect(namedBy(await change(id, { active: 0 }))).toStrictEqual([[saturday, '土曜日']]);
    // A working day that stays wins over the new closing day.
    await change(id, { active: 1 });
    expect(namedBy(await addDay(oneDay('2038-11-27')))).toStrictEqual([]);
  });

  test('one of a group names its own, one of all groups those of each', async () => {
    const other = await addGroup(database.db, tenant);
    const own = await reserve(`${MONDAY}T10:00:00`);
    const theirs = await reserve(`${MONDAY}T09:00:00`, { of: other });
    const ofGroup = await addDay({ ...oneDay(MONDAY), sender_group_id: tenant.senderGroupId });
    expect(namedBy(ofGroup)).toStrictEqual([[own, '棚卸し']]);
    expect(namedBy(await addDay({ ...oneDay(MONDAY), name: '創立記念日' }))).toStrictEqual([
      [theirs, '創立記念日'],
      [own, '棚卸し'],
    ]);
  });

  test('a repeated key gets the first answer, and one of version 1.0.0 has no reservations', async () => {
    const on = await reserve(`${MONDAY}T10:00:00`);
    const add = () =>
      client.post(
        '/closing_day',
        { add_info: { ...oneDay(MONDAY), name: '棚卸し' } },
        { 'idempotency-key': 'each-once' },
      );
    await add();
    expect(namedBy(await add())).toStrictEqual([[on, '棚卸し']]);
    await database.db
      .updateTable('create_key')
      .set({ answer: JSON.stringify({ status: 'added', id: 1 }) })
      .execute();
    expect(namedBy(await add())).toStrictEqual([]);
  });
});
