import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import type { Claim } from './leases/claim.ts';
import type { DeliveryResult } from './leases/delivery-result.ts';
import { sweepLostClaims } from './results/sweep.queries.ts';

const UNMARKED = { kind: 'unmarked', reply: 'it took too long' } as const;

let database: TestDatabase;
let tenant: Tenant;
/** A mail whose mark is committed, and which was swept before its result was written. */
let claim: Claim;

const row = () => database.db.selectFrom('delivery').selectAll().executeTakeFirstOrThrow();
const contacts = () => database.db.selectFrom('contact_state').select(['prospect_id', 'last_sent_at']).execute();
/** @returns whether the mail was still its worker's */
const finish = async (outcome: DeliveryResult['outcome']) =>
  (await finishDeliveries(database.service.db, [{ claim, outcome }]))[0];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await acceptRun(database, tenant, 1);
  const claims = await claimMails(database);
  expect(await markSending(database.service.db, claims)).toStrictEqual([true]);
  claim = claims[0] as Claim;
  await database.db
    .updateTable('delivery')
    .set({ lease_until: new Date(0) })
    .execute();
  expect(await sweepLostClaims(database.service.db)).toStrictEqual({ requeued: 0, unknown: 1 });
  expect(await contacts()).toHaveLength(1);
});

test('an acceptance after the sweep makes the mail sent', async () => {
  expect(await finish({ kind: 'sent', reply: '250' })).toBe(true);
  expect(await row()).toMatchObject({ state: 'sent' });
});

test('a deferral after the sweep leaves the mail unknown: a person decides', async () => {
  expect(await finish({ kind: 'deferred', reply: '451' })).toBe(false);
  expect(await row()).toMatchObject({ state: 'unknown' });
});

test('a mail of which no byte left is queued again after the sweep, and its company is not contacted', async () => {
  expect(await finish(UNMARKED)).toBe(true);
  expect(await row()).toMatchObject({ state: 'queued', attempts: 0, finished_at: null, lease_until: null });
  expect(await contacts()).toStrictEqual([]);
  expect(await claimMails(database)).toHaveLength(1);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('its company keeps the contact that a mail of another run made before', async () => {
  const earlier = new Date('2026-11-01T10:00:00+09:00');
  const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
  const run = {
    account_id,
    sender_group_id,
    sent_at: earlier,
    test_send_mode: false,
    days_from_lastday: 0,
    mail: '{}',
  };
  const { id: send_log_id } = await database.db
    .insertInto('send_log')
    .values(run)
    .returning('id')
    .executeTakeFirstOrThrow();
  const { prospectId: prospect_id } = claim;
  await database.db.insertInto('recorded_contact').values({ account_id, send_log_id, prospect_id }).execute();
  await finish(UNMARKED);
  expect(await contacts()).toStrictEqual([{ prospect_id, last_sent_at: earlier }]);
});

test('a mail sent again before stays contacted; one that a person has decided about stays as decided', async () => {
  await database.db.updateTable('delivery').set({ maybe_sent: true }).execute();
  await finish(UNMARKED);
  expect(await row()).toMatchObject({ state: 'queued' });
  expect(await contacts()).toHaveLength(1);
  await database.db.updateTable('delivery').set({ state: 'sent', finished_at: new Date() }).execute();
  expect(await finish(UNMARKED)).toBe(false);
});

test('a refusal after the sweep removes the contact', async () => {
  await finish({ kind: 'failed', reply: '550', badAddress: false });
  expect([(await row()).state, await contacts()]).toStrictEqual(['failed', []]);
});
