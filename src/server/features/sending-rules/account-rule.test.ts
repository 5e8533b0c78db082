import { beforeEach, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';

let database: TestDatabase;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  client = await clientOf(database, (await addTenant(database.db)).accountId);
});

const change = (update_info: object) => client.put('/account_rule', { update_info });
const rule = async () => (await client.get('/account_rule')).body;

test('an account that has chosen nothing cannot take sends back; each change is recorded', async () => {
  expect(await rule()).toStrictEqual({ undo_seconds: 0, per_day: null });
  for (const undo_seconds of [10, 60, 30]) {
    expect(await change({ undo_seconds })).toStrictEqual({ status: 200, body: { status: 'updated' } });
    expect(await rule()).toStrictEqual({ undo_seconds, per_day: null });
  }
  const events = await database.db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id').execute();
  expect(events.at(-1)).toStrictEqual({ kind: 'account_rule_changed', detail: { undo_seconds: 30 } });
});

test('the limit of a day is set besides, and taken away', async () => {
  await change({ undo_seconds: 10 });
  await change({ per_day: 500 });
  expect(await rule()).toStrictEqual({ undo_seconds: 10, per_day: 500 });
  await change({ per_day: null });
  expect(await rule()).toStrictEqual({ undo_seconds: 10, per_day: null });
});

test.each([{}, { per_day: 0 }, { per_day: 10 ** 9 }, { undo_seconds: 20 }, { undo_seconds: null }, { hours: 1 }])(
  '%j is refused',
  async (changes) => {
    expect(await change(changes)).toMatchObject({ status: 400 });
    expect(await rule()).toStrictEqual({ undo_seconds: 0, per_day: null });
  },
);
