import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { planByIndexes } from '#test/plan.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addManyProspects, addTenant, profileOf } from '#test/prospects.ts';
import { namedMails } from './matched-mail.queries.ts';

test('the mail that a reference names is looked up in indexes, in whatever state it is', async () => {
  const { db } = await emptyDatabase();
  const tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, 2000);
  const { id } = await db.selectFrom('prospect').select('id').orderBy('id').executeTakeFirstOrThrow();
  const run = await addDelivery(db, tenant, id, { state: 'sent' });
  const profile = await profileOf(db, tenant.senderId);
  await sql`
    INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
      row_index, mail_to, company_name, person_in_charge, message_id, mail_date, state)
    SELECT account_id, ${run}, ${tenant.senderGroupId}, ${tenant.senderId}, ${profile}, id, false, 0, company_email,
      company_name, '',
      '<' || gen_random_uuid() || '@x.jp>', now(), CASE WHEN id % 2 = 0 THEN 'sent' ELSE 'queued' END
    FROM prospect WHERE id > ${id}`.execute(db);
  await sql`ANALYZE delivery`.execute(db);
  const refs = [{ key: '0'.repeat(32) }, { uuid: '11111111-2222-4333-8444-555555555555' }];
  const plan = await planByIndexes(db, namedMails(refs));
  for (const index of ['delivery_mail_key_idx', 'delivery_message_idx', 'delivery_lease_idx', 'moved_mail_key_idx']) {
    expect(plan).toContain(index);
  }
});
