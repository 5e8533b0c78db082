import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { hasOtherAddressIn } from './refused-mail.queries.ts';

test.each([
  ['a frequent one', 'provider.jp'],
  ['a rare one', 'x1.jp'],
])('a domain is looked up in the index of domains, as the page may: %s', async (_name, domain) => {
  const database = await emptyDatabase();
  const { accountId } = await addTenant(database.db);
  const email = sql`CASE WHEN n % 5 = 0 THEN n || '@provider.jp' ELSE 'info@x' || n || '.jp' END`;
  await addManyProspects(database.db, accountId, 5000, 1, { email });
  await sql`ANALYZE prospect`.execute(database.db);
  const plan = await database.account(accountId).snapshot(async (tx) => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      EXPLAIN SELECT ${hasOtherAddressIn(accountId, domain, 1)}`.execute(tx);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toMatch(/Index Scan using prospect_domain_idx.*\n *Index Cond:.*email_domain/);
});
