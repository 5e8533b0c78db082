import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { planByIndexes } from '#test/plan.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { isSuppressedInScan } from './suppression.queries.ts';

test('suppressed companies are found by the index of addresses', async () => {
  const { db } = await emptyDatabase();
  const { accountId } = await addTenant(db);
  // With statistics of this list: those of an earlier one may make any index look as good.
  await addManyProspects(db, accountId, 2000);
  const address = sql<string | null>`prospect.email_search`;
  const plan = await planByIndexes(
    db,
    sql`SELECT ${isSuppressedInScan(accountId, address)} FROM prospect_search AS prospect WHERE account_id = ${accountId}`,
  );
  expect(plan).toContain('prospect_email_idx');
});
