import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';

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
