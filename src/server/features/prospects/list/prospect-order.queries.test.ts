import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { orderedParts } from './prospect-order.queries.ts';

test.each([
  ['major_industry_type', 'asc'],
  ['included_industry_type', 'desc'],
] as const)('the first page by %s is read along its index', async (sort, order) => {
  const { db } = await emptyDatabase();
  const tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, 2000);
  await sql`UPDATE prospect SET ${sql.ref(sort)} = '業種' || id % 5`.execute(db);
  // With statistics of this list: those of an earlier one may make any index look as good.
  await sql`SELECT analyze_companies()`.execute(db);
  const [filled] = orderedParts(tenant, () => sql`true`, { sort: { sort, order } });
  const plan = await db.transaction().execute(async (tx) => {
    // Where the query does not match an index, a sequential scan and a full sort are left all the same.
    await sql`SET LOCAL enable_seqscan = off`.execute(tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`EXPLAIN ${filled?.limit(50)}`.execute(tx);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toMatch(new RegExp(`Presorted Key: prospect\\.${sort}[^]*prospect_${sort.replace('type', 'idx')}`));
});
