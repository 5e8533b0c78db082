import { beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from './db.ts';
import { addProspects, addTenant, type Tenant } from './prospects.ts';

/** prospect_search is kept by triggers: after any statement it holds the same as prospect. */

let database: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await addTenant(database.db);
  return () => database.drop();
});

/** Names of companies whose two rows differ, or one of which is missing; and how many rows there are. */
async function compare(): Promise<{ different: number; rows: number }> {
  const columns = await database.pool.query<{ list: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS list FROM information_schema.columns WHERE table_name = 'prospect_search'`,
  );
  const list = columns.rows[0]?.list;
  const { rows } = await database.pool.query<{ different: number; rows: number }>(
    `WITH both_ways AS (
       (SELECT ${list} FROM prospect EXCEPT SELECT ${list} FROM prospect_search)
       UNION ALL (SELECT ${list} FROM prospect_search EXCEPT SELECT ${list} FROM prospect))
     SELECT (SELECT count(*) FROM both_ways)::integer AS different, (SELECT count(*) FROM prospect_search)::integer AS rows`,
  );
  return rows[0] ?? { different: Number.NaN, rows: Number.NaN };
}

test('what is inserted, updated, deleted and truncated is so in both tables', async () => {
  const { service, pool } = database;
  const company = {
    address: '東京',
    company_email: 'Info@x.jp',
    company_url: 'https://x.jp',
    major_industry_type: '製造業',
  };
  const [first = 0, second = 0] = await addProspects(service.db, tenant.accountId, [company, company, {}]);
  expect(await compare()).toStrictEqual({ different: 0, rows: 3 });

  const changed = { address_search: '大阪', amount_of_sales: 5, contact_url: 'https://x.jp/contact', company_url: '' };
  await service.db.updateTable('prospect').set(changed).where('id', '=', first).execute();
  expect(await compare()).toStrictEqual({ different: 0, rows: 3 });
  const seen = await service.db.selectFrom('prospect_search').selectAll().where('id', '=', first).executeTakeFirst();
  expect(seen).toMatchObject({
    address_search: '大阪',
    amount_of_sales: 5,
    has_contact_url: true,
    has_company_url: false,
  });

  await service.db.deleteFrom('prospect').where('id', '=', second).execute();
  expect(await compare()).toStrictEqual({ different: 0, rows: 2 });

  await pool.query('TRUNCATE prospect CASCADE');
  expect(await compare()).toStrictEqual({ different: 0, rows: 0 });
});
