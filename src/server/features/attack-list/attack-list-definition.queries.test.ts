import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { LEFT_OUT_REASONS } from '#domain/sending/eligibility.ts';
import { emptyDatabase } from '#test/db.ts';
import { readsOf } from '#test/plan.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { previewAttackList } from './attack-list.queries.ts';
import { CODES, defineAttackList } from './attack-list-definition.queries.ts';

const now = Date.UTC(2026, 10, 20, 3);
const settings = { filter: {}, sort: {}, daysFromLastday: 7, limit: 10 };

/**
 * Adds 600 companies. The first 500 were mailed an hour ago, 501 to 550 have no address, 551 to 560 are archived, and
 * 499 to 502 and 561 are switched off.
 */
async function workedDown() {
  const database = await emptyDatabase();
  const { db } = database;
  const tenant = await addTenant(db);
  await addManyProspects(db, tenant.accountId, 600);
  const numbered = sql`(SELECT id, row_number() OVER (ORDER BY id) AS n FROM prospect) AS numbered`;
  await sql`
    INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at)
    SELECT ${tenant.accountId}, ${tenant.senderGroupId}, id, ${new Date(now - 3_600_000)}
    FROM ${numbered} WHERE n <= 500 OR n > 555 AND n <= 560`.execute(db);
  await sql`UPDATE prospect SET company_email = NULL, email_search = CASE WHEN n % 2 = 0 THEN '' END
    FROM ${numbered} WHERE numbered.id = prospect.id AND n BETWEEN 501 AND 550`.execute(db);
  await sql`UPDATE prospect SET archived_at = now()
    FROM ${numbered} WHERE numbered.id = prospect.id AND n BETWEEN 551 AND 560`.execute(db);
  await sql`UPDATE prospect SET amount_of_sales = NULL, ceo = ''
    FROM ${numbered} WHERE numbered.id = prospect.id AND n > 595`.execute(db);
  await sql`
    INSERT INTO active_prospect (account_id, sender_group_id, prospect_id, active)
    SELECT ${tenant.accountId}, ${tenant.senderGroupId}, id, false
    FROM ${numbered} WHERE n BETWEEN 499 AND 502 OR n = 561`.execute(db);
  await sql`SELECT analyze_companies()`.execute(db);
  await sql`ANALYZE contact_state`.execute(db);
  return { database, tenant };
}

test.each([
  {},
  { sort: 'amount_of_sales', order: 'asc' },
  { sort: 'amount_of_sales', order: 'desc' },
  { sort: 'ceo', order: 'asc' },
  { sort: 'sent_at', order: 'asc' },
  { sort: 'active', order: 'asc' },
] as const)('a preview of all, past hundreds of left-out companies, has the page of its scan by %j', async (sort) => {
  const { database, tenant } = await workedDown();
  const account = database.account(tenant.accountId);
  for (const limit of [10, 1000]) {
    const preview = await previewAttackList(account, tenant.senderGroupId, { ...settings, sort, limit }, now);
    // All companies with an address pass: their preview is a scan.
    const filter = { company_email: '@' };
    const scanned = await previewAttackList(account, tenant.senderGroupId, { ...settings, sort, limit, filter }, now);
    expect(preview).toMatchObject({
      matched: 590,
      eligible: 39,
      left_out: { inactive: 5, no_email: 48, recently_sent: 498 },
    });
    expect(preview.rows).toHaveLength(Math.min(limit, 39));
    expect(preview.rows).toStrictEqual(scanned.rows);
    expect(preview.left_out).toStrictEqual({ ...scanned.left_out, inactive: 5, no_email: 48 });
  }
});

test('a preview of all by a group of another account is empty', async () => {
  const { database, tenant } = await workedDown();
  const other = await addTenant(database.db);
  const preview = await previewAttackList(database.account(tenant.accountId), other.senderGroupId, settings, now);
  expect(preview).toMatchObject({ rows: [], matched: 0, eligible: 0 });
});

test.each([
  [false, ['contact_state_last_sent_idx']],
  // By the key, or its twin: companies that another group is about to mail.
  [true, ['contact_state_last_sent_idx', 'contact_state_prospect_idx']],
])('a preview of all reads the left-out companies by indexes; across groups: %s', async (acrossGroups, indexes) => {
  const { database, tenant } = await workedDown();
  const scope = { ...tenant, sendTo: 'company' as const, cutoff: new Date(now), acrossGroups };
  const { leftOutSets } = defineAttackList(scope, () => sql`true`, { isOfAll: true })('scan');
  const plan = await database.account(tenant.accountId).snapshot(async (tx) => {
    await sql`SET LOCAL enable_seqscan = off`.execute(tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      EXPLAIN WITH ${leftOutSets?.ctes} SELECT * FROM left_out`.execute(tx);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  const reads = readsOf([plan], 'contact_state').map((name) => name.replace('_pkey', '_prospect_idx'));
  expect(new Set(reads)).toStrictEqual(new Set(indexes));
  expect(readsOf([plan], 'address_rejection')).toStrictEqual(['address_rejection_at_idx']);
  expect(readsOf([plan], 'prospect')).toContain('prospect_email_idx');
  // The recorded companies are looked up one by one.
  expect(plan).toMatch(/prospect_search_pkey on prospect_search[^\n]*\n\s+Index Cond: [^\n]*\bid = /);
});

test('the code of a company has room for the number of each reason', () => {
  expect(LEFT_OUT_REASONS.length).toBeLessThan(CODES);
});
