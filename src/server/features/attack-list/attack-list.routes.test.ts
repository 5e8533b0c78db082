import { beforeAll, describe, expect, test } from 'vitest';
import { LEFT_OUT_REASONS } from '#domain/sending/eligibility.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeAll(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const companies = Array.from({ length: 12 }, () => ({ company_email: 'a@x.jp', address: '東京' }));
  await addProspects(database.db, tenant.accountId, [...companies, { address: '東京' }, {}]);
  client = await clientOf(database, tenant.accountId);
});

const preview = (query: string, as = client) =>
  as.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}${query}`);
const nobody = Object.fromEntries(LEFT_OUT_REASONS.map((reason) => [reason, 0]));

test('returns ten targets by default, and every reason with its count', async () => {
  const { status, body } = await preview(`&address=${encodeURIComponent('東京')}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ matched: 13, eligible: 12, left_out: { ...nobody, no_email: 1 } });
  expect((body as { rows: unknown[] }).rows).toHaveLength(10);
});

test('returns as many targets as requested', async () => {
  const { body } = await preview('&limit_count=50&days_from_lastday=30&sort=company_name&order=desc');
  expect((body as { rows: unknown[] }).rows).toHaveLength(12);
});

test.each([
  '&limit_count=7',
  '&limit_count=1001',
  '&limit_count=0',
  '&days_from_lastday=-1',
  '&days_from_lastday=3651',
  '&days_from_lastday=7.5',
  '&days_from_lastday=NaN',
  '&sort=identity_key',
  '&status=unsent',
])('%s is refused', async (query) => {
  expect((await preview(query)).status).toBe(400);
});

describe('GET /attack_list/left_out', () => {
  const leftOut = (query: string, as = client) =>
    as.get(`/attack_list/left_out?sender_group_id=${tenant.senderGroupId}${query}`);

  test('lists the companies of a reason, 50 a page by default', async () => {
    const { body } = await leftOut('&reason=no_email');
    expect(body).toMatchObject({ total: 2, rows: [{ company_email: '' }, { company_email: '' }] });
    expect(await leftOut('&reason=no_email&pagenate_count=20&pagenate_num=2')).toMatchObject({
      body: { total: 2, rows: [] },
    });
  });

  test.each([
    '',
    '&reason=eligible',
    '&reason=not_found',
    '&reason=no_email&limit_count=10',
    '&reason=no_email&pagenate_count=7',
  ])('refuses "%s"', async (query) => {
    expect((await leftOut(query)).status).toBe(400);
  });
});
