import { beforeEach, describe, expect, test } from 'vitest';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addManyProspects, addProspects, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
});

describe('GET /prospect/list', () => {
  test('returns the fields of the specification and our own, and no others', async () => {
    const company = {
      company_name: '株式会社山田',
      company_email: 'info@a.example',
      ceo: '山田',
      year_of_establishment: 1991,
      address: '東京都',
      amount_of_sales: 9_000_000_000_000,
      capital: 1,
      number_of_employees: 0,
      ordinary_profit: -5,
      company_url: 'https://a.example',
      contact_url: null,
      major_industry_type: '製造',
      included_industry_type: '機械,金属',
      corporate_number: '7000012050002',
      phone: '03-0000-0000',
      published_at_url: 'https://a.example/about',
      published_seen_on: '2026-11-20',
      publication_notice: 'none',
    };
    const [id] = await addProspects(database.db, tenant.accountId, [company]);
    expect((await client.get('/prospect/list')).body).toStrictEqual([{ id, ...company }]);
    const asked = await client.get('/prospect/list/?columns[]=company_name&columns[]=id');
    expect(asked.body).toStrictEqual([{ company_name: company.company_name, id }]);
    for (const secret of ['identity_key', 'account_id', 'email_search', 'active', 'remarks']) {
      expect((await client.get(`/prospect/list?columns[]=${secret}`)).status).toBe(400);
    }
  });

  test('gives as many as `limit` asks for, by id, and the rest when asked to go on', async () => {
    await addManyProspects(database.db, tenant.accountId, 1201);
    const first = (await client.get('/prospect/list?columns[]=id&limit=1000')).body as { id: number }[];
    expect(first).toHaveLength(1000);
    const last = first.at(-1)?.id ?? 0;
    const rest = (await client.get(`/prospect/list?columns[]=id&where_info[id][gt]=${last}`)).body as { id: number }[];
    const all = [...first, ...rest].map(({ id }) => id);
    expect(all).toStrictEqual(all.toSorted((a, b) => a - b));
    expect(new Set(all).size).toBe(1201);
    expect((await client.get('/prospect/list?limit=3')).body).toHaveLength(3);
    expect((await client.get('/prospect/list?limit=1001')).status).toBe(400);
  });

  test('finds a company by id or name, only of this account', async () => {
    const stranger = await addTenant(database.db);
    const [own = 0] = await addProspects(database.db, tenant.accountId, [{ company_name: '株式会社甲' }]);
    const [foreign = 0] = await addProspects(database.db, stranger.accountId, [{ company_name: '株式会社甲' }]);
    const found = async (where: object) => {
      const query = encodeURIComponent(JSON.stringify(where));
      return (await client.get(`/prospect/list?columns=["id"]&where_info=${query}`)).body;
    };
    expect(await found({ company_name: '株式会社甲' })).toStrictEqual([{ id: own }]);
    expect(await found({ id: own })).toStrictEqual([{ id: own }]);
    expect(await found({ id: foreign })).toStrictEqual([]);
    await database.db
      .updateTable('prospect')
      .set({
        corporate_number: '7000012050002',
        external_id: 'Ａ-1',
        company_email: 'Info@A.example',
        email_search: 'info@a.example',
      })
      .where('company_name', '=', '株式会社甲')
      .execute();
    for (const where of [
      { corporate_number: '7000012050002' },
      { external_id: 'Ａ-1' },
      { company_email: 'info@A.EXAMPLE' },
    ]) {
      expect([where, await found(where)]).toStrictEqual([where, [{ id: own }]]);
    }
    for (const where of [{ corporate_number: '1' }, { external_id: 'a-1' }, { company_email: 'a.example' }]) {
      expect([where, await found(where)]).toStrictEqual([where, []]);
    }
    expect(await found({ id: { gte: 1 } })).toStrictEqual([{ id: own }]);
    expect(await found({ company_name: "' OR ''='" })).toStrictEqual([]);
  });
});

describe('GET /active_prospect/list', () => {
  test('returns the flags and remarks of groups, by group and prospect', async () => {
    const { accountId, senderGroupId } = tenant;
    const otherGroup = await addSenderGroup(database.db, accountId);
    const [first = 0, second = 0, untouched = 0] = await addProspects(database.db, accountId, [{}, {}, {}]);
    const stranger = await addTenant(database.db);
    const [theirs = 0] = await addProspects(database.db, stranger.accountId, [{}]);
    const row = (prospect_id: number, sender_group_id: number, active: boolean, account_id = accountId) => ({
      account_id,
      sender_group_id,
      prospect_id,
      active,
      remarks: `${prospect_id}`,
    });
    await database.db
      .insertInto('active_prospect')
      .values([
        row(second, senderGroupId, true),
        row(first, otherGroup, true),
        row(first, senderGroupId, false),
        row(theirs, stranger.senderGroupId, true, stranger.accountId),
      ])
      .execute();
    const found = async (query: string) => (await client.get(`/active_prospect/list?${query}`)).body;
    const told = (prospect_id: number, sender_group_id: number, active: 0 | 1) => ({
      prospect_id,
      sender_group_id,
      active,
      remarks: `${prospect_id}`,
    });
    const [a, b, c] = [told(first, senderGroupId, 0), told(second, senderGroupId, 1), told(first, otherGroup, 1)];

    expect(await found('')).toMatchObject([a, b, c]);
    expect(await found(`where_info[sender_group_id]=${senderGroupId}`)).toMatchObject([a, b]);
    expect(await found('where_info[active]=0')).toMatchObject([a]);
    expect(await found(`where_info={"active":1,"prospect_id":${first}}`)).toMatchObject([c]);
    expect(await found(`where_info[prospect_id][gt]=${first}`)).toMatchObject([b]);
    expect(await found('columns[]=remarks&limit=1')).toStrictEqual([{ remarks: `${first}` }]);
    expect(await found(`where_info[prospect_id]=${untouched}`)).toStrictEqual([]);
    expect(await found(`where_info[sender_group_id]=${stranger.senderGroupId}`)).toStrictEqual([]);
    expect(await found(`where_info[prospect_id]=${theirs}`)).toStrictEqual([]);
  });
});
