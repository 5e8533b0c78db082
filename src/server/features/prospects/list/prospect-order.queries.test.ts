import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { planByIndexes } from '#test/plan.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { orderedParts, readPage } from './prospect-order.queries.ts';

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
  const plan = await planByIndexes(db, sql`${filled?.limit(50)}`);
  expect(plan).toMatch(new RegExp(`Presorted Key: prospect\\.${sort}[^]*prospect_${sort.replace('type', 'idx')}`));
});

test('the first page by the day of the last mail is read along its index', async () => {
  const { db } = await emptyDatabase();
  const tenant = await addTenant(db);
  const [mailed] = orderedParts(tenant, () => sql`true`, { sort: { sort: 'sent_at', order: 'desc' } });
  const plan = await planByIndexes(db, sql`${mailed?.limit(50)}`);
  expect(plan).toMatch(/Backward using contact_state_last_sent_idx/);
  expect(plan).not.toContain('Sort');
});

test('bad-inputs 238: a page may be a list of a million companies, in two parts', async () => {
  const numbers = Array.from({ length: 500_000 }, (_, id) => id);
  const page = await readPage(
    { offset: 0, limit: 1_000_000, sort: { sort: 'active', order: 'asc' } },
    async (part) => ({
      total: 1_000_000,
      numbers: part === 0 ? numbers : numbers.map((id) => id + 500_000),
    }),
  );
  expect(page?.ids).toHaveLength(1_000_000);
  expect(page?.ids.at(-1)).toBe(999_999);
});
