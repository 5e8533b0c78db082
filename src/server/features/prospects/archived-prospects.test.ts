import { beforeAll, expect, test } from 'vitest';
import { SENDING_STATUSES } from '#contract/companies/prospects.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addContact, addDelivery, addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { type ProspectPage, viewProspects } from './prospects.queries.ts';

/** The search by name and address, the archived companies and the status of each row. */

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});

const list = (scope: Tenant, page: Partial<ProspectPage> = {}) =>
  viewProspects(database.account(scope.accountId), scope.senderGroupId, {
    filter: {},
    sort: {},
    offset: 0,
    limit: 200,
    ...page,
  });

const namesOf = async (scope: Tenant, page: Partial<ProspectPage> = {}) =>
  (await list(scope, page)).rows.map((row) => row.company_name);

const archive = (ids: readonly number[], archived_at: Date | null = new Date()) =>
  database.db.updateTable('prospect').set({ archived_at }).where('id', 'in', ids).execute();

const tokyo = (text: string) => new Date(`${text}+09:00`);

/** A group with some history of most of its 40 companies. */
async function addScene(): Promise<{ tenant: Tenant; ids: number[] }> {
  const { db } = database;
  const tenant = await addTenant(db);
  const ids = await addProspects(
    db,
    tenant.accountId,
    Array.from({ length: 40 }, (_, n) => ({
      company_name: `会社${n % 7}`,
      company_email: n % 5 === 0 ? null : `info${n}@x.jp`,
      ceo: n % 3 === 0 ? null : `代表${n % 4}`,
      address: `東京${n % 6}`,
      amount_of_sales: n % 4 === 0 ? null : n % 9,
      ordinary_profit: n % 5 === 0 ? null : n % 8,
      company_url: n % 2 === 0 ? null : `https://x${n}.jp/`,
    })),
  );
  const key = { account_id: tenant.accountId, sender_group_id: tenant.senderGroupId };
  for (const [n, id] of ids.entries()) {
    if (n % 3 === 0) await addContact(db, tenant, id, new Date(Date.UTC(2026, 10, 1 + (n % 5))));
    const own = { ...key, prospect_id: id, active: n % 8 !== 0, remarks: n % 6 === 0 ? `備考${n}` : '' };
    if (n % 2 === 0) await db.insertInto('active_prospect').values(own).execute();
  }
  for (const from of [1, 11]) {
    await addReservation(db, tenant, ids.slice(from, from + 6), { sendAt: new Date(Date.UTC(2026, 11, from)) });
  }
  return { tenant, ids };
}

/** Each kind of order: by rows of the group, along an index, and by a scan of each table. */
const SORTS = [
  ...(['active', 'sent_at', 'send_at', 'remarks', 'company_name', 'company_email', 'amount_of_sales'] as const),
  ...(['ceo', 'ordinary_profit'] as const),
];
const REGIONS = { address: '東京1、東京2、東京3' };
/** One direction for each order and filter: an index is read backwards, too. */
const PAGES = [undefined, ...SORTS].flatMap((sort, at) =>
  [undefined, ...SENDING_STATUSES].map((status, n) => ({
    sort: { sort, order: (at + n) % 2 === 0 ? ('asc' as const) : ('desc' as const) },
    status,
    filter: n === 3 ? REGIONS : {},
  })),
);

test('archived companies are in no list, in any order, until they are brought back', async () => {
  const { tenant, ids } = await addScene();
  const read = async () => {
    const found = [];
    for (const page of PAGES) {
      const { rows, total } = await list(tenant, page);
      const second = await list(tenant, { ...page, offset: 10, limit: 10 });
      const all = rows.map(({ id }) => id);
      expect([total, second.rows.map(({ id }) => id)]).toStrictEqual([all.length, all.slice(10, 20)]);
      found.push(all);
    }
    return found;
  };
  const before = await read();
  const archived = new Set(ids.filter((_, n) => n % 4 === 1 || n === 0));
  await archive([...archived]);
  expect(await read()).toStrictEqual(before.map((all) => all.filter((id) => !archived.has(id))));
  await archive([...archived], null);
  expect(await read()).toStrictEqual(before);
});

test('the archived companies are a list of their own, in any order', async () => {
  const { tenant, ids } = await addScene();
  const archived = ids.filter((_, n) => n % 3 !== 0);
  const orders = PAGES.filter(({ status }) => status === undefined || status === 'reserved');
  const read = (status?: 'archived') =>
    Promise.all(
      orders.map(async ({ sort, filter }) => (await list(tenant, { sort, filter, status })).rows.map(({ id }) => id)),
    );
  const before = await read();
  await archive(archived);
  expect(await read('archived')).toStrictEqual(before.map((all) => all.filter((id) => archived.includes(id))));
});

