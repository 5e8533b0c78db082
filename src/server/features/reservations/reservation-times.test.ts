import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { NOW, reservationBody } from '#test/reservations.ts';

/** bad-inputs 151–186 and 200, as far as the API goes: the server judges by its own clock, which is `now` here. */

let database: TestDatabase;
let tenant: Tenant;
let prospectId: number;
let client: Client;
let now = NOW;

beforeAll(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId, () => now);
  [prospectId = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'info@a.example' }]);
});

beforeEach(async () => {
  now = NOW;
  await database.db.deleteFrom('reservation_target').execute();
  await database.db.deleteFrom('reservation').execute();
  await database.db
    .updateTable('session')
    .set({ last_used_at: new Date(NOW), created_at: new Date(NOW) })
    .execute();
});

/** Epoch milliseconds of a wall-clock time in Tokyo. */
const tokyo = (clock: string) => Date.parse(`${clock}+09:00`);

/** Sets `now`. The session is opened at the same moment, because the tests are days apart. */
async function at(moment: number): Promise<void> {
  now = moment;
  const then = new Date(moment);
  await database.db.updateTable('session').set({ last_used_at: then, created_at: then }).execute();
}

const reserve = (send_at: unknown, datetime_list: readonly unknown[] | null = null) =>
  client.post(
    '/reservation',
    reservationBody({
      sender_id: tenant.senderId,
      attack_list: [{ prospect_id: prospectId }],
      send_at,
      datetime_list,
    }),
  );

const stored = async () =>
  (await database.db.selectFrom('reservation').select('send_at').execute()).map(({ send_at }) => send_at.getTime());

describe('send_at', () => {
  test.each([
    ['151: now', '2026/11/18 12:34:56', '過ぎています'],
    ['152: past', '2026/11/17 12:00:00', '過ぎています'],
    ['153: a second before the window', '2026/11/19 07:59:59', '明日8:00から'],
    ['155: a step after the end', '2027/02/19 08:15:00', '明日8:00から'],
    ['156: before the first hour', '2026/11/20 07:45:00', '8:00から20:45'],
    ['157: after the last hour', '2026/11/20 21:00:00', '8:00から20:45'],
    ['159: between the steps', '2026/11/20 08:07:00', '15分単位'],
    ['160: with seconds', '2026/11/20 08:00:30', '15分単位'],
    ['161: Saturday', '2026/11/21 09:00:00', '土曜日・日曜日'],
    ['162: Sunday', '2026/11/22 09:00:00', '土曜日・日曜日'],
    ['172: year 9999', '9999/12/31 09:00:00', '明日8:00から'],
  ])('bad-inputs %s is refused, with what to do', async (_, sendAt, words) => {
    const { status, body } = await reserve(sendAt);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_send_at',
      message: expect.stringContaining(words),
      details: [{ path: 'add_info.send_at' }],
    });
    expect(await stored()).toStrictEqual([]);
  });

  test.each([
    ['163: a day that is not', '2026-02-30'],
    ['163: a day that is not, as an instant', '2026-02-30T09:00:00+09:00'],
    ['164: 29 February of a common year', '2027/02/29 09:00:00'],
    ['165: hour 24', '2026/11/20 24:00:00'],
    ['167: a day without time', '2026/12/1'],
    ['168: an era', '令和8年11月20日 9時'],
    ['169: an epoch number', 1_795_478_400_000],
    ['169: an epoch number as text', '1795478400000'],
    ['171: nothing', ''],
    ['171: null', null],
    ['171: a zero day', '0000-00-00'],
    ['171: a zero day and time', '0000/00/00 00:00:00'],
    ['172: year 10000', '10000/01/03 09:00:00'],
    ['195: a leap second', '2026/11/20 08:59:60'],
    ['27: full-width digits', '２０２６/11/20 09:00:00'],
    ['28: a line more', "2026/11/20 09:00:00\n'; DROP TABLE reservation"],
    ['a list', ['2026/11/20 09:00:00']],
    ['an operator', { gt: '2026/11/20 09:00:00' }],
    ['no zone', '2026-11-20T09:00:00'],
  ])('bad-inputs %s cannot be read as a time', async (_, sendAt) => {
    expect(await reserve(sendAt)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(await stored()).toStrictEqual([]);
  });

  test.each([
    ['the first of the window', '2026/11/19 08:00:00', '2026-11-19T08:00:00'],
    ['154: exactly the end', '2027/02/19 08:00:00', '2027-02-19T08:00:00'],
    ['158: the last time of a day', '2026/11/20 20:45:00', '2026-11-20T20:45:00'],
    ['166: one digit for the hour', '2026/11/20 8:00', '2026-11-20T08:00:00'],
    ['166: two digits for the hour', '2026/11/20 08:00', '2026-11-20T08:00:00'],
    ['167: one digit for the day', '2026/12/1 9:00:00', '2026-12-01T09:00:00'],
    ['170: ISO with Z', '2026-11-20T00:00:00Z', '2026-11-20T09:00:00'],
    ['170: ISO with +09:00', '2026-11-20T09:00:00+09:00', '2026-11-20T09:00:00'],
    ['187: as New York writes it', '2026-11-19T19:00:00-05:00', '2026-11-20T09:00:00'],
    ['184: a public holiday', '2026/11/23 09:00:00', '2026-11-23T09:00:00'],
    ['the default, an hour ahead on the hour', '2026/11/18 13:00:00', '2026-11-18T13:00:00'],
  ])('bad-inputs %s is taken', async (_, sendAt, clock) => {
    expect(await reserve(sendAt)).toMatchObject({ status: 200, body: { status: 'added' } });
    expect(await stored()).toStrictEqual([tokyo(clock)]);
  });

  test('bad-inputs 166, 170: the same moment written in many ways is one reservation', async () => {
    const first = await reserve('2026/11/20 9:00');
    const { id } = first.body as { id: number };
    for (const same of ['2026/11/20 09:00:00', '2026-11-20T09:00:00+09:00', '2026-11-20T00:00:00.000Z']) {
      expect((await reserve(same)).body).toMatchObject({ status: 'no-added', id });
    }
    expect(await stored()).toHaveLength(1);
  });

  test.each([
    ['185: 31 August + 3 months is 30 November', '2026-08-30T12:00:00', '2026/11/30 08:00:00', '2026/12/01 08:00:00'],
    ['186: + 3 months is 28 February', '2026-11-29T12:00:00', '2027/02/26 08:00:00', '2027/03/01 08:00:00'],
    ['186: + 3 months is 29 February', '2027-11-28T12:00:00', '2028/02/29 08:00:00', '2028/03/01 08:00:00'],
    ['193: a moment before midnight', '2026-11-18T23:59:59.999', '2026/11/19 08:00:00', '2027/02/19 08:15:00'],
    ['193: midnight', '2026-11-19T00:00:00', '2026/11/20 08:00:00', '2026/11/19 08:00:00'],
  ])('bad-inputs %s', async (_, moment, last, beyond) => {
    await at(tokyo(moment));
    expect((await reserve(beyond)).status).toBe(400);
    expect((await reserve(last)).status).toBe(200);
  });

  test('bad-inputs 180: a reservation takes targets until half a second before its time, not at its time', async () => {
    await reserve('2026/11/18 13:00:00');
    const [other = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: 'other@a.example' }]);
    const body = reservationBody({
      sender_id: tenant.senderId,
      attack_list: [{ prospect_id: other }],
      send_at: '2026/11/18 13:00:00',
    });
    now = tokyo('2026-11-18T12:59:59.500');
    expect((await client.post('/reservation', body)).body).toMatchObject({ status: 'updated' });
    now = tokyo('2026-11-18T13:00:00');
    expect(await client.post('/reservation', body)).toMatchObject({ status: 400, body: { code: 'invalid_send_at' } });
  });

  test('bad-inputs 200: a client whose clock is a year off cannot reserve by it', async () => {
    const behind = await reserve('2025/11/18 13:00:00');
    expect(behind.body).toMatchObject({ message: expect.stringContaining('過ぎています') });
    const ahead = await reserve('2027/11/18 13:00:00');
    expect(ahead.body).toMatchObject({ message: expect.stringContaining('3か月以内') });
    expect(await stored()).toStrictEqual([]);
  });
});

