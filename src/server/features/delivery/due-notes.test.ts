import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries } from '#test/sending.ts';
import { secondsUntilDue } from './claim/claim.queries.ts';
import { requeueClaims } from './leases/lease.queries.ts';
import { pauseRun, resumeRun } from './queue/run-rows.queries.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const claim = (rows = 100) => claimMails(database, { rows });
const seconds = () => secondsUntilDue(database.service.db, undefined);
const notes = async () => (await database.db.selectFrom('sender_due').select('id').execute()).length;

test('nothing is due until a mail is queued, and again when all are claimed', async () => {
  expect(await seconds()).toBe(Number.POSITIVE_INFINITY);
  await acceptRun(database, tenant, 3);
  expect(await seconds()).toBeLessThanOrEqual(0);
  expect(await claim(2)).toHaveLength(2);
  expect(await seconds()).toBeLessThanOrEqual(0);
  expect(await claim()).toHaveLength(1);
  expect(await seconds()).toBe(Number.POSITIVE_INFINITY);
});

test('a mail that goes back to the queue is due at once, one that was deferred later', async () => {
  await acceptRun(database, tenant, 2);
  const [one, other] = await claim();
  if (!one || !other) return expect.unreachable();
  await finishDeliveries(database.service.db, [{ claim: one, outcome: { kind: 'deferred', reply: '450' } }]);
  expect(await seconds()).toBeGreaterThan(40);
  await requeueClaims(database.service.db, [other]);
  expect(await seconds()).toBeLessThanOrEqual(0);
  expect((await claim()).map(({ id }) => id)).toStrictEqual([other.id]);
  expect(await seconds()).toBeGreaterThan(40);
});

test('the mails of a paused run are due when it is resumed', async () => {
  const { id } = await acceptRun(database, tenant, 2);
  const run = { accountId: tenant.accountId, id };
  const account = database.account(tenant.accountId);
  await account.transaction((tx) => pauseRun(tx, run, 'user'));
  expect(await claim()).toStrictEqual([]);
  expect(await seconds()).toBe(Number.POSITIVE_INFINITY);
  await account.transaction((tx) => resumeRun(tx, { ...run, paused_by: 'user' }));
  expect(await notes()).toBe(1);
  expect(await claim()).toHaveLength(2);
});

test('mail that is queued while a claim finds the queue empty is not forgotten', async () => {
  await acceptRun(database, tenant, 2);
  const [held] = await claim(1);
  if (!held) return expect.unreachable();
  // Queued, and not committed before the claim has found nothing else and removed what it knows of.
  await database.service.db.transaction().execute(async (tx) => {
    await requeueClaims(tx, [held]);
    expect(await claim()).toHaveLength(1);
    expect(await seconds()).toBe(Number.POSITIVE_INFINITY);
  });
  expect(await seconds()).toBeLessThanOrEqual(0);
  expect((await claim()).map(({ id }) => id)).toStrictEqual([held.id]);
});

test("no mail is due before the end of the transport's pause", async () => {
  await acceptRun(database, tenant, 1);
  await database.db
    .updateTable('transport')
    .set({ paused_until: new Date(Date.now() + 600_000) })
    .execute();
  expect(await seconds()).toBeGreaterThan(500);
  await database.db.updateTable('transport').set({ paused_until: new Date() }).execute();
  expect(await seconds()).toBeLessThanOrEqual(0);
});

test('a sender that always has mail accumulates no due notes', async () => {
  await acceptRun(database, tenant, 60);
  for (let n = 0; n < 25; n += 1) await requeueClaims(database.service.db, await claim(1));
  expect(await claim(1)).toHaveLength(1);
  expect(await notes()).toBeLessThan(15);
});
