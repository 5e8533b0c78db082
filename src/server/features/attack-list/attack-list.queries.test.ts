import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SENDING_STATUSES } from '#contract/companies/prospects.ts';
import type { OwnFilter, ProspectFilter } from '#contract/companies/prospects-filter.ts';
import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import { emptyDatabase } from '#test/db.ts';
import { leftOutCounts } from '#test/left-out-counts.ts';
import { addContact, addDelivery, addRejection, addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addProspects, addTenant } from '#test/prospects.ts';
import { viewProspects } from '../prospects/prospects.queries.ts';
import { listLeftOut, previewAttackList } from './attack-list.queries.ts';

const now = Date.UTC(2026, 10, 20, 3);
const DAY = 24 * 60 * 60 * 1000;
const settings = { filter: {}, sort: {}, daysFromLastday: 7, limit: 10 };

test('returns the eligible targets in list order, and counts every other company under one reason', async () => {
  const { db, account } = await emptyDatabase();
  const tenant = await addTenant(db);
  const company = (company_name: string, more: object = {}) => ({ company_name, company_email: 'a@x.jp', ...more });
  const ids = await addProspects(db, tenant.accountId, [
    company('新規', { ceo: '山田太郎', amount_of_sales: 1 }),
    company('8日前', { amount_of_sales: 3 }),
    company('6日前'),
    company('停止'),
    company('アドレスなし', { company_email: null }),
    company('配信停止', { company_email: 'stop@y.jp' }),
    company('予約中'),
    company('連絡不明'),
    company('東京', { address: '東京', amount_of_sales: 2 }),
    company('お断り', { publication_notice: 'refused' }),
    company('返信あり'),
    company('確認待ち', { company_email: 'c@x.jp' }),
    company('同じ宛先', { company_email: 'Doubt@x.jp' }),
    company('拒否', { company_email: 'refused@z.jp' }),
  ]);
  const [
    fresh = 0,
    longAgo = 0,
    recent = 0,
    off = 0,
    ,
    ,
    reserved = 0,
    unknown = 0,
    tokyo = 0,
    ,
    answered = 0,
    doubtful = 0,
  ] = ids;
  await addContact(db, tenant, longAgo, new Date(now - 8 * DAY));
  await addContact(db, tenant, recent, new Date(now - 6 * DAY));
  await db
    .insertInto('active_prospect')
    .values({
      account_id: tenant.accountId,
      sender_group_id: tenant.senderGroupId,
      prospect_id: off,
      active: false,
      remarks: '',
    })
    .execute();
  await db
    .insertInto('suppression')
    .values({ account_id: tenant.accountId, kind: 'domain', value: 'y.jp', reason: 'test' })
    .execute();
  await db.insertInto('reply').values({ account_id: tenant.accountId, prospect_id: answered, kind: 'reply' }).execute();
  await db
    .insertInto('reply')
    .values({
      account_id: tenant.accountId,
      prospect_id: doubtful,
      kind: 'reply',
      doubted_address: 'doubt@x.jp',
    })
    .execute();
  await addReservation(db, tenant, [reserved], { sendAt: new Date(now + DAY) });
  await addDelivery(db, tenant, unknown, { state: 'unknown' });
  await addRejection(db, tenant, 'refused@z.jp', { at: new Date(now - DAY) });
  // No count includes another account's companies.
  await addProspects(db, (await addTenant(db)).accountId, [company('他社')]);

  const left_out = leftOutCounts({
    inactive: 1,
    no_email: 1,
    suppressed: 1,
    maybe_refused: 2,
    replied: 1,
    refused_by_notice: 1,
    reserved: 1,
    open_delivery: 1,
    rejected: 1,
    recently_sent: 1,
  });
  const preview = await previewAttackList(account(tenant.accountId), tenant.senderGroupId, settings, now);
  expect(preview).toStrictEqual({
    rows: [
      {
        prospect_id: fresh,
        company_name: '新規',
        company_email: 'a@x.jp',
        person_in_charge: '山田太郎',
        sent_at: null,
        person: null,
      },
      {
        prospect_id: longAgo,
        company_name: '8日前',
        company_email: 'a@x.jp',
        person_in_charge: '',
        sent_at: '2026/11/12 12:00',
        person: null,
      },
      {
        prospect_id: tokyo,
        company_name: '東京',
        company_email: 'a@x.jp',
        person_in_charge: '',
        sent_at: null,
        person: null,
      },
    ],
    matched: 14,
    eligible: 3,
    left_out,
  });

  const cut = { ...settings, limit: 1, sort: { sort: 'amount_of_sales', order: 'desc' } } as const;
  const { rows, eligible } = await previewAttackList(account(tenant.accountId), tenant.senderGroupId, cut, now);
  expect([rows.map((row) => row.prospect_id), eligible]).toStrictEqual([[longAgo], 3]);

  const sooner = await previewAttackList(
    account(tenant.accountId),
    tenant.senderGroupId,
    { ...settings, daysFromLastday: 5 },
    now,
  );
  expect(sooner).toMatchObject({ eligible: 4, left_out: { ...left_out, recently_sent: 0 } });

  // The left-out list of each reason has as many companies as its count.
  const page = { ...settings, offset: 0 };
  for (const reason of LEFT_OUT_REASONS) {
    const { rows: behind } = await listLeftOut(
      account(tenant.accountId),
      tenant.senderGroupId,
      { ...page, reason },
      now,
    );
    const names: Partial<Record<LeftOutReason, string[]>> = {
      inactive: ['停止'],
      no_email: ['アドレスなし'],
      suppressed: ['配信停止'],
      maybe_refused: ['確認待ち', '同じ宛先'],
      replied: ['返信あり'],
      refused_by_notice: ['お断り'],
      reserved: ['予約中'],
      open_delivery: ['連絡不明'],
      rejected: ['拒否'],
      recently_sent: ['6日前'],
    };
    expect([reason, behind.map(({ company_name }) => company_name)]).toStrictEqual([reason, names[reason] ?? []]);
  }

  const filtered = await previewAttackList(
    account(tenant.accountId),
    tenant.senderGroupId,
    { ...settings, filter: { address: '東京' } },
    now,
  );
  expect(filtered).toMatchObject({ rows: [{ prospect_id: tokyo }], matched: 1, eligible: 1 });
  expect(new Set(Object.values(filtered.left_out))).toStrictEqual(new Set([0]));
});