test('the search finds companies by words of their name or address', async () => {
  const tenant = await addTenant(database.db);
  await addProspects(database.db, tenant.accountId, [
    { company_name: '株式会社ﾐﾄﾞﾘ製作所', company_email: 'Info@midori.example.jp' },
    { company_name: 'あおば商事 株式会社', company_email: 'sales@aoba.example.jp' },
    { company_name: '100%_ITサービス', company_email: null },
  ]);
  const search = (text: string, page: Partial<ProspectPage> = {}) =>
    namesOf(tenant, { ...page, filter: { search: text } });
  expect(await search('ミドリ')).toStrictEqual(['株式会社ﾐﾄﾞﾘ製作所']);
  expect(await search('MIDORI')).toStrictEqual(['株式会社ﾐﾄﾞﾘ製作所']);
  expect(await search('製作所　ｉｎｆｏ＠')).toStrictEqual(['株式会社ﾐﾄﾞﾘ製作所']);
  expect(await search('製作所 aoba')).toStrictEqual([]);
  expect(await search('example.jp', { sort: { sort: 'company_name' } })).toStrictEqual([
    'あおば商事 株式会社',
    '株式会社ﾐﾄﾞﾘ製作所',
  ]);
  expect(await search('0%_i')).toStrictEqual(['100%_ITサービス']);
  expect(await search('0__i')).toStrictEqual([]);
  expect(await search(' 　')).toHaveLength(3);
});

test('bad-inputs 246: names of 4-byte characters, markup, mixed directions and half-width kana are found as written', async () => {
  const tenant = await addTenant(database.db);
  const written = ['𠮷'.repeat(100), '<script>alert(1)</script>', 'שלום会社', 'ｶﾞｲﾄﾞ商会', "O'Reilly \\ 100%"];
  await addProspects(
    database.db,
    tenant.accountId,
    written.map((company_name) => ({ company_name })),
  );
  for (const name of ['𠮷'.repeat(100), '<script>', 'שלום', 'ガイド', "o'reilly \\"]) {
    expect([name, await namesOf(tenant, { filter: { search: name } })]).toMatchObject([name, [expect.any(String)]]);
  }
  expect(await namesOf(tenant, { sort: { sort: 'company_name' } })).toHaveLength(written.length);
});

test('the status of each row is the first applicable one', async () => {
  const { db } = database;
  const tenant = await addTenant(db);
  const wanted = [
    'unsent',
    'sent',
    'reserved',
    'in_progress',
    'undeliverable',
    'suppressed',
    'undeliverable',
    'archived',
    'sent',
    'suppressed',
  ];
  const ids = await addProspects(
    db,
    tenant.accountId,
    wanted.map((company_name, n) => ({ company_name, company_email: `info${n}@x.jp` })),
  );
  const [, sent = 0, reserved = 0, open = 0, failed = 0, , dead = 0, gone = 0, mended = 0, unwilling = 0] = ids;
  for (const id of [sent, reserved, failed, gone, mended])
    await addContact(db, tenant, id, tokyo('2026-11-20T10:00:00'));
  await addReservation(db, tenant, [reserved, gone], { sendAt: tokyo('2026-12-01T10:00:00') });
  await addDelivery(db, tenant, open, { state: 'sent', mailTo: 'info3@x.jp' });
  await addDelivery(db, tenant, open, { state: 'unknown', mailTo: 'info3@x.jp' });
  await addDelivery(db, tenant, failed, { state: 'failed', mailTo: 'INFO4@x.jp' });
  await addDelivery(db, tenant, failed, { state: 'cancelled', mailTo: 'info4@x.jp' });
  await addDelivery(db, tenant, failed, { state: 'sent', mailTo: 'info4@x.jp', test: true });
  await addDelivery(db, tenant, dead, { state: 'failed', mailTo: 'info6@x.jp' });
  // Its failed mail went to an address that it no longer has.
  await addDelivery(db, tenant, mended, { state: 'failed', mailTo: 'old@x.jp' });
  await addDelivery(db, tenant, unwilling, { state: 'failed', mailTo: 'info9@x.jp' });
  const row = { account_id: tenant.accountId, kind: 'address', reason: 'test' };
  await db
    .insertInto('suppression')
    .values([
      { ...row, value: 'info5@x.jp' },
      { ...row, value: 'info6@x.jp' },
      { ...row, value: 'info9@x.jp' },
      { ...row, value: 'info9@x.jp', class: 'refused' },
    ])
    .execute();
  await archive([gone]);
  const live = (await list(tenant)).rows;
  expect(live.map(({ status }) => status)).toStrictEqual(wanted.filter((name) => name !== 'archived'));
  expect((await list(tenant, { status: 'archived' })).rows).toMatchObject([{ id: gone, status: 'archived' }]);
});