describe('datetime_list', () => {
  const row = (date: string, start_time = '9:00', end_time = '18:00') => ({ date, start_time, end_time });
  const sendAt = '2026/11/20 09:00:00';

  test.each([
    ['174: rows that overlap', [row('2026-11-24'), row('2026-11-24', '17:00', '19:00')], '重なって'],
    ['175: end before start', [row('2026-11-24', '18:00', '9:00')], '終了時刻'],
    ['176: end at start', [row('2026-11-24', '9:00', '09:00')], '終了時刻'],
    ['161: a Saturday', [row('2026-11-21')], '土曜日・日曜日'],
    ['152: today', [row('2026-11-18')], '明日8:00から3か月'],
    ['155: after the end of the window', [row('2027-02-19', '8:00', '8:15')], '明日8:00から3か月'],
    ['157: too late', [row('2026-11-24', '9:00', '21:00')], '8:00から20:45'],
    ['159: between the steps', [row('2026-11-24', '9:07')], '15分単位'],
    ['163: a day that is not', [row('2027-02-29')], '日付が正しくありません'],
    ['165: hour 24', [row('2026-11-24', '9:00', '24:00')], '時刻が正しくありません'],
    ['over before the mail leaves', [row('2026-11-24'), row('2026-11-19')], '予約日時より前'],
    ['over when the mail leaves', [row('2026-11-20', '8:00', '9:00')], '予約日時より前'],
  ])('bad-inputs %s: refused', async (_, rows, words) => {
    expect(await reserve(sendAt, rows)).toMatchObject({
      status: 400,
      body: { code: 'invalid_candidate_date', message: expect.stringContaining(words) },
    });
    expect(await stored()).toStrictEqual([]);
  });

  test.each([
    ['178: no row though switched on', []],
    ['177: 101 rows', Array.from({ length: 101 }, () => row('2026-11-24'))],
    ['no date', [{ start_time: '9:00', end_time: '18:00' }]],
    ['an unknown part', [{ ...row('2026-11-24'), zone: 'JST' }]],
    ['27: full-width digits', [row('2026-11-24', '９:00')]],
    ['168: an era', [row('令和8年11月24日')]],
  ])('bad-inputs %s: cannot be read', async (_, rows) => {
    expect(await reserve(sendAt, rows)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
  });

  test('bad-inputs 177, 174: 100 rows, and adjacent slots, are accepted', async () => {
    // 48 quarters from 8:00 to 20:00 of two days, and four of a third.
    const quarter = (n: number) => `${8 + Math.floor(n / 4)}:${String((n % 4) * 15).padStart(2, '0')}`;
    const rows = ['2026-11-24', '2026-11-25', '2026-11-26'].flatMap((date) =>
      Array.from({ length: 48 }, (_, n) => row(date, quarter(n), quarter(n + 1))),
    );
    expect(await reserve(sendAt, rows.slice(0, 100))).toMatchObject({ status: 200, body: { status: 'added' } });
  });

  test('a slot on the day of the mail is accepted if it ends after the mail leaves', async () => {
    expect((await reserve(sendAt, [row('2026-11-20', '8:00', '9:15')])).status).toBe(200);
  });
});
