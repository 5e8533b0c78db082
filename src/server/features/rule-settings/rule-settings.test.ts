import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addSenderGroup, addTenant, profileOf, type Tenant } from '#test/prospects.ts';
import { acceptRun, untilBlocked } from '#test/sending.ts';
import { holidayOf } from '../sending-rules/holidays.ts';

const NOT_AFFECTED = { affected: [], affected_count: 0, unchecked: 0 };

/** A Friday before a weekend and a holiday (23 November). */
const NOW = Date.parse('2026-11-20T10:00:00+09:00');

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let profileId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId, () => NOW);
  profileId = await profileOf(database.db, tenant.senderId);
});

const WEEK = [1, 2, 3, 4, 5].map((weekday) => ({ weekday, opens: 540, closes: 1080 }));
const rules = async (group = tenant.senderGroupId) =>
  (await client.get(`/sending_rules/${group}`)).body as Record<string, never>;
const save = (update_info: object, version?: number) =>
  client.put(`/sending_rules/${tenant.senderGroupId}`, { version, update_info });
const addDay = (add_info: object) => client.post('/closing_day', { add_info: { name: '休業', ...add_info } });
const oneDay = (day: string) => ({ first_day: day, last_day: day });

describe('hours', () => {
  test('a group that has saved none has those of the pickers, and asks', async () => {
    expect(await rules()).toMatchObject({
      periods: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, opens: 480, closes: 1260 })),
      on_holidays: 1,
      outside: 'warn',
      version: 0,
      closing_days: [],
      limits: [],
      now: {
        open: 1,
        reason: null,
        closes_at: '2026/11/20 21:00:00',
        next_open_at: '2026/11/20 10:00:00',
        left_today: null,
      },
    });
  });

  test('are saved for one group, and a save of what was not seen is refused', async () => {
    const other = await addSenderGroup(database.db, tenant.accountId);
    expect((await save({ periods: WEEK, on_holidays: 0, outside: 'hold' }, 0)).body).toStrictEqual({
      status: 'updated',
      version: 1,
      ...NOT_AFFECTED,
    });
    // The same content is no change, whatever was seen.
    expect((await save({ outside: 'hold' }, 0)).body).toMatchObject({ version: 1 });
    expect(await save({ outside: 'warn' }, 0)).toMatchObject({
      status: 409,
      body: { code: 'sending_rules_changed', message: expect.stringContaining('利用者さんが') },
    });
    expect((await save({ outside: 'warn' }, 1)).body).toMatchObject({ version: 2 });
    expect(await rules()).toMatchObject({ periods: WEEK, on_holidays: 0, outside: 'warn', version: 2 });
    expect(await rules(other)).toMatchObject({ version: 0 });
  });

  test('name the reservations that lie outside of them, and leave these', async () => {
    const { db } = database;
    const [one = 0, two = 0, three = 0] = await addProspects(db, tenant.accountId, [{}, {}, {}]);
    // 9:00 and 20:00 of a Tuesday far ahead, and a test.
    const at = (hour: string) => new Date(`2038-11-30T${hour}:00:00+09:00`);
    await addReservation(db, tenant, [one], { sendAt: at('09') });
    const late = await addReservation(db, tenant, [two], { sendAt: at('20') });
    await addReservation(db, tenant, [three], { sendAt: at('22'), test: true });
    expect((await save({ periods: WEEK })).body).toMatchObject({
      affected: [{ reservation_id: late, send_at: '2038/11/30 20:00:00', reason: '時間外' }],
    });
  });

  test.each([
    ['opens at its end', [{ weekday: 1, opens: 540, closes: 540 }]],
    ['goes over midnight', [{ weekday: 1, opens: 1320, closes: 360 }]],
    ['ends after midnight', [{ weekday: 1, opens: 1320, closes: 1500 }]],
    ['is of weekday 7', [{ weekday: 7, opens: 540, closes: 600 }]],
    ['begins at minute 481', [{ weekday: 1, opens: 481, closes: 600 }]],
    ['overlaps another', [540, 600].map((opens) => ({ weekday: 1, opens, closes: opens + 120 }))],
    ['is the third of its weekday', [0, 1, 2].map((n) => ({ weekday: 1, opens: 540 + 60 * n, closes: 555 + 60 * n }))],
    ['is none', []],
  ])('a period that %s is refused', async (_, periods) => {
    expect(await save({ periods })).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  });
});

