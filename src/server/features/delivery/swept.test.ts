import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import { claimDeliveries } from './claim.queries.ts';
import type { Claim } from './claim.ts';
import { type Finished, sweepLostClaims } from './finish.queries.ts';

const WORKER = '00000000-0000-4000-8000-00000000000a';
const UNMARKED = { kind: 'unmarked', reply: 'it took too long' } as const;

let database: TestDatabase;
let tenant: Tenant;
/** Of a mail whose mark is committed, and which was swept before its worker said any more. */
let claim: Claim;

const take = async () => {
  const batch = await claimDeliveries(database.service.db, WORKER, { connections: 4, rows: 100 }, Date.now());
  return typeof batch === 'string' ? expect.unreachable('the transport is paused') : (batch?.claims ?? []);
};
const row = () => database.db.selectFrom('delivery').selectAll().executeTakeFirstOrThrow();
const contacts = () => database.db.selectFrom('contact_state').select(['prospect_id', 'last_sent_at']).execute();
/** @returns whether the mail was still its worker's */
const tell = async (outcome: Finished['outcome']) =>
  (await finishDeliveries(database.service.db, [{ claim, outcome }]))[0];

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await acceptRun(database, tenant, 1);
  const claims = await take();
  expect(await markSending(database.service.db, claims)).toStrictEqual([true]);
  claim = claims[0] as Claim;
  await database.db
    .updateTable('delivery')
    .set({ lease_until: new Date(0) })
    .execute();
  expect(await sweepLostClaims(database.service.db)).toStrictEqual({ requeued: 0, unknown: 1 });
  expect(await contacts()).toHaveLength(1);
});

test('an answer that comes after the sweep is the truth all the same', async () => {
  expect(await tell({ kind: 'sent', reply: '250' })).toBe(true);
  expect(await row()).toMatchObject({ state: 'sent' });
});

test('a deferral that comes after the sweep leaves the mail unknown: a person decides', async () => {
  expect(await tell({ kind: 'deferred', reply: '451' })).toBe(false);
  expect(await row()).toMatchObject({ state: 'unknown' });
});

test('a mail of which nothing left, swept before its worker could say so, waits again, and its company does not count as contacted', async () => {
  expect(await tell(UNMARKED)).toBe(true);
  expect(await row()).toMatchObject({ state: 'queued', attempts: 0, finished_at: null, lease_until: null });
  expect(await contacts()).toStrictEqual([]);
  expect(await take()).toHaveLength(1);
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);
});

test('one whose company was mailed by others before counts as contacted when that was', async () => {
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
  await tell(UNMARKED);
  expect(await contacts()).toStrictEqual([{ prospect_id, last_sent_at: earlier }]);
});

test('one that was sent again before stays contacted, and one that a person has decided about stays as decided', async () => {
  await database.db.updateTable('delivery').set({ maybe_sent: true }).execute();
  await tell(UNMARKED);
  expect(await row()).toMatchObject({ state: 'queued' });
  expect(await contacts()).toHaveLength(1);
  await database.db.updateTable('delivery').set({ state: 'sent', finished_at: new Date() }).execute();
  expect(await tell(UNMARKED)).toBe(false);
});

test('a refusal that comes after the sweep leaves no contact', async () => {
  await tell({ kind: 'failed', reply: '550', badAddress: false });
  expect([(await row()).state, await contacts()]).toStrictEqual(['failed', []]);
});
