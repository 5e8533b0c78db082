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
const NONE = {
  undo_seconds: 0,
  per_day: null,
  per_domain: 0,
  across_groups: 0,
  export_needs_admin: 0,
  two_factor_required: 0,
  login_networks: [],
  current_address: '127.0.0.1',
  password_off: 0,
};

test('an account that has chosen nothing cannot take sends back; each change is recorded', async () => {
  expect(await rule()).toStrictEqual(NONE);
  for (const undo_seconds of [10, 60, 30]) {
    expect(await change({ undo_seconds })).toStrictEqual({ status: 200, body: { status: 'updated' } });
    expect(await rule()).toStrictEqual({ ...NONE, undo_seconds });
  }
  const events = await database.db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id').execute();
  expect(events.at(-1)).toStrictEqual({ kind: 'account_rule_changed', detail: { undo_seconds: 30 } });
});

test('the limit of a day is set and removed without changing other rules', async () => {
  await change({ undo_seconds: 10 });
  await change({ per_day: 500 });
  expect(await rule()).toStrictEqual({ ...NONE, undo_seconds: 10, per_day: 500 });
  await change({ per_day: null });
  expect(await rule()).toStrictEqual({ ...NONE, undo_seconds: 10 });
});

test('the limit of a domain and the look at all groups are set and recorded alike', async () => {
  await change({ per_domain: 3, across_groups: 1 });
  expect(await rule()).toStrictEqual({ ...NONE, per_domain: 3, across_groups: 1 });
  await change({ per_domain: 0 });
  await change({ across_groups: 0 });
  expect(await rule()).toStrictEqual(NONE);
  const events = await database.db.selectFrom('audit_event').select('detail').orderBy('id').execute();
  expect(events.slice(-3).map(({ detail }) => detail)).toStrictEqual([
    { per_domain: 3, across_groups: 1 },
    { per_domain: 0 },
    { across_groups: 0 },
  ]);
});

test.each([-1, 1001, 10 ** 9, 1.5, '3', null])('%j mails to a domain are refused at the field', async (per_domain) => {
  const { status, body } = await change({ per_domain });
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain('update_info.per_domain');
  expect(await rule()).toStrictEqual(NONE);
});

test.each([
  {},
  { per_day: 0 },
  { per_day: 10 ** 9 },
  { undo_seconds: 20 },
  { undo_seconds: null },
  { across_groups: true },
  { across_groups: 2 },
  { hours: 1 },
])('%j is refused', async (changes) => {
  expect(await change(changes)).toMatchObject({ status: 400 });
  expect(await rule()).toStrictEqual(NONE);
});
