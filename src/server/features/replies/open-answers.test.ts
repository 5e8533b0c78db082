import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { MAX_TARGETS } from '#domain/limits.ts';
import { previewAttackList } from '#server/features/attack-list/attack-list.queries.ts';
import { sweepStopped } from '#server/features/delivery/after-sending/sweep-stopped.queries.ts';
import { claimDeliveries } from '#server/features/delivery/claim/claim.queries.ts';
import { viewReplies } from '#server/features/reply-list/view-replies.queries.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import type { Db } from '#server/platform/database/db.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { plansOf, readsOf } from '#test/plan.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addManyProspects, addTenant, profileOf, type Tenant } from '#test/prospects.ts';
import { acceptRun, WORKER_A } from '#test/sending.ts';

/** What a list, a claim and a sweep read in an account with 10,000 open answers, and three times as many others. */
const COMPANIES = 11_000;

let database: TestDatabase;
let tenant: Tenant;
let followed: number;

beforeAll(async () => {
  database = await emptyDatabase();
  const { db } = database;
  tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, COMPANIES);
  const { id } = await db.selectFrom('prospect').select('id').orderBy('id').executeTakeFirstOrThrow();
  const profile = await profileOf(db, tenant.senderId);
  for (let from = id; from < id + COMPANIES; from += MAX_TARGETS) {
    followed = await addDelivery(db, tenant, from, { state: 'sent' });
    await sql`
      INSERT INTO delivery (account_id, send_log_id, sender_group_id, sender_id, profile_id, prospect_id, test_send_mode,
        row_index, mail_to, company_name, person_in_charge, message_id, mail_date, state)
      SELECT account_id, ${followed}, ${tenant.senderGroupId}, ${tenant.senderId}, ${profile}, id, false, 0, company_email,
        company_name, '', '<' || gen_random_uuid() || '@x.jp>', now(), 'sent'
      FROM prospect WHERE id > ${from} AND id < ${from + MAX_TARGETS}`.execute(db);
  }
  await sql`
    INSERT INTO reply (account_id, prospect_id, kind, excerpt, handled_at)
    SELECT account_id, id, 'manual', '', CASE WHEN answer > 1 THEN now() END
    FROM prospect, generate_series(1, 4) AS answer WHERE id < ${id + 10_000}`.execute(db);
  await sql`ANALYZE reply, delivery`.execute(db);
});

const preview = (followUpOf?: number) => (db: Db) => {
  const settings = { filter: {}, sort: {}, daysFromLastday: 7, followUpOf, limit: 10 };
  return previewAttackList(accountDbOf(db)(tenant.accountId, null), tenant.senderGroupId, settings, Date.now());
};

test('a list reads only the open replies', async () => {
  const plans = await plansOf(database, 'api', preview());
  expect(readsOf(plans, 'reply')).toStrictEqual(['reply_doubt_idx', 'reply_open_idx']);
});

test('the list of a follow-up reads no more than the answers of its account', async () => {
  const reads = readsOf(await plansOf(database, 'api', preview(followed)), 'reply');
  expect(reads).toContain('reply_open_idx');
  expect(reads).not.toContain('seq');
});

test('a claim looks up the open answers of its companies', async () => {
  await acceptRun(database, tenant, 3);
  const plans = await plansOf(database, 'service', async (db) => {
    const batch = await claimDeliveries(db, WORKER_A, { connections: 4, rows: 100 });
    expect(batch).toMatchObject({ claims: [{ test: false }, { test: false }, { test: false }] });
  });
  expect(readsOf(plans, 'reply')).toStrictEqual(['reply_doubt_idx', 'reply_open_idx', 'reply_prospect_idx']);
});

test('a sweep reads the answers whose mails are to be cancelled, and looks up the mails', async () => {
  const idle = await plansOf(database, 'service', sweepStopped);
  expect(readsOf(idle, 'reply')).toStrictEqual(['reply_cancels_idx']);
  await sql`UPDATE reply SET cancels_mails = true WHERE handled_at IS NULL`.execute(database.db);
  await sql`ANALYZE reply`.execute(database.db);
  const plans = await plansOf(database, 'service', sweepStopped);
  expect(plans.length).toBeGreaterThan(2);
  expect(readsOf(plans, 'reply')).not.toContain('seq');
  expect(readsOf(plans, 'reply')).toContain('reply_open_idx');
  expect(readsOf(plans, 'delivery')).not.toContain('seq');
});

test('a page of answers looks up whose addresses their writers have', async () => {
  const { accountId } = tenant;
  const { id } = await database.db.selectFrom('delivery').select('id').limit(1).executeTakeFirstOrThrow();
  const ids = database.db.selectFrom('reply').select('id').where('account_id', '=', accountId).orderBy('id', 'desc');
  await database.db
    .updateTable('reply')
    .set({ kind: 'reply', delivery_id: id, from_address: 'ceo@b.example', from_trust: 'authenticated' })
    .where('id', 'in', ids.limit(200))
    .execute();
  await sql`UPDATE prospect SET archived_at = now() WHERE id % 3 = 0`.execute(database.db);
  await sql`ANALYZE reply, prospect, suppression`.execute(database.db);
  const plans = await plansOf(database, 'api', async (db) => {
    const page = await viewReplies(accountDbOf(db)(accountId, null), { pagenate_num: 1, pagenate_count: 200 });
    expect(page.rows[199]).toMatchObject({ from_check: 'checked' });
  });
  expect(readsOf(plans, 'prospect')).toStrictEqual([
    'prospect_archived_email_idx',
    'prospect_domain_idx',
    'prospect_email_idx',
    'prospect_pkey',
  ]);
});
