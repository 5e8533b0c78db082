import { beforeEach, describe, expect, test } from 'vitest';
import { CALENDAR_ITEMS } from '#contract/sending/reservations-names.ts';
import type { ReservationRow } from '#contract/sending/reservations-page.ts';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf, instantOf } from '#domain/time/tokyo-time.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { sentRun } from '#test/sent-run.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

interface Day {
  readonly day: string;
  readonly holiday: string | null;
  readonly closing_day: string | null;
  readonly is_open: 0 | 1;
  readonly planned: number;
  readonly sent: number;
  readonly items: readonly { id: number; send_at: string; group: object; targets: number; state: string }[];
  readonly more: number;
}

const calendar = async (from: string, to: string) =>
  ((await client.get(`/reservation/calendar?from=${from}&to=${to}`)).body as { days: Day[] }).days;

describe('GET /reservation/calendar', () => {
  test('is the sum of the rows of the page, day by day in Tokyo', async () => {
    const companies = 60;
    await addManyProspects(database.db, tenant.accountId, companies);
    const ids = (await database.db.selectFrom('prospect').select('id').orderBy('id').execute()).map(({ id }) => id);
    // Repeatable: about midnight in Tokyo and elsewhere, over the ends of two months.
    const hours = [0, 8, 9, 14, 15, 23];
    for (let n = 0; n < 60; n += 1) {
      const day = addDays('2037-12-29', (n * 7) % 36);
      const sender = n % 3 === 0 ? await addSender(database.db, tenant) : tenant.senderId;
      await addReservation(database.db, { ...tenant, senderId: sender }, ids.slice(n, n + 1), {
        sendAt: new Date(instantOf(day, (hours[n % 6] ?? 0) * 60 + n)),
      });
    }
    const days = await calendar('2037-12-28', '2038-02-05');
    const { body } = await client.get('/reservation/view?pagenate_count=200');
    const { rows, total } = body as { rows: ReservationRow[]; total: number };
    expect(total).toBe(60);
    const byDay = Map.groupBy(rows, ({ send_at }) => send_at.slice(0, 10).replaceAll('/', '-'));
    expect(days.map(({ day, planned, items }) => [day, planned, items.map(({ id }) => id)])).toStrictEqual(
      Array.from({ length: 40 }, (_, n) => addDays('2037-12-28', n)).map((day) => {
        const own = byDay.get(day) ?? [];
        return [day, own.reduce((sum, { targets }) => sum + targets, 0), own.map(({ id }) => id)];
      }),
    );
    expect(days.filter(({ holiday }) => holiday !== null).map(({ day, holiday }) => [day, holiday])).toStrictEqual([
      ['2038-01-01', '元日'],
      ['2038-01-11', '成人の日'],
    ]);
  });

  test('shows the first of a full day, counts the rest, and what was sent', async () => {
    await addManyProspects(database.db, tenant.accountId, CALENDAR_ITEMS + 3);
    const ids = (await database.db.selectFrom('prospect').select('id').orderBy('id').execute()).map(({ id }) => id);
    for (const [n, id] of ids.entries()) {
      const sendAt = new Date(instantOf('2037-12-21', 8 * 60 + n));
      await addReservation(database.db, tenant, [id], { sendAt });
    }
    const [day] = await calendar('2037-12-21', '2037-12-21');
    expect(day?.items[0]?.group).toStrictEqual({ id: tenant.senderGroupId, group_name: expect.any(String) });
    expect(day).toMatchObject({ planned: CALENDAR_ITEMS + 3, more: 3 });
    expect(day?.items).toHaveLength(CALENDAR_ITEMS);
    await sentRun(database, await addTenant(database.db), 1, { days: 0 });
    await sentRun(database, tenant, 2, { days: 0 });
    const today = dayOf(Date.now());
    expect(await calendar(today, today)).toMatchObject([{ sent: 2 }]);
  });

  test('names closing days, says on which days its group sends, and the limit of the account', async () => {
    const close = (day: string, name: string, more: object = {}) =>
      client.post('/closing_day', { add_info: { first_day: day, last_day: day, name, ...more } });
    const ofGroup = { sender_group_id: tenant.senderGroupId };
    await close('2037-12-29', '年末休業');
    await close('2037-12-30', '棚卸し', ofGroup);
    await close('2038-01-02', '初売り', { ...ofGroup, working: 1 });
    await client.put(`/sending_rules/${tenant.senderGroupId}`, { update_info: { on_holidays: 0 } });
    await client.put('/account_rule', { update_info: { per_day: 300 } });
    const of = async (more = '') =>
      (await calendar('2037-12-28', `2038-01-02${more}`)).map(({ closing_day, is_open }) => [closing_day, is_open]);
    expect(await of()).toStrictEqual([
      [null, 1],
      ['年末休業', 0],
      [null, 1],
      [null, 1],
      [null, 1],
      [null, 0],
    ]);
    expect(await of(`&sender_group_id=${tenant.senderGroupId}`)).toStrictEqual([
      [null, 1],
      ['年末休業', 0],
      ['棚卸し', 0],
      [null, 1],
      // 元日, on which the group does not send.
      [null, 0],
      // A Saturday that is worked.
      [null, 1],
    ]);
    expect(await calendar('2037-12-28', '2037-12-28')).toMatchObject([{ limit: 300 }]);
    // Another group has its own days.
    const other = await addSenderGroup(database.db, tenant.accountId);
    expect((await of(`&sender_group_id=${other}`))[2]).toStrictEqual([null, 1]);
  });

  test.each([
    ['turned around', '2037-12-02', '2037-12-01'],
    ['of 400 days', '2037-01-01', '2038-02-04'],
    ['of 63 days', '2037-12-01', '2038-02-01'],
  ])('refuses a period %s', async (_, from, to) => {
    expect(await client.get(`/reservation/calendar?from=${from}&to=${to}`)).toMatchObject({ status: 400 });
  });
});
