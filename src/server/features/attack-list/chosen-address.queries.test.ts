import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SEND_TO } from '#domain/sending/send-to.ts';
import { emptyDatabase } from '#test/db.ts';
import { planByIndexes } from '#test/plan.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { suppressedIds } from './eligibility.queries.ts';

test.each(SEND_TO)('suppressed companies are found by the indexes of addresses and of domains: %s', async (sendTo) => {
  const { db } = await emptyDatabase();
  const { accountId } = await addTenant(db);
  // With statistics of this list: those of an earlier one may make any index look as good.
  await addManyProspects(db, accountId, 2000);
  await sql`UPDATE prospect SET email_search = 'info@company' || id || '.example'`.execute(db);
  await sql`ANALYZE prospect`.execute(db);
  const plan = await planByIndexes(db, suppressedIds({ accountId, sendTo }));
  expect(plan).toContain('prospect_email_idx');
  expect(plan).toContain('prospect_domain_idx');
});
