import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { DELIVERY_STATES } from '#domain/sending/delivery-state.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { planByIndexes } from '#test/plan.ts';
import { addAddressContact, addContact, addDelivery, addRejection, addReservation } from '#test/prospect-history.ts';
import { addManyProspects, addProspects, addSenderGroup, addTenant, type Tenant } from '#test/prospects.ts';
import { defineAttackList } from './attack-list-definition.queries.ts';
import type { EligibilityScope } from './eligibility.queries.ts';
import { blockReason } from './eligibility-rules.queries.ts';

const cutoff = new Date(Date.UTC(2026, 10, 13));

let database: TestDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});

/** Adds a tenant with an eligible prospect. */
async function setUp(prospect: { company_email?: string | null } = {}) {
  const { db } = database;
  const tenant = await addTenant(db);
  const [id = 0] = await addProspects(db, tenant.accountId, [{ company_email: 'Info@Example.co.jp', ...prospect }]);
  return { db, tenant, id, scope: { ...tenant, sendTo: 'company' as const, cutoff } };
}

async function reasonOf(id: number, scope: EligibilityScope) {
  const row = await database.db
    .selectFrom('prospect')
    .select(sql<string | null>`${blockReason(scope)}`.as('reason'))
    .where('account_id', '=', scope.accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { prospects, leftOut } = defineAttackList(scope, () => sql`prospect.id = ${id}`)('scan');
  const reason = leftOut.reason(leftOut.facts);
  const scanned = await sql`${prospects.select(sql`${reason}`.as('by_scan'))}`.execute(database.db);
  expect(scanned.rows).toStrictEqual([{ by_scan: row.reason }]);
  return row.reason;
}

test('a company without any record is eligible', async () => {
  const { id, scope } = await setUp();
  expect(await reasonOf(id, scope)).toBeNull();
});

test.each([null, ''])('an address %j counts as missing', async (company_email) => {
  const { id, scope } = await setUp({ company_email });
  expect(await reasonOf(id, scope)).toBe('no_email');
});

test('a company inactive in one group is eligible in the others', async () => {
  const { db, tenant, id, scope } = await setUp();
  const key = { account_id: tenant.accountId, sender_group_id: tenant.senderGroupId, prospect_id: id };
  await db
    .insertInto('active_prospect')
    .values({ ...key, active: false })
    .execute();
  expect(await reasonOf(id, scope)).toBe('inactive');
  expect(await reasonOf(id, { ...scope, senderGroupId: await addSenderGroup(db, tenant.accountId) })).toBeNull();
  await db.updateTable('active_prospect').set({ active: true }).where('prospect_id', '=', id).execute();
  expect(await reasonOf(id, scope)).toBeNull();
});

describe('suppressed', () => {
  test.each([
    ['address', 'info@example.co.jp', 'suppressed'],
    ['domain', 'example.co.jp', 'suppressed'],
    ['domain', 'co.jp', null],
    ['address', 'example.co.jp', null],
    ['domain', 'info@example.co.jp', null],
  ])('%s %s: %s', async (kind, value, reason) => {
    const { db, tenant, id, scope } = await setUp();
    const other = await addTenant(db);
    const entry = { kind, value, reason: 'test' };
    await db
      .insertInto('suppression')
      .values({ ...entry, account_id: other.accountId })
      .execute();
    expect(await reasonOf(id, scope)).toBeNull();
    await db
      .insertInto('suppression')
      .values({ ...entry, account_id: tenant.accountId })
      .execute();
    expect(await reasonOf(id, scope)).toBe(reason);
  });
});

describe('reserved', () => {
  const sendAt = new Date(Date.UTC(2026, 11, 1));

  test.each([
    [{ sendAt }, 'reserved'],
    [{ sendAt, test: true }, null],
    [{ sendAt, pending: false }, null],
  ])('%j: %s', async (reservation, reason) => {
    const { db, tenant, id, scope } = await setUp();
    await addReservation(db, tenant, [id], reservation);
    expect(await reasonOf(id, scope)).toBe(reason);
    expect(await reasonOf(id, { ...scope, senderGroupId: await addSenderGroup(db, tenant.accountId) })).toBeNull();
  });

  test('a due reservation is not blocked by its own targets', async () => {
    const { db, tenant, id, scope } = await setUp();
    const exceptReservationId = await addReservation(db, tenant, [id], { sendAt });
    expect(await reasonOf(id, { ...scope, exceptReservationId })).toBeNull();
    expect(await reasonOf(id, { ...scope, exceptReservationId: exceptReservationId + 1 })).toBe('reserved');
  });
});

const open = ['queued', 'claimed', 'sending', 'unknown'];

describe('a delivery under way', () => {
  test.each(DELIVERY_STATES)('in state %s', async (state) => {
    const { db, tenant, id, scope } = await setUp();
    await addDelivery(db, tenant, id, { state, test: true });
    expect(await reasonOf(id, scope)).toBeNull();
    const exceptSendLogId = await addDelivery(db, tenant, id, { state });
    expect(await reasonOf(id, scope)).toBe(open.includes(state) ? 'open_delivery' : null);
    expect(await reasonOf(id, { ...scope, exceptSendLogId })).toBeNull();
  });
});

describe('sent before', () => {
  test.each([
    [-1, null],
    [0, 'recently_sent'],
    [1, 'recently_sent'],
  ])('%d ms after the cutoff: %s', async (after, reason) => {
    const { db, tenant, id, scope } = await setUp();
    await addContact(db, tenant, id, new Date(cutoff.getTime() + after));
    expect(await reasonOf(id, scope)).toBe(reason);
    expect(await reasonOf(id, { ...scope, senderGroupId: await addSenderGroup(db, tenant.accountId) })).toBeNull();
  });
});

describe('an address that another company had', () => {
  test.each([
    [-1, null],
    [0, 'recently_sent'],
  ])('mailed %d ms after the cutoff: %s', async (after, reason) => {
    const { db, tenant, scope } = await setUp();
    await addAddressContact(db, tenant, 'old@example.co.jp', new Date(cutoff.getTime() + after));
    const [id = 0] = await addProspects(db, tenant.accountId, [{ company_email: 'OLD@example.co.jp' }]);
    expect(await reasonOf(id, scope)).toBe(reason);
    expect(await reasonOf(id, { ...scope, senderGroupId: await addSenderGroup(db, tenant.accountId) })).toBeNull();
  });

  test.each(DELIVERY_STATES)('with a delivery in state %s', async (state) => {
    const { db, tenant, id, scope } = await setUp();
    const [twin = 0] = await addProspects(db, tenant.accountId, [{ company_email: 'INFO@example.co.jp' }]);
    await addDelivery(db, tenant, twin, { state, test: true, mailTo: 'INFO@example.co.jp' });
    expect(await reasonOf(id, scope)).toBeNull();
    await addDelivery(db, tenant, twin, { state, mailTo: 'INFO@example.co.jp' });
    expect(await reasonOf(id, scope)).toBe(open.includes(state) ? 'open_delivery' : null);
  });
});

describe('an address that rejected a mail', () => {
  test.each([
    [-1, null],
    [0, 'rejected'],
  ])('%d ms after the cutoff: %s, for this group and address alone', async (after, reason) => {
    const { db, tenant, id, scope } = await setUp();
    await addRejection(db, tenant, 'info@example.co.jp', { at: new Date(cutoff.getTime() + after) });
    const [twin = 0, other = 0] = await addProspects(db, tenant.accountId, [
      { company_email: 'INFO@example.co.jp' },
      { company_email: 'sales@example.co.jp' },
    ]);
    expect(await reasonOf(id, scope)).toBe(reason);
    expect(await reasonOf(twin, scope)).toBe(reason);
    expect(await reasonOf(other, scope)).toBeNull();
    expect(await reasonOf(id, { ...scope, senderGroupId: await addSenderGroup(db, tenant.accountId) })).toBeNull();
  });

  test('does not stop that mail itself, but any other', async () => {
    const { db, tenant, id, scope } = await setUp();
    const rejected = (deliveryId: number) => addRejection(db, tenant, 'info@example.co.jp', { at: cutoff, deliveryId });
    const reason = async (exceptRejectionOf: number) => {
      const row = await db
        .selectFrom('prospect')
        .select(
          sql<string | null>`${blockReason({ ...scope, exceptRejectionOf: sql.lit(exceptRejectionOf) })}`.as('is'),
        )
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return row.is;
    };
    await rejected(7);
    expect([await reason(7), await reason(8)]).toStrictEqual([null, 'rejected']);
    await rejected(8);
    expect([await reason(7), await reason(8)]).toStrictEqual(['rejected', 'rejected']);
  });
});

test('of several reasons the first in the order of the rules is returned', async () => {
  const { db, tenant, id, scope } = await setUp();
  const told: (string | null)[] = [];
  const happen: (() => Promise<unknown>)[] = [
    () => addContact(db, tenant, id, cutoff),
    () => addRejection(db, tenant, 'info@example.co.jp', { at: cutoff }),
    () => addDelivery(db, tenant, id, { state: 'unknown' }),
    () => addReservation(db, tenant, [id], { sendAt: cutoff }),
    () => suppress(tenant, 'info@example.co.jp'),
    () => db.updateTable('prospect').set({ company_email: null, email_search: null }).where('id', '=', id).execute(),
  ];
  for (const step of happen) {
    await step();
    told.push(await reasonOf(id, scope));
  }
  expect(told).toStrictEqual(['recently_sent', 'rejected', 'open_delivery', 'reserved', 'suppressed', 'no_email']);
});

const suppress = ({ accountId }: Tenant, value: string) =>
  database.db
    .insertInto('suppression')
    .values({ account_id: accountId, kind: 'address', value, reason: 'test' })
    .execute();

test('contacts and rejections are read by their primary keys, when a run has written more than was ever analyzed', async () => {
  const { db } = await emptyDatabase();
  const tenant = await addTenant(db);
  await sql`ANALYZE contact_state, address_contact, address_rejection`.execute(db);
  await addManyProspects(db, tenant.accountId, 5000);
  await sql`
    INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at)
    SELECT account_id, ${tenant.senderGroupId}, id, now() FROM prospect`.execute(db);
  await sql`
    INSERT INTO address_contact (account_id, sender_group_id, address_key, last_sent_at)
    SELECT account_id, ${tenant.senderGroupId}, email_search, now() FROM prospect`.execute(db);
  await sql`
    INSERT INTO address_rejection (account_id, sender_group_id, address_key, delivery_id, rejected_at)
    SELECT account_id, ${tenant.senderGroupId}, email_search, id, now() FROM prospect`.execute(db);
  const plan = await planByIndexes(
    db,
    sql`SELECT ${blockReason({ ...tenant, sendTo: 'company', cutoff })} FROM prospect WHERE account_id = ${tenant.accountId}`,
  );
  // Both have the whole key.
  expect(plan).toMatch(/contact_state_(pkey|prospect_idx)/);
  expect(plan).toContain('address_contact_pkey');
  expect(plan).toContain('address_rejection_pkey');
  expect(plan).not.toContain('address_rejection_at_idx');
});
