import { beforeAll, describe, expect, test } from 'vitest';
import { leaveBy, sendByBox } from '#test/box-sinks.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { leftOutCounts } from '#test/left-out-counts.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, profileOf, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let ids: number[];

beforeAll(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const companies = Array.from({ length: 12 }, () => ({ company_email: 'a@x.jp', address: '東京' }));
  ids = await addProspects(database.db, tenant.accountId, [...companies, { address: '東京' }, {}]);
  client = await clientOf(database, tenant.accountId);
});

const preview = (query: string, as = client) =>
  as.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}${query}`);

test('returns ten targets by default, and every reason with its count', async () => {
  const { status, body } = await preview(`&address=${encodeURIComponent('東京')}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ matched: 13, eligible: 12, left_out: leftOutCounts({ no_email: 1 }) });
  expect((body as { rows: unknown[] }).rows).toHaveLength(10);
});

test('returns as many targets as requested', async () => {
  const { body } = await preview('&limit_count=50&days_from_lastday=30&sort=company_name&order=desc');
  expect((body as { rows: unknown[] }).rows).toHaveLength(12);
});

describe('the rules of the account', () => {
  const change = (update_info: object) => client.put('/account_rule', { update_info });
  const found = async (query = '') =>
    (await preview(query)).body as { domain_rule?: object; plan?: { day: string; mails: number }[]; rows: unknown[] };

  test('say nothing of an account that has none', async () => {
    const { domain_rule, plan } = await found(`&sender_id=${tenant.senderId}`);
    expect([domain_rule, plan]).toStrictEqual([undefined, undefined]);
  });

  test('plan the mails of a sender by the limits of the day; companies over the limit of a domain get none', async () => {
    const sender = `&limit_count=50&sender_id=${tenant.senderId}`;
    const days = async (query: string) => (await found(query)).plan?.map(({ mails }) => mails);
    await addProspects(
      database.db,
      tenant.accountId,
      ['b', 'c', 'd', 'e'].map((name) => ({ company_email: `${name}@y.jp` })),
    );
    await change({ per_day: 2 });
    // Twelve companies share one address.
    expect(await days(sender)).toStrictEqual([2, 2, 1]);
    expect(await days('')).toBeUndefined();
    expect(await days(`&sender_id=${(await addTenant(database.db)).senderId}`)).toBeUndefined();
    await change({ per_domain: 3 });
    expect(await days(sender)).toStrictEqual([2, 2]);
    const { domain_rule, rows } = await found(sender);
    expect([domain_rule, rows.length]).toStrictEqual([{ per_domain: 3, shared_domains: [] }, 16]);
    await client.put(`/sender_limit/${await profileOf(database.db, tenant.senderId)}`, { update_info: { per_day: 1 } });
    expect(await days(sender)).toStrictEqual([1, 1, 1, 1]);
    await database.db.deleteFrom('sender_limit').execute();
    await database.db.deleteFrom('account_rule').execute();
    expect(await days(sender)).toBeUndefined();
    await sendByBox(database, tenant, 'mail.own.example', { per_day: 3 });
    expect(await days(sender)).toStrictEqual([3, 2]);
    await leaveBy(database, tenant, null, 'sender@example.com');
    await database.db.deleteFrom('prospect').where('company_email', 'like', '%@y.jp').execute();
  });

  test('plan a reservation from its time on, behind those that begin before', async () => {
    const at = (clock: string) => Date.parse(`${clock}+09:00`);
    const monday = await clientOf(database, tenant.accountId, () => at('2026-11-30T09:00:00'));
    const emails = ['b', 'c', 'd', 'e'].map((name) => ({ company_email: `${name}@y.jp` }));
    const [, , ...reserved] = await addProspects(database.db, tenant.accountId, emails);
    await addReservation(database.db, tenant, reserved, { sendAt: new Date(at('2026-12-01T08:00:00')) });
    await change({ per_day: 2 });
    const planned = async (sendAt: string) =>
      ((await preview(`&limit_count=50&sender_id=${tenant.senderId}${sendAt}`, monday)).body as { plan: object[] })
        .plan;
    expect(await planned('')).toStrictEqual([
      { day: '2026-11-30', mails: 2 },
      { day: '2026-12-01', mails: 1 },
    ]);
    expect(await planned('&send_at=2026/12/01 09:00:00')).toStrictEqual([
      { day: '2026-12-02', mails: 2 },
      { day: '2026-12-03', mails: 1 },
    ]);
    for (const table of ['account_rule', 'reservation_target', 'reservation'] as const)
      await database.db.deleteFrom(table).execute();
    await database.db.deleteFrom('prospect').where('company_email', 'like', '%@y.jp').execute();
  });
});

