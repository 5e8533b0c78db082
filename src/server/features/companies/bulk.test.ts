import { beforeEach, expect, test } from 'vitest';
import type { TimelineEvent } from '#contract/companies/companies.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addContact, addDelivery, addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addProspects, addTenant, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];
beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  ids = await addProspects(
    database.db,
    tenant.accountId,
    ['a@x.jp', 'A@x.jp', null].map((company_email, n) => ({ company_name: `会社${n}`, company_email })),
  );
});

const bulk = (act: string, of: object, more: object = {}) =>
  client.post('/prospect/bulk', { act, sender_group_id: tenant.senderGroupId, ...of, ...more });
const none = { already: 0, not_found: 0, no_email: 0, too_long: 0 };
const view = async (query = '') =>
  (await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}${query}`)).body as {
    rows: { id: number; active: number; remarks: string; status: string }[];
    total: number;
  };
const kinds = async (id = 0) =>
  ((await client.get(`/prospect/${id}/timeline`)).body as TimelineEvent[]).map(({ kind }) => kind);

test('each act changes what it names, once, and is in the history', async () => {
  const acts = [
    ['deactivate', { changed: 3, unchanged: none }],
    ['deactivate', { changed: 0, unchanged: { ...none, already: 3 } }],
    ['activate', { changed: 3, unchanged: none }],
    ['suppress', { changed: 2, unchanged: { ...none, no_email: 1 } }],
    ['archive', { changed: 3, unchanged: none }],
    ['restore', { changed: 3, unchanged: none }],
  ] as const;
  for (const [act, answer] of acts) {
    const dry = await bulk(act, { ids }, { dry_run: 1 });
    expect([act, dry]).toMatchObject([act, { status: 200, body: { matched: 3, ...answer } }]);
    expect([act, await bulk(act, { ids })]).toStrictEqual([act, dry]);
  }
  expect(await kinds(ids[0])).toStrictEqual([
    'restored',
    'archived',
    'suppressed',
    'activated',
    'deactivated',
    'added',
  ]);
  const suppressed = database.db.selectFrom('suppression').select(['value', 'class', 'source', 'member_id']);
  expect(await suppressed.execute()).toStrictEqual([
    { value: 'a@x.jp', class: 'blocked', source: 'manual', member_id: tenant.memberId },
  ]);
  const audited = database.db.selectFrom('audit_event').select('id').where('kind', '=', 'companies_changed');
  expect(await audited.execute()).toHaveLength(5);
});

test('remarks are appended, unless they would be too long', async () => {
  expect(await bulk('append_remarks', { ids }, { remarks: '一' })).toMatchObject({ body: { changed: 3 } });
  const own = database.db.updateTable('active_prospect').set({ remarks: 'あ'.repeat(999) });
  await own.where('prospect_id', '=', ids[2] ?? 0).execute();
  expect(await bulk('append_remarks', { ids }, { remarks: '二' })).toMatchObject({
    body: { changed: 2, unchanged: { ...none, too_long: 1 } },
  });
  expect((await view()).rows.map(({ remarks }) => remarks)).toStrictEqual(['一\n二', '一\n二', 'あ'.repeat(999)]);
  expect(await bulk('append_remarks', { ids }, { remarks: ' ' })).toMatchObject({ status: 400 });
});

test('bad-inputs 242: all that meet a condition are changed in pieces, while others edit and do the same', async () => {
  await addManyProspects(database.db, tenant.accountId, 12_000);
  const all = { condition: { address: '東京' } };
  const [first, second] = await Promise.all([bulk('archive', all), bulk('archive', all), edit()]);
  const changed = [first, second].map(({ body }) => (body as { changed: number }).changed);
  expect(changed.reduce((sum, count) => sum + count)).toBe(12_000);
  expect([(await view()).total, (await view('&status=archived')).total]).toStrictEqual([3, 12_000]);
  const history = database.db.selectFrom('prospect_change').select('id').where('kind', '=', 'archived');
  expect(await history.execute()).toHaveLength(12_000);

  async function edit(): Promise<void> {
    const { body } = await client.get(`/prospect/${ids[0]}`);
    const { version } = body as { version: string };
    expect(await client.put(`/prospect/${ids[0]}`, { version, update_info: { ceo: '新' } })).toMatchObject({
      status: 200,
    });
  }
});

test('a condition has the filters and the status of the view, and the answer counts the mails to come', async () => {
  const [one = 0, two = 0] = ids;
  await addContact(database.db, tenant, one, new Date());
  await addReservation(database.db, tenant, [two], { sendAt: new Date(Date.UTC(2030, 0)) });
  await addDelivery(database.db, tenant, two, { state: 'queued' });
  expect(
    await bulk('archive', { condition: { status: 'unsent', has_company_email: 'yes' } }, { dry_run: 1 }),
  ).toMatchObject({
    body: { matched: 1, changed: 1, reserved: 1, queued: 1 },
  });
  expect(await bulk('archive', { condition: { status: 'sent', search: '会社0' } })).toMatchObject({
    body: { changed: 1 },
  });
  expect(await bulk('restore', { condition: { status: 'archived' } })).toMatchObject({ body: { changed: 1 } });
  expect((await view()).rows.map(({ id }) => id)).toStrictEqual(ids);
  expect(await bulk('archive', { ids, condition: {} })).toMatchObject({ status: 400 });
  expect(await bulk('archive', { ids: [999_999] })).toMatchObject({ body: { unchanged: { ...none, not_found: 1 } } });
});
