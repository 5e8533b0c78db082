import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';

import { SORT_COLUMNS, type SortColumn } from '#contract/companies/prospects-filter.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addContact, addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addProspects, addSender, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import type { CheckedFilter } from './list/own-condition.queries.ts';
import { type ProspectPage, viewProspects } from './prospects.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const tokyo = (text: string) => new Date(`${text}+09:00`);

const list = (scope: Tenant, page: Partial<ProspectPage> = {}) =>
  viewProspects(database.account(scope.accountId), scope.senderGroupId, {
    filter: {},
    sort: {},
    offset: 0,
    limit: 20,
    ...page,
  });

/** The names of the page, in its order. */
const names = async (scope: Tenant, page: Partial<ProspectPage> = {}) =>
  (await list(scope, page)).rows.map((row) => row.company_name);

describe('the view of one company', () => {
  test('of which nothing is known', async () => {
    const fresh = await addTenant(database.db);
    const [id] = await addProspects(database.db, fresh.accountId, [{ company_name: '株式会社新' }]);
    const blank = { company_email: null, ceo: null, address: null, company_url: null, contact_url: null, phone: null };
    const unknown = { number_of_employees: null, amount_of_sales: null, ordinary_profit: null, capital: null };
    const evidence = { published_at_url: null, published_seen_on: null, publication_notice: null };
    expect(await list(fresh)).toMatchObject({
      total: 1,
      rows: [
        {
          id,
          company_name: '株式会社新',
          ...blank,
          ...evidence,
          ...unknown,
          year_of_establishment: null,
          major_industry_type: null,
          included_industry_type: null,
          active: 1,
          status: 'unsent',
          remarks: '',
          sent_at: null,
          send_at: null,
          reservation_id: null,
        },
      ],
    });
  });

  test('with all that happened in the group, and nothing of other groups, tests and past reservations', async () => {
    const { db } = database;
    const fresh = await addTenant(db);
    const elsewhere = { ...fresh, senderGroupId: await addSenderGroup(db, fresh.accountId) };
    const [id = 0] = await addProspects(db, fresh.accountId, [{ amount_of_sales: 9_000_000_000_000 }]);
    await db
      .insertInto('active_prospect')
      .values({
        account_id: fresh.accountId,
        sender_group_id: fresh.senderGroupId,
        prospect_id: id,
        active: false,
        remarks: 'お断り',
      })
      .execute();
    await addContact(db, fresh, id, tokyo('2026-11-01T00:30:59'));
    await addReservation(db, fresh, [id], { sendAt: tokyo('2026-10-01T09:00:00'), pending: false });
    await addReservation(db, fresh, [id], { sendAt: tokyo('2026-12-02T09:00:00'), test: true });
    const reservation_id = await addReservation(db, fresh, [id], { sendAt: tokyo('2026-12-01T09:15:00') });
    expect((await list(fresh)).rows).toMatchObject([
      {
        id,
        amount_of_sales: 9_000_000_000_000,
        active: 0,
        remarks: 'お断り',
        sent_at: '2026/11/01 00:30',
        send_at: '2026/12/01 09:15',
        reservation_id,
      },
    ]);
    expect((await list(elsewhere)).rows).toMatchObject([
      { id, active: 1, remarks: '', sent_at: null, send_at: null, reservation_id: null },
    ]);
  });

  test('nothing of other accounts', async () => {
    const fresh = await addTenant(database.db);
    await addProspects(database.db, (await addTenant(database.db)).accountId, [{ major_industry_type: '建設' }]);
    expect(await list(fresh)).toStrictEqual({ rows: [], total: 0 });
    expect(await list(fresh, { filter: { major_industry_type: '建設' } })).toStrictEqual({ rows: [], total: 0 });
  });
});