test('reads a list that is too long to be fetched by id', async () => {
  const { db, account } = await emptyDatabase();
  const tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, 10_100);
  const [recent = 0] = await addProspects(db, tenant.accountId, [{ company_email: 'stop@y.jp' }]);
  await addContact(db, tenant, recent, new Date(now));
  const entry = { kind: 'domain', value: 'y.jp', reason: 'test' };
  await db
    .insertInto('suppression')
    .values({ ...entry, account_id: tenant.accountId })
    .execute();
  const sort = { sort: 'amount_of_sales', order: 'desc' } as const;
  const preview = await previewAttackList(
    account(tenant.accountId),
    tenant.senderGroupId,
    { ...settings, sort, limit: 1 },
    now,
  );
  expect(preview).toMatchObject({ matched: 10_101, eligible: 10_100, left_out: { suppressed: 1, recently_sent: 0 } });
  expect(preview.rows.map((row) => row.company_name)).toStrictEqual(['会社10100']);
});

test('lists the companies of a reason, each under its first one, filtered, sorted and paged', async () => {
  const { db, account } = await emptyDatabase();
  const tenant = await addTenant(db);
  const ids = await addProspects(db, tenant.accountId, [
    { company_name: 'い', company_email: 'i@x.jp', address: '東京', ceo: '山田' },
    { company_name: 'あ', company_email: 'a@x.jp', address: '東京' },
    { company_name: 'え', company_email: 'e@x.jp', address: '大阪' },
    { company_name: 'う', company_email: 'u@x.jp', address: '東京' },
  ]);
  for (const id of ids) await addContact(db, tenant, id, new Date(now));
  await addDelivery(db, tenant, ids[3] ?? 0, { state: 'unknown' });
  const list = async (change: object) => {
    const page = { ...settings, reason: 'recently_sent', offset: 0, ...change } as const;
    const { rows, total } = await listLeftOut(account(tenant.accountId), tenant.senderGroupId, page, now);
    return [rows.map(({ company_name }) => company_name).join(''), total];
  };
  expect(await list({})).toStrictEqual(['いあえ', 3]);
  expect(await list({ reason: 'open_delivery' })).toStrictEqual(['う', 1]);
  expect(await list({ reason: 'no_email' })).toStrictEqual(['', 0]);
  expect(await list({ filter: { address: '東京' } })).toStrictEqual(['いあ', 2]);
  const sorted = { sort: { sort: 'company_name', order: 'desc' } };
  expect(await list(sorted)).toStrictEqual(['えいあ', 3]);
  expect(await list({ ...sorted, limit: 2, offset: 2 })).toStrictEqual(['あ', 3]);

  await addManyProspects(db, tenant.accountId, 10_100, 1, { email: sql`NULL` });
  const many = { reason: 'no_email', sort: { sort: 'amount_of_sales', order: 'desc' }, limit: 2, offset: 1 };
  expect(await list(many)).toStrictEqual(['会社10099会社10098', 10_100]);
});

