import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let stranger: Tenant;
let prospectId: number;
let client: Client;
let asStranger: Client;

beforeAll(async () => {
  database = await emptyDatabase();
  const { db } = database;
  tenant = await addTenant(db);
  stranger = await addTenant(db);
  [prospectId = 0] = await addProspects(db, tenant.accountId, [{ company_name: '株式会社A', amount_of_sales: 1 }]);
  client = await clientOf(database, tenant.accountId);
  asStranger = await clientOf(database, stranger.accountId);
});

describe('GET /prospect/view', () => {
  const view = (query: string, as = client) => as.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}${query}`);

  test('answers a page and the total', async () => {
    const { status, body } = await view('');
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 1, rows: [{ id: prospectId, company_name: '株式会社A', active: 1 }] });
  });

  test('takes filters, sort and page as written in a query', async () => {
    expect((await view('&amount_of_sales_from=0&amount_of_sales_to=2&sort=capital&order=desc')).body).toMatchObject({
      total: 1,
    });
    expect((await view('&amount_of_sales_from=1')).body).toStrictEqual({ rows: [], total: 0 });
    expect((await view('&pagenate_num=2&pagenate_count=20')).body).toStrictEqual({ rows: [], total: 1 });
    expect((await view('&pagenate_num=1000000&pagenate_count=200')).body).toStrictEqual({ rows: [], total: 1 });
  });

  test('takes a sender or a reservation whose companies are wanted', async () => {
    const sendAt = new Date('2026-12-01T09:00:00+09:00');
    const reservation_id = await addReservation(database.db, tenant, [prospectId], { sendAt, test: true });
    const rows = [{ id: prospectId, send_at: '2026/12/01 09:00', reservation_id }];
    expect((await view(`&reservation_id=${reservation_id}`)).body).toMatchObject({ total: 1, rows });
    expect((await view(`&sender_id=${tenant.senderId}&sort=send_at`)).body).toMatchObject({ total: 1, rows });
    expect((await view(`&reservation_id=${reservation_id + 1}`)).body).toStrictEqual({ rows: [], total: 0 });
  });

  test("a group that is not the account's is empty", async () => {
    expect(await view('', asStranger)).toStrictEqual({ status: 200, body: { rows: [], total: 0 } });
    for (const id of ['2147483647', '2147483648', '9007199254740991']) {
      const answer = await client.get(`/prospect/view?sender_group_id=${id}`);
      expect(answer).toStrictEqual({ status: 200, body: { rows: [], total: 0 } });
    }
  });

  test.each([
    '&sort=password_hash',
    '&sort=id;drop table',
    '&order=up',
    '&status=all',
    '&pagenate_count=7',
    '&pagenate_count=1e9',
    '&pagenate_num=0',
    '&pagenate_num=1000000000000',
    '&amount_of_sales_from=1e3',
    '&amount_of_sales_from=%EF%BC%91',
    '&amount_of_sales_from=99999999999999999999',
    '&amount_of_sales_from[]=1',
    '&has_company_url=maybe',
    '&address=%00',
    '&account_id=1',
    '&reservation_id=0',
    '&sender_id=1.5',
    '&sender_group_id=1',
  ])('%s is refused', async (query) => {
    const { status, body } = await view(query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ message: expect.any(String), code: 'invalid_input' });
  });

  test.each(['', '?sender_group_id=0', '?sender_group_id=-1', '?sender_group_id=1.5', '?sender_group_id=1 OR 1=1'])(
    'without a proper group (%j) is refused',
    async (query) => {
      expect((await client.get(`/prospect/view${encodeURI(query)}`)).status).toBe(400);
    },
  );
});

describe('POST /active_prospect/', () => {
  const save = (add: object, update: object = {}, as = client) =>
    as.post('/active_prospect/', {
      add_info: { prospect_id: prospectId, sender_group_id: tenant.senderGroupId, ...add },
      duplicate_key_update_info: update,
    });
  const seen = async () => {
    const { body } = await client.get(`/prospect/view?sender_group_id=${tenant.senderGroupId}`);
    return (body as { rows: { active: number; remarks: string }[] }).rows[0];
  };

  test('adds a row, then updates what is named and nothing else', async () => {
    expect(await save({ active: 0 }, { active: 0 })).toMatchObject({ status: 200, body: { status: 'added' } });
    expect(await seen()).toMatchObject({ active: 0, remarks: '' });
    expect(await save({ remarks: '備考' }, { remarks: '備考' })).toMatchObject({
      status: 200,
      body: { status: 'updated' },
    });
    expect(await seen()).toMatchObject({ active: 0, remarks: '備考' });
    await save({ active: 1 }, { active: 1 });
    expect(await seen()).toMatchObject({ active: 1, remarks: '備考' });
    expect((await save({ active: 0, remarks: '別' }, {})).body).toMatchObject({ status: 'updated' });
    expect(await seen()).toMatchObject({ active: 1, remarks: '備考' });
  });

  test('twenty at once leave one row', async () => {
    const [fresh = 0] = await addProspects(database.db, tenant.accountId, [{ company_name: '同時' }]);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => save({ prospect_id: fresh, active: 0 }, { active: 0 })),
    );
    const added = answers.filter(({ body }) => (body as { status: string }).status === 'added');
    expect([answers.length, added.length]).toStrictEqual([20, 1]);
  });

  test("what is not the account's is not found, and nothing is written", async () => {
    const [foreign = 0] = await addProspects(database.db, stranger.accountId, [{}]);
    const answers = await Promise.all([
      save({ active: 0 }, { active: 0 }, asStranger),
      save({ prospect_id: foreign, active: 0 }, { active: 0 }),
      save({ sender_group_id: stranger.senderGroupId, active: 0 }, { active: 0 }),
      save({ prospect_id: foreign, sender_group_id: stranger.senderGroupId }, {}),
      save({ prospect_id: 9_007_199_254_740_991 }),
      save({ sender_group_id: 2_147_483_648 }),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body).toMatchObject({ code: 'not_found' });
    }
    const rows = await database.db.selectFrom('active_prospect').select('prospect_id').execute();
    expect(rows.map((row) => row.prospect_id)).not.toContain(foreign);
  });

  test.each([
    { active: 2 },
    { active: '0' },
    { active: true },
    { active: null },
    { remarks: 'a\u0000' },
    { remarks: '\ud800' },
    { remarks: 'あ'.repeat(1001) },
    { prospect_id: '1' },
    { account_id: 1 },
    { sender_group_id: 0 },
  ])('%j is refused', async (add) => {
    expect((await save(add)).status).toBe(400);
  });
});