describe('filters', () => {
  beforeAll(async () => {
    await addProspects(database.db, tenant.accountId, [
      {
        company_name: 'A',
        major_industry_type: '製造業、ＩＴ',
        included_industry_type: 'ｿﾌﾄｳｪｱ',
        address: '東京都港区１－１',
        company_email: 'Info@A.example.jp',
        company_url: 'https://a.example.jp',
        amount_of_sales: 100,
        ordinary_profit: -5,
        number_of_employees: 10,
        year_of_establishment: 1990,
      },
      { company_name: 'B', major_industry_type: '建設', address: '大阪府100%_\\', contact_url: 'https://b.jp/contact' },
      { company_name: 'C', company_url: '', amount_of_sales: 200, company_email: 'sales@c.example.jp' },
    ]);
  });

  test.each<[CheckedFilter, string]>([
    [{}, 'ABC'],
    [{ major_industry_type: 'it' }, 'A'],
    [{ major_industry_type: '建設,IT' }, 'AB'],
    [{ major_industry_type: ' 、，' }, 'ABC'],
    [{ major_industry_type: '農業' }, ''],
    [{ included_industry_type: 'ソフト' }, 'A'],
    [{ address: '東京' }, 'A'],
    [{ address: '港区1-1、大阪' }, 'AB'],
    [{ address: '%' }, 'B'],
    [{ address: '_' }, 'B'],
    [{ address: '\\' }, 'B'],
    [{ address: '東京%港' }, ''],
    [{ address: "'; DROP TABLE prospect; --" }, ''],
    [{ company_email: 'INFO＠' }, 'A'],
    [{ company_email: 'example.jp' }, 'AC'],
    [{ has_company_url: 'yes' }, 'A'],
    [{ has_company_url: 'no' }, 'BC'],
    [{ has_contact_url: 'yes' }, 'B'],
    [{ has_contact_url: 'no' }, 'AC'],
    [{ has_company_email: 'yes' }, 'AC'],
    [{ has_company_email: 'no' }, 'B'],
    [{ amount_of_sales_from: 100 }, 'C'],
    [{ amount_of_sales_from: 99 }, 'AC'],
    [{ amount_of_sales_to: 200 }, 'A'],
    [{ amount_of_sales_from: 100, amount_of_sales_to: 200 }, ''],
    [{ ordinary_profit_from: -6, ordinary_profit_to: 0 }, 'A'],
    [{ number_of_employees_to: 11 }, 'A'],
    [{ year_of_establishment_from: 1989, year_of_establishment_to: 1991 }, 'A'],
    [{ year_of_establishment_to: Number.MAX_SAFE_INTEGER }, 'A'],
    [{ address: '東京', amount_of_sales_from: 100 }, ''],
    [{ address: '東京', has_company_url: 'yes', amount_of_sales_to: 101 }, 'A'],
  ])('%j lets %j through', async (filter, expected) => {
    const { rows, total } = await list(tenant, { filter });
    expect(rows.map((row) => row.company_name).join('')).toBe(expected);
    expect(total).toBe(expected.length);
  });
});

describe('order, status and pages', () => {
  let fresh: Tenant;
  beforeAll(async () => {
    const { db } = database;
    fresh = await addTenant(db);
    const [a = 0, b = 0, c = 0, d = 0] = await addProspects(db, fresh.accountId, [
      { company_name: 'd', amount_of_sales: 5, address: 'x' },
      { company_name: 'c', amount_of_sales: null, address: null },
      { company_name: 'b', amount_of_sales: -1, address: '' },
      { company_name: 'a', amount_of_sales: 5, address: 'y' },
    ]);
    const key = { account_id: fresh.accountId, sender_group_id: fresh.senderGroupId };
    await db
      .insertInto('active_prospect')
      .values([
        { ...key, prospect_id: a, active: false, remarks: 'ん' },
        { ...key, prospect_id: b, active: true, remarks: 'あ' },
        { ...key, prospect_id: c, active: false, remarks: '' },
      ])
      .execute();
    await addContact(db, fresh, b, tokyo('2026-11-02T00:00:00'));
    await addContact(db, fresh, d, tokyo('2026-11-01T00:00:00'));
    await addReservation(db, fresh, [a], { sendAt: tokyo('2026-12-02T09:00:00') });
    await addReservation(db, fresh, [d], { sendAt: tokyo('2026-12-01T09:00:00') });
    await addReservation(db, fresh, [c], { sendAt: tokyo('2026-12-01T09:00:00'), test: true });
  });

  test.each<[SortColumn | undefined, string, string]>([
    [undefined, 'dcba', 'dcba'],
    ['company_name', 'abcd', 'dcba'],
    ['amount_of_sales', 'bdac', 'adbc'],
    ['address', 'dacb', 'adcb'],
    ['capital', 'dcba', 'dcba'],
    ['active', 'dbca', 'acbd'],
    ['remarks', 'cdba', 'dcba'],
    ['sent_at', 'acdb', 'cadb'],
    ['send_at', 'adcb', 'dacb'],
  ])('by %s, whole and in pages', async (sort, ascending, descending) => {
    for (const [order, expected] of [
      ['asc', ascending],
      ['desc', descending],
    ] as const) {
      expect((await names(fresh, { sort: { sort, order } })).join('')).toBe(expected);
      for (const limit of [1, 2, 3]) {
        let joined = '';
        for (let offset = 0; offset < 7; offset += limit) {
          joined += (await names(fresh, { sort: { sort, order }, offset, limit })).join('');
        }
        expect(joined).toBe(expected);
      }
    }
  });

  test.each([
    [undefined, 'dcba'],
    ['unsent', 'db'],
    ['sent', 'ca'],
    ['reserved', 'da'],
  ] as const)('status %s', async (status, expected) => {
    const { rows, total } = await list(fresh, { status });
    expect(rows.map((row) => row.company_name).join('')).toBe(expected);
    expect(total).toBe(expected.length);
  });

  test('a status and a sort that read the same table', async () => {
    expect(await names(fresh, { status: 'sent', sort: { sort: 'sent_at', order: 'desc' } })).toStrictEqual(['c', 'a']);
    expect(await names(fresh, { status: 'unsent', sort: { sort: 'sent_at' } })).toStrictEqual(['d', 'b']);
  });

  test('the total is that of all pages, also beyond the last', async () => {
    expect(await list(fresh, { offset: 3, limit: 2 })).toMatchObject({ rows: [{ company_name: 'a' }], total: 4 });
    expect(await list(fresh, { offset: 100 })).toStrictEqual({ rows: [], total: 4 });
  });
});

