import { beforeAll, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { addProspects, addTenant, type Tenant } from './prospects.ts';

/** Triggers maintain prospect_search and prospect_total: after any statement they match prospect. */

let database: TestDatabase;
let tenant: Tenant;
beforeAll(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

/** Counts the rows of either table without an equal row in the other, their rows, and the stored total. */
async function compare(): Promise<{ different: number; rows: number; total: number }> {
  const columns = await database.pool.query<{ list: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS list FROM information_schema.columns
     WHERE table_name = 'prospect_search' AND column_name <> 'name_search'`,
  );
  const list = columns.rows[0]?.list;
  const { rows } = await database.pool.query<{ different: number; rows: number; total: number }>(
    `WITH live AS (
       SELECT *, split_part(identity_key, E'\\n', 1) AS name_search FROM prospect WHERE archived_at IS NULL
     ), both_ways AS (
       (SELECT ${list}, name_search FROM live EXCEPT SELECT ${list}, name_search FROM prospect_search)
       UNION ALL (SELECT ${list}, name_search FROM prospect_search EXCEPT SELECT ${list}, name_search FROM live))
     SELECT (SELECT count(*) FROM both_ways)::integer AS different, (SELECT count(*) FROM prospect_search)::integer AS rows,
       (SELECT coalesce(sum(total), 0) FROM prospect_total)::integer AS total`,
  );
  return rows[0] ?? { different: Number.NaN, rows: Number.NaN, total: Number.NaN };
}

test('inserts, updates, deletes and truncates change both tables, and the count', async () => {
  const { service, pool } = database;
  const company = {
    address: '東京',
    company_email: 'Info@x.jp',
    company_url: 'https://x.jp',
    major_industry_type: '製造業',
  };
  const [first = 0, second = 0] = await addProspects(service.db, tenant.accountId, [company, company, {}]);
  expect(await compare()).toStrictEqual({ different: 0, rows: 3, total: 3 });

  const changed = { address_search: '大阪', amount_of_sales: 5, contact_url: 'https://x.jp/contact', company_url: '' };
  await service.db.updateTable('prospect').set(changed).where('id', '=', first).execute();
  expect(await compare()).toStrictEqual({ different: 0, rows: 3, total: 3 });
  const seen = await service.db.selectFrom('prospect_search').selectAll().where('id', '=', first).executeTakeFirst();
  expect(seen).toMatchObject({
    address_search: '大阪',
    amount_of_sales: 5,
    has_contact_url: true,
    has_company_url: false,
  });

  const archive = (archived_at: Date | null, ids: number[]) =>
    service.db.updateTable('prospect').set({ archived_at }).where('id', 'in', ids).execute();
  await archive(new Date(), [first, second]);
  expect(await compare()).toStrictEqual({ different: 0, rows: 1, total: 1 });
  await archive(new Date(), [first]);
  expect(await compare()).toStrictEqual({ different: 0, rows: 1, total: 1 });
  await archive(null, [first, second]);
  expect(await compare()).toStrictEqual({ different: 0, rows: 3, total: 3 });

  await service.db.deleteFrom('prospect').where('id', '=', second).execute();
  expect(await compare()).toStrictEqual({ different: 0, rows: 2, total: 2 });
  await addProspects(service.db, tenant.accountId, [{}]);
  expect(await compare()).toStrictEqual({ different: 0, rows: 3, total: 3 });

  await pool.query('TRUNCATE prospect CASCADE');
  expect(await compare()).toStrictEqual({ different: 0, rows: 0, total: 0 });
});

test('the longest values that an import accepts fit into the indexes', async () => {
  // Different characters of three bytes, so that the text does not compress.
  const text = (length: number) =>
    String.fromCodePoint(...Array.from({ length }, (_, at) => 0x4e00 + ((at * 7919) % 20_000)));
  const url = `https://x.jp/${Array.from({ length: 677 }, (_, at) => ((at * 7919) % 1000).toString().padStart(3, '0')).join('')}`;
  await addProspects(database.service.db, tenant.accountId, [
    {
      company_name: text(200),
      ceo: text(100),
      address: text(300),
      major_industry_type: text(800),
      included_industry_type: text(800),
      company_url: url,
      contact_url: url,
    },
  ]);
  expect(await compare()).toStrictEqual({ different: 0, rows: 1, total: 1 });
});

test('a session that has changed a short list does not scan the list for each company once it is long', async () => {
  await database.pool.query('TRUNCATE prospect CASCADE');
  const [first] = await addProspects(database.db, tenant.accountId, [{}, {}, {}]);
  await database.pool.query('ANALYZE prospect_search');
  const session = await database.service.pool.connect();
  await session.query('BEGIN');
  await session.query(`UPDATE prospect SET ceo = '甲' WHERE id = $1`, [first]);
  await session.query(
    `INSERT INTO prospect (account_id, identity_key, company_name)
     SELECT $1, 'long ' || n, '会社' || n FROM generate_series(1, 3000) AS n`,
    [tenant.accountId],
  );
  await session.query(`UPDATE prospect SET ceo = '乙' WHERE account_id = $1`, [tenant.accountId]);
  const { rows } = await session.query<{ read: number }>(
    `SELECT sum(seq_tup_read)::integer AS read FROM pg_stat_xact_user_tables
     WHERE relname IN ('prospect_search', 'shared_address')`,
  );
  await session.query('ROLLBACK');
  session.release();
  expect(rows[0]?.read).toBeLessThan(20_000);
});
