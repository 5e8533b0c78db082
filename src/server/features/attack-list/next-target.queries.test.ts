import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { addAddressContact, addContact, addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { previewAttackList } from './attack-list.queries.ts';
import { readFirstRelease } from './next-target.queries.ts';

const DAY = 24 * 60 * 60 * 1000;
/** 20 November 2026, 12:00 in Tokyo. */
const now = Date.UTC(2026, 10, 20, 3);
const daysAgo = (days: number) => new Date(now - days * DAY);
const settings = { filter: {}, sort: {}, daysFromLastday: 7, limit: 10 };

async function scene(names: readonly string[], email = (name: string) => `${name}@x.jp`) {
  const { db, account } = await emptyDatabase();
  const tenant = await addTenant(db);
  const companies = names.map((name) => ({ company_name: name, company_email: email(name), address: name }));
  const ids = await addProspects(db, tenant.accountId, companies);
  const own = account(tenant.accountId);
  const nextAt = async (change: object = {}) => {
    const { next_at } = await previewAttackList(own, tenant.senderGroupId, { ...settings, ...change }, now);
    return next_at;
  };
  return { db, tenant, ids, own, nextAt };
}

test('names when the interval releases the first of the companies that it alone leaves out', async () => {
  const { db, tenant, ids, nextAt } = await scene(['a', 'b', 'c', 'd']);
  const [a = 0, b = 0, c = 0, d = 0] = ids;
  await addContact(db, tenant, a, daysAgo(6));
  await addContact(db, tenant, b, daysAgo(3));
  await addContact(db, tenant, c, daysAgo(2));
  expect(await nextAt()).toBeUndefined();
  await addReservation(db, tenant, [d, a], { sendAt: new Date(now + DAY) });
  // The oldest contact is that of a reserved company.
  expect(await nextAt()).toBe('2026/11/24 12:00');
  expect(await nextAt({ daysFromLastday: 30 })).toBe('2026/12/17 12:00');
  expect(await nextAt({ filter: { address: 'c' } })).toBe('2026/11/25 12:00');
  expect(await nextAt({ chosen: [c] })).toBe('2026/11/25 12:00');
  expect(await nextAt({ chosen: [c, b, a] })).toBe('2026/11/24 12:00');
  // Nobody waits for the interval there.
  expect(await nextAt({ chosen: [d] })).toBeUndefined();
  expect(await nextAt({ filter: { address: 'z' } })).toBeUndefined();
  // Only the group's own companies count.
  const other = await addTenant(db);
  const [foreign = 0] = await addProspects(db, other.accountId, [{ company_name: 'f', company_email: 'f@x.jp' }]);
  await addContact(db, other, foreign, daysAgo(6));
  expect(await nextAt()).toBe('2026/11/24 12:00');
});

test('a later mail to a shared address counts, and also for the company that has had none itself', async () => {
  const { db, tenant, ids, nextAt } = await scene(['a', 'b', 'c'], (name) => (name === 'c' ? 'c@x.jp' : 'same@x.jp'));
  const [a = 0, , c = 0] = ids;
  await addContact(db, tenant, a, daysAgo(6));
  await addContact(db, tenant, c, daysAgo(1));
  await addAddressContact(db, tenant, 'same@x.jp', daysAgo(3));
  const key = { account_id: tenant.accountId, address_key: 'same@x.jp' };
  const sharers = ids.slice(0, 2).map((prospect_id) => ({ ...key, prospect_id }));
  await db
    .insertInto('shared_address')
    .values(sharers)
    .onConflict((on) => on.doNothing())
    .execute();
  expect(await nextAt()).toBe('2026/11/24 12:00');
  expect(await nextAt({ filter: { address: 'b' } })).toBe('2026/11/24 12:00');
  expect(await nextAt({ chosen: ids })).toBe('2026/11/24 12:00');
});

test('a mail of another group counts if the account looks across its groups', async () => {
  const { db, tenant, ids, nextAt } = await scene(['a', 'b']);
  const [a = 0, b = 0] = ids;
  const account_id = tenant.accountId;
  const { id: sender_group_id } = await db
    .insertInto('sender_group')
    .values({ account_id, group_name: '別のグループ' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addContact(db, tenant, a, daysAgo(6));
  await addContact(db, tenant, b, daysAgo(2));
  await addContact(db, { ...tenant, senderGroupId: sender_group_id }, a, daysAgo(1));
  expect(await nextAt()).toBe('2026/11/21 12:00');
  await db.insertInto('account_rule').values({ account_id, across_groups: true }).execute();
  expect(await nextAt()).toBe('2026/11/25 12:00');
});

test('the list does not wait for a look-up that takes too long', async () => {
  const { db, tenant, ids, own } = await scene(['a']);
  await addContact(db, tenant, ids[0] ?? 0, daysAgo(1));
  const { accountId, senderGroupId } = tenant;
  const scope = { accountId, senderGroupId, sendTo: 'company' as const, cutoff: daysAgo(7) };
  expect(await readFirstRelease(own, scope, ids)).toBe(daysAgo(1).getTime());
  await db.transaction().execute(async (tx) => {
    await sql`LOCK TABLE contact_state IN ACCESS EXCLUSIVE MODE`.execute(tx);
    expect(await readFirstRelease(own, scope, ids)).toBeNull();
  });
});