test.each([
  '&sender_id=0',
  '&limit_count=7',
  '&limit_count=1001',
  '&limit_count=0',
  '&days_from_lastday=-1',
  '&days_from_lastday=3651',
  '&days_from_lastday=7.5',
  '&days_from_lastday=NaN',
  '&sort=identity_key',
  '&status=archived',
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

/** Whoever is left out of these lists stands in `left_out`. */
describe('companies chosen one by one', () => {
  const chosen = (...of: readonly (number | string | undefined)[]) => `&prospect_ids=${of.join()}`;
  const leftOut = (query: string) =>
    client.get(`/attack_list/left_out?sender_group_id=${tenant.senderGroupId}&reason=no_email${query}`);
  const idsOf = ({ body }: { body: unknown }) =>
    (body as { rows: { prospect_id: number }[] }).rows.map(({ prospect_id }) => prospect_id);

  test('stand in the order of the choice; filters, order and limit_count do not apply', async () => {
    const wanted = [ids[11], ids[3], ids[0]];
    const other = `&address=${encodeURIComponent('大阪')}&status=sent&sort=company_name&order=desc&limit_count=1`;
    const answer = await preview(chosen(...wanted) + other);
    expect(answer).toMatchObject({ status: 200, body: { matched: 3, eligible: 3, left_out: leftOutCounts() } });
    expect(idsOf(answer)).toStrictEqual(wanted);
  });

  test('are left out by the same rules, and named in that order', async () => {
    const [eligible, ...others] = [ids[4], ids[13], ids[12]];
    const answer = await preview(chosen(others[0], eligible, others[1]));
    expect(answer.body).toMatchObject({ matched: 3, eligible: 1, left_out: leftOutCounts({ no_email: 2 }) });
    expect(idsOf(answer)).toStrictEqual([eligible]);
    const named = await leftOut(chosen(others[0], eligible, others[1]));
    expect([named.body, idsOf(named)]).toMatchObject([{ total: 2 }, others]);
    expect(await leftOut(`${chosen(...ids)}&pagenate_count=20&pagenate_num=2`)).toMatchObject({
      body: { total: 2, rows: [] },
    });
  });

  test('bad-inputs 49, 51: are not counted where no list has them, and once where they are named twice', async () => {
    const stranger = await addTenant(database.db);
    const [foreign] = await addProspects(database.db, stranger.accountId, [{ company_email: 'a@x.jp' }]);
    const [archived] = await addProspects(database.db, tenant.accountId, [
      { company_email: 'a@x.jp', archived_at: new Date() },
    ]);
    const answer = await preview(chosen(foreign, ids[1], archived, ids[1], 987_654_321, 2 ** 53 - 1));
    expect(answer.body).toMatchObject({ matched: 1, eligible: 1, left_out: leftOutCounts() });
    expect(idsOf(answer)).toStrictEqual([ids[1]]);
    const ofStranger = `/attack_list/preview?sender_group_id=${stranger.senderGroupId}${chosen(ids[1])}`;
    expect((await client.get(ofStranger)).body).toMatchObject({ rows: [], matched: 0 });
  });

  test.each([
    ['21: 0', '0'],
    ['22: -1', '-1'],
    ['23: 1.5', '1.5'],
    ['24: 1e3', '1e3'],
    ['26: too large', '9223372036854775808'],
    ['27: full-width', '１'],
    ['28: SQL', '1 OR 1=1'],
    ['29: a list', '1&prospect_ids=2'],
    ['29: a list in brackets', '1&prospect_ids[]=2'],
    ['52: none, which must not mean all', ''],
    ['52: a blank one', '1,,2'],
    ['50: 201', Array.from({ length: 201 }, (_, n) => n + 1).join()],
    ['50: 500 of the longest', Array.from({ length: 500 }, () => 2 ** 53 - 1).join()],
  ])('bad-inputs %s', async (_name, written) => {
    for (const ask of [preview, leftOut]) {
      expect(await ask(`&prospect_ids=${encodeURI(written)}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_input' },
      });
    }
  });

  test('may be 200', async () => {
    const many = Array.from({ length: 200 }, (_, n) => 2 ** 53 - 1 - n);
    expect(await preview(chosen(...many))).toMatchObject({ status: 200, body: { matched: 0 } });
    expect(await preview(chosen(...many, 1))).toMatchObject({
      body: { details: [{ path: 'prospect_ids', message: '選べる会社は200社までです' }] },
    });
  });
});
