import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { planByIndexes } from '#test/plan.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addManyProspects, addTenant, profileOf } from '#test/prospects.ts';
import { mailsOf } from './stored.queries.ts';

test('the mails to an address are looked up in indexes: open ones, all others, blanked ones, and those of its companies', async () => {
  const { db } = await emptyDatabase();
  const tenant = await addTenant(db);
  const { accountId } = tenant;
  await addManyProspects(db, accountId, 2000);
  const { id } = await db.selectFrom('prospect').select('id').orderBy('id').executeTakeFirstOrThrow();
  const run = await addDelivery(db, tenant, id, { state: 'sent' });
  const profile = await profileOf(db, tenant.senderId);
  await sql`
    INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
      row_index, mail_to, company_name, person_in_charge, message_id, mail_date, state)
    SELECT account_id, ${run}, ${tenant.senderGroupId}, ${tenant.senderId}, ${profile}, id, false, 0, company_email,
      company_name, '',
      '<' || id || '@x.jp>', now(), CASE WHEN id % 2 = 0 THEN 'sent' ELSE 'queued' END
    FROM prospect WHERE id > ${id}`.execute(db);
  await sql`ANALYZE delivery`.execute(db);
  const subject = { address: '7@x.jp', companies: [id], people: [7], companiesOfPeople: [id] };
  const found = sql`SELECT id FROM delivery d WHERE ${mailsOf(accountId, subject)}`;
  const { rows } = await found.execute(db);
  expect(rows).toHaveLength(2);
  const plan = await planByIndexes(db, found);
  for (const index of [
    'delivery_open_address_key',
    'delivery_address_idx',
    'delivery_blanked_idx',
    'delivery_prospect_idx',
  ]) {
    expect(plan).toContain(index);
  }
});