describe('companies of reservations', () => {
  let fresh: Tenant;
  let real: number;
  let test1: number;
  let otherSenders: number;
  beforeAll(async () => {
    const { db } = database;
    fresh = await addTenant(db);
    const [a = 0, b = 0, c = 0, d = 0] = await addProspects(
      db,
      fresh.accountId,
      ['a', 'b', 'c', 'd', 'e'].map((company_name) => ({
        company_name,
        address: company_name === 'b' ? '東京' : null,
      })),
    );
    const other = { ...fresh, senderId: await addSender(db, fresh) };
    test1 = await addReservation(db, fresh, [a, b], { sendAt: tokyo('2026-12-01T09:00:00'), test: true });
    real = await addReservation(db, fresh, [b, c], { sendAt: tokyo('2026-12-03T09:00:00') });
    otherSenders = await addReservation(db, other, [a, d], { sendAt: tokyo('2026-12-02T09:00:00') });
    await addReservation(db, fresh, [d], { sendAt: tokyo('2026-12-04T09:00:00'), pending: false });
  });

  const shown = async (page: Partial<ProspectPage>, scope = fresh) => {
    const { rows, total } = await list(scope, page);
    return [total, rows.map((row) => `${row.company_name} ${row.send_at} ${row.reservation_id}`)];
  };

  test('of one reservation, with its time, be it a test or real', async () => {
    expect(await shown({ reservations: { reservationId: test1 } })).toStrictEqual([
      2,
      [`a 2026/12/01 09:00 ${test1}`, `b 2026/12/01 09:00 ${test1}`],
    ]);
    expect(await shown({ reservations: { reservationId: real } })).toStrictEqual([
      2,
      [`b 2026/12/03 09:00 ${real}`, `c 2026/12/03 09:00 ${real}`],
    ]);
  });

  test('of one sender, each once: with the real reservation before a test', async () => {
    expect(await shown({ reservations: { senderId: fresh.senderId } })).toStrictEqual([
      3,
      [`a 2026/12/01 09:00 ${test1}`, `b 2026/12/03 09:00 ${real}`, `c 2026/12/03 09:00 ${real}`],
    ]);
    expect(await shown({ reservations: { senderId: fresh.senderId, reservationId: otherSenders } })).toStrictEqual([
      0,
      [],
    ]);
  });

  test('filtered, in pages, and sorted by the time that is shown', async () => {
    const reservations = { senderId: fresh.senderId };
    const inOrder = async (page: Partial<ProspectPage>) => (await names(fresh, { reservations, ...page })).join('');
    expect(await inOrder({ filter: { address: '東京' } })).toBe('b');
    expect(await inOrder({ status: 'reserved' })).toBe('abc');
    expect(await inOrder({ sort: { sort: 'company_name', order: 'desc' } })).toBe('cba');
    expect(await inOrder({ sort: { sort: 'send_at' } })).toBe('abc');
    expect(await inOrder({ sort: { sort: 'send_at', order: 'desc' } })).toBe('cba');
    expect(await inOrder({ sort: { sort: 'send_at', order: 'desc' }, offset: 1, limit: 1 })).toBe('b');
    expect(await list(fresh, { reservations, limit: 1 })).toMatchObject({ total: 3, rows: [{ company_name: 'a' }] });
  });

  test('nothing of other accounts and groups, ids that cannot be included', async () => {
    const stranger = await addTenant(database.db);
    const elsewhere = { ...fresh, senderGroupId: await addSenderGroup(database.db, fresh.accountId) };
    const reservations = { reservationId: real };
    expect(await shown({ reservations }, stranger)).toStrictEqual([0, []]);
    expect(await shown({ reservations }, { ...stranger, senderGroupId: fresh.senderGroupId })).toStrictEqual([0, []]);
    expect(await shown({ reservations }, elsewhere)).toStrictEqual([0, []]);
    const ids = { senderId: Number.MAX_SAFE_INTEGER, reservationId: Number.MAX_SAFE_INTEGER };
    expect(await shown({ reservations: ids })).toStrictEqual([0, []]);
  });
});