describe('closing days', () => {
  test('a weekend, a holiday and a closing day: the group opens on Wednesday', async () => {
    await save({ on_holidays: 0, outside: 'hold' });
    expect((await addDay({ ...oneDay('2026-11-24'), name: '創立記念日' })).body).toMatchObject({ status: 'added' });
    const later = await clientOf(database, tenant.accountId, () => Date.parse('2026-11-23T10:00:00+09:00'));
    const { body } = await later.get(`/sending_rules/${tenant.senderGroupId}`);
    expect(body).toMatchObject({
      closing_days: [{ first_day: '2026-11-24', name: '創立記念日', sender_group_id: null, version: 1 }],
      now: { open: 0, reason: '勤労感謝の日', closes_at: null, next_open_at: '2026/11/25 08:00:00' },
    });
  });

  test('are changed and deleted, one save after the other', async () => {
    const { id } = (await addDay(oneDay('2026-12-01'))).body as { id: number };
    const change = (update_info: object, version?: number) =>
      client.put(`/closing_day/${id}`, { version, update_info });
    expect((await change({ last_day: '2026-12-03' }, 1)).body).toStrictEqual({
      status: 'updated',
      version: 2,
      ...NOT_AFFECTED,
    });
    expect(await change({ name: '別' }, 1)).toMatchObject({ status: 409, body: { code: 'closing_day_changed' } });
    expect(await change({ first_day: '2026-12-04' })).toMatchObject({ status: 400, body: { code: 'invalid_period' } });
    expect((await change({ active: 0 }, 2)).body).toStrictEqual({ status: 'updated', version: 3, ...NOT_AFFECTED });
    expect((await client.get('/closing_day/list?where_info[active]=1')).body).toStrictEqual([]);
    expect((await rules()).closing_days).toStrictEqual([]);
  });

  test('of a preset or a list are added once', async () => {
    const preset = { preset: 'new_year', year: 2026 };
    expect((await client.post('/closing_day/preset', preset)).body).toMatchObject({ status: 'added', added: 1 });
    expect((await client.post('/closing_day/preset', preset)).body).toMatchObject({ status: 'no-added', skipped: 1 });
    const rows = [
      { day: '2026/12/1', name: '創立記念日' },
      { day: '2026年12月1日', name: '創立記念日' },
      { day: '2027-05-01', name: 'メーデー' },
    ];
    expect((await client.post('/closing_day/import', { rows })).body).toStrictEqual({
      status: 'added',
      added: 2,
      skipped: 1,
      ...NOT_AFFECTED,
    });
    const bad = [...rows, { day: '2026/2/30', name: '誤り' }];
    expect(await client.post('/closing_day/import', { rows: bad })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'rows.3.day', message: expect.stringContaining('実在する日') }] },
    });
  });

  test('a day that is removed while a send reads it keeps no mail waiting', async () => {
    await save({ outside: 'hold' });
    const { id } = (await addDay(oneDay('2026-11-20'))).body as { id: number };
    const send = await database.db.transaction().execute(async (tx) => {
      // The send has read the day, and waits for this row.
      const throttle = { account_id: tenant.accountId, profile_id: profileId };
      await tx.insertInto('sender_throttle').values(throttle).execute();
      const sends = acceptRun(database, tenant, 1, { now: NOW });
      await untilBlocked(database);
      const removed = client.put(`/closing_day/${id}`, { update_info: { active: 0 } });
      await Promise.race([removed, untilBlocked(database, 2)]);
      return [sends, removed];
    });
    await Promise.all(send);
    expect(await database.db.selectFrom('delivery').select('put_off').execute()).toStrictEqual([{ put_off: null }]);
  });

  test.each([
    ['of 30 February', oneDay('2026-02-30'), 'invalid_input'],
    ['of the year 9999', oneDay('9999-01-01'), 'invalid_input'],
    ['of 93 days', { first_day: '2026-12-01', last_day: '2027-03-03' }, 'invalid_period'],
    ['that ends before it begins', { first_day: '2026-12-02', last_day: '2026-12-01' }, 'invalid_period'],
    ['with a name of 300 characters', { ...oneDay('2026-12-01'), name: '休'.repeat(300) }, 'invalid_input'],
    ['without a name', { ...oneDay('2026-12-01'), name: '　' }, 'invalid_input'],
  ])('one %s is refused', async (_, info, code) => {
    expect(await addDay(info)).toMatchObject({ status: 400, body: { code } });
  });

  test('one that was deleted comes back within an hour, and later goes with the next that is added', async () => {
    const ids = [];
    for (const day of ['2026-12-01', '2026-12-02', '2026-12-03'])
      ids.push(((await addDay(oneDay(day))).body as { id: number }).id);
    const [kept = 0, fresh = 0, old = 0] = ids;
    const switchTo = (id: number, active: 0 | 1) => client.put(`/closing_day/${id}`, { update_info: { active } });
    for (const id of [fresh, old]) await switchTo(id, 0);
    const long = sql<Date>`now() - interval '61 minutes'`;
    await database.db.updateTable('closing_day').set({ updated_at: long }).where('id', 'in', [kept, old]).execute();
    const { id: next } = (await addDay(oneDay('2026-12-04'))).body as { id: number };
    const there = await database.db.selectFrom('closing_day').select('id').orderBy('id').execute();
    expect(there.map(({ id }) => id)).toStrictEqual([kept, fresh, next]);
    expect(await switchTo(fresh, 1)).toMatchObject({ status: 200 });
    expect(await switchTo(old, 1)).toMatchObject({ status: 404 });
  });

  test('an account has 500 at most, and a group opens at some time', async () => {
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => ({ day: `${2000 + from + n}-01-01`, name: '休業' }));
    expect((await client.post('/closing_day/import', { rows: rows(27, 50) })).status).toBe(200);
    await database.db
      .insertInto('closing_day')
      .values(
        Array.from({ length: 449 }, () => ({
          account_id: tenant.accountId,
          first_day: '2000-01-01',
          last_day: '2000-01-01',
          name: '古い',
        })),
      )
      .execute();
    expect((await addDay(oneDay('2026-12-01'))).status).toBe(200);
    const tooMany = { status: 409, body: { code: 'too_many_closing_days' } };
    expect(await addDay(oneDay('2026-12-02'))).toMatchObject(tooMany);
    const { id } = await database.db.selectFrom('closing_day').select('id').orderBy('id').executeTakeFirstOrThrow();
    const switchTo = (active: 0 | 1) => client.put(`/closing_day/${id}`, { update_info: { active } });
    await switchTo(0);
    await addDay(oneDay('2026-12-02'));
    expect(await switchTo(1)).toMatchObject(tooMany);
    await database.db.deleteFrom('closing_day').execute();
    const quarters = ['01-01', '04-01', '07-01', '10-01'];
    const lasts = ['03-31', '06-30', '09-30', '12-31'];
    const answers = [];
    for (const [n, first] of quarters.entries()) {
      const days = { first_day: `2026-${first}`, last_day: `2026-${lasts[n]}`, yearly: 1 };
      answers.push(await addDay(days));
    }
    expect(answers.map(({ status }) => status)).toStrictEqual([200, 200, 200, 400]);
    expect(answers[3]?.body).toMatchObject({ code: 'no_open_day' });
  });
});