/** One value of each filter. */
const EACH_FILTER: Required<Omit<ProspectFilter, 'has_primary_email' | keyof OwnFilter>> = {
  search: '見本',
  major_industry_type: '製造',
  included_industry_type: '板金',
  address: '東京',
  company_email: 'a@',
  has_company_url: 'yes',
  has_contact_url: 'no',
  has_company_email: 'yes',
  amount_of_sales_from: 10,
  amount_of_sales_to: 20,
  ordinary_profit_from: 10,
  ordinary_profit_to: 20,
  number_of_employees_from: 10,
  number_of_employees_to: 20,
  year_of_establishment_from: 1980,
  year_of_establishment_to: 1990,
};

test('each condition of the list finds the companies of its attack list, listed or left out', async () => {
  const { db, account } = await emptyDatabase();
  const tenant = await addTenant(db);
  const found = {
    company_name: '株式会社見本',
    major_industry_type: '製造業',
    included_industry_type: '板金',
    address: '東京都',
    company_email: 'a@x.jp',
    company_url: 'https://x.jp/',
    amount_of_sales: 15,
    ordinary_profit: 15,
    number_of_employees: 15,
    year_of_establishment: 1985,
  };
  const other = { company_name: '他社', company_email: null, contact_url: 'https://y.jp/' };
  // Two of each status, in its order.
  const ids = await addProspects(
    db,
    tenant.accountId,
    [1, 2, 3, 4].flatMap((n) => [{ ...found, company_email: `a@${n}.jp` }, { ...other }]),
  );
  for (const id of ids.slice(2, 4)) await addContact(db, tenant, id, new Date(now - 30 * DAY));
  await addReservation(db, tenant, ids.slice(4, 6), { sendAt: new Date(now + DAY) });
  for (const prospect_id of ids.slice(6)) {
    await db.insertInto('reply').values({ account_id: tenant.accountId, prospect_id, kind: 'reply' }).execute();
  }
  const own = account(tenant.accountId);
  const { senderGroupId } = tenant;
  const filters = [{}, ...Object.entries(EACH_FILTER).map(([name, value]) => ({ [name]: value }))];
  for (const status of [undefined, ...SENDING_STATUSES]) {
    for (const filter of filters) {
      const condition = { ...settings, filter, status, limit: 1000 };
      const { rows } = await viewProspects(own, senderGroupId, { filter, status, sort: {}, offset: 0, limit: 200 });
      const preview = await previewAttackList(own, senderGroupId, condition, now);
      const leftOut = LEFT_OUT_REASONS.map((reason) =>
        listLeftOut(own, senderGroupId, { ...condition, reason, offset: 0 }, now),
      );
      const listed = [...preview.rows, ...(await Promise.all(leftOut)).flatMap((page) => page.rows)];
      const told = JSON.stringify({ status, filter });
      expect([told, preview.matched, listed.map((row) => row.prospect_id).sort((a, b) => a - b)]).toStrictEqual([
        told,
        rows.length,
        rows.map(({ id }) => id),
      ]);
      const isWhole = status === undefined && Object.keys(filter).length === 0;
      const fits = (count: number) => count > 0 && (isWhole ? count === ids.length : count < ids.length);
      expect([told, rows.length]).toStrictEqual([told, expect.toSatisfy(fits)]);
    }
  }
});