describe('a list too long to be carried by id', () => {
  let fresh: Tenant;
  beforeAll(async () => {
    fresh = await addTenant(database.db);
    const { db } = database;
    await addManyProspects(db, fresh.accountId, 2600);
    const own = { account_id: fresh.accountId, sender_group_id: fresh.senderGroupId };
    const { rows } = await list(fresh, { limit: 4 });
    const [first = 0, second = 0, third = 0, fourth = 0] = rows.map(({ id }) => id);
    await db
      .insertInto('active_prospect')
      .values([
        { ...own, prospect_id: first, active: false, remarks: 'い' },
        { ...own, prospect_id: third, active: false, remarks: 'あ' },
      ])
      .execute();
    await addContact(db, fresh, second, tokyo('2026-11-02T00:00:00'));
    await addReservation(db, fresh, [fourth, third], { sendAt: tokyo('2026-12-02T09:00:00') });
  });

  test('in its order, whole and cut', async () => {
    const sort = { sort: 'amount_of_sales', order: 'desc' } as const;
    const sales = async (filter: CheckedFilter, page: Partial<ProspectPage>) => {
      const { rows, total } = await list(fresh, { filter, sort, limit: 2, ...page });
      return [total, rows.map((row) => row.amount_of_sales)];
    };
    expect(await sales({ address: '東京' }, { offset: 0 })).toStrictEqual([2600, [2600, 2599]]);
    expect(await sales({ address: '東京' }, { offset: 2598 })).toStrictEqual([2600, [2, 1]]);
    expect(await sales({ address: '東京' }, { offset: 2598, sort: {} })).toStrictEqual([2600, [2599, 2600]]);
    // The last that are still carried by id, and one more.
    expect(await sales({ amount_of_sales_from: 600 }, { offset: 1998 })).toStrictEqual([2000, [602, 601]]);
    expect(await sales({ amount_of_sales_from: 599 }, { offset: 1999 })).toStrictEqual([2001, [601, 600]]);
    // Filter and order against each other, and with it.
    const rising = { sort: 'amount_of_sales', order: 'asc' } as const;
    expect(await sales({ amount_of_sales_from: 599 }, { offset: 0, sort: rising })).toStrictEqual([2001, [600, 601]]);
    expect(await sales({ amount_of_sales_from: 599 }, { offset: 1 })).toStrictEqual([2001, [2599, 2598]]);
    // Met on the way, among others.
    const fives = Array.from({ length: 2600 }, (_, at) => at + 1).filter((n) => String(n).includes('5'));
    expect(await sales({ company_email: '5' }, { offset: 0, sort: rising })).toStrictEqual([fives.length, [5, 15]]);
    expect(await sales({ address: '東京' }, { status: 'unsent', offset: 2598 })).toStrictEqual([2599, [1]]);
    expect(await sales({ address: '東京' }, { status: 'sent', offset: 0 })).toStrictEqual([1, [2]]);
  });

  test.each(SORT_COLUMNS)('found by a filter it is in the same order by %s as without one', async (sort) => {
    for (const order of ['asc', 'desc'] as const) {
      // In the second half the list without a filter is read from its end.
      for (const offset of [0, 1, 1299, 1301, 2598]) {
        const page = { sort: { sort, order }, offset, limit: 4 };
        const whole = await list(fresh, page);
        // By the second the scan brings along what some of the orders ask for (keyOfSort).
        for (const filter of [{ address: '東京' }, { company_email: '@x', amount_of_sales_from: 0 }]) {
          expect(await list(fresh, { ...page, filter })).toStrictEqual(whole);
        }
      }
    }
  });
});

test('a filtered page that reaches from the values into the blanks is full', async () => {
  const fresh = await addTenant(database.db);
  await addManyProspects(database.db, fresh.accountId, 10_000, 1, { sales: sql`CASE WHEN n <= 150 THEN n END` });
  // Frequent enough for a walk, which ends with the 150 values and leaves the page to the scan.
  const page = { filter: { address: '東京' }, sort: { sort: 'amount_of_sales' as const }, limit: 160 };
  const { rows, total } = await list(fresh, page);
  const first = Array.from({ length: 160 }, (_, at) => `会社${at + 1}`);
  expect([total, rows.map((row) => row.company_name)]).toStrictEqual([10_000, first]);
});