describe('the limit of a profile', () => {
  const set = (update_info: object) => client.put(`/sender_limit/${profileId}`, { update_info });

  test('grows from its first day on, and goes away with null', async () => {
    expect((await client.get(`/sender_limit/${profileId}`)).body).toMatchObject({ per_day: null, today: null });
    expect((await set({ per_day: 200, ramp_from: '2026-01-01' })).body).toStrictEqual({
      status: 'updated',
      today: { limit: 20, used: 0, step: 1, full_on: 10 },
    });
    expect(await rules()).toMatchObject({
      limits: [{ profile_id: profileId, limit: 20, used: 0 }],
      now: { left_today: null },
    });
    await database.db.insertInto('account_rule').values({ account_id: tenant.accountId, per_day: 7 }).execute();
    // That of the account by itself: a mail must fit into both.
    expect(await rules()).toMatchObject({ limits: [{ limit: 20 }], now: { left_today: 7 } });
    expect((await set({ ramp_from: null })).body).toMatchObject({ today: { limit: 200, step: 1, full_on: 1 } });
    expect((await set({ per_day: null })).body).toStrictEqual({ status: 'updated', today: null });
    expect((await client.get(`/sender_limit/${profileId}`)).body).toMatchObject({ per_day: null, today: null });
  });

  test('a ramp without a limit is refused', async () => {
    const message = '1日の上限も指定してください。';
    expect(await set({ ramp_from: '2026-12-01' })).toMatchObject({
      status: 400,
      body: { code: 'limit_missing', details: [{ path: 'update_info.per_day', message }] },
    });
  });

  test("does not exceed what the operator's pace permits in a day", async () => {
    const limits = { account_id: tenant.accountId, profile_id: profileId, mails_per_minute: 1 };
    await database.db.insertInto('sender_throttle').values(limits).execute();
    expect(await set({ per_day: 1441 })).toMatchObject({
      status: 400,
      body: { code: 'above_limit', message: expect.stringContaining('1,440通') },
    });
    expect((await set({ per_day: 1440 })).status).toBe(200);
  });

  test.each([
    [{ per_day: 0 }],
    [{ per_day: -1 }],
    [{ per_day: 10 ** 9 }],
    [{ per_day: 1, ramp_percent: 0 }],
    [{ per_day: 1, ramp_percent: 500 }],
    [{}],
  ])('%j is refused', async (info) => {
    expect(await set(info)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  });
});

test('the names of holidays; equinoxes after the next year are planned ones', () => {
  const days = ['2026-11-23', '2026-09-22', '2026-11-24', '2027-03-21', '2028-03-20', '2050-11-23', '2051-01-01'];
  expect(days.map((day) => holidayOf(day, '2026-11-20'))).toStrictEqual([
    '勤労感謝の日',
    '休日',
    null,
    '春分の日',
    '春分の日（予定）',
    '勤労感謝の日',
    null,
  ]);
});
