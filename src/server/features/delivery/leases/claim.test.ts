import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, profileOf, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimBatch, finishDeliveries, markSending, WORKER_A, WORKER_B } from '#test/sending.ts';
import { sweepLostClaims } from '../results/sweep.queries.ts';
import { renewConnections, renewLeases } from './lease.queries.ts';
import { CLAIM_LEASE_SECONDS, SENDING_LEASE_SECONDS } from './lease-seconds.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

const row = () => database.db.selectFrom('delivery').selectAll().orderBy('id').executeTakeFirstOrThrow();

/** Accepts a run. @returns the ids of its companies */
const request = async (count: number) => (await acceptRun(database, tenant, count)).prospectIds;

const claim = (workerId: string, rows = 100) => claimBatch(database, { workerId, rows });
const expireLeases = () =>
  database.db
    .updateTable('delivery')
    .set({ lease_until: new Date(0) })
    .where('lease_until', 'is not', null)
    .execute();

test('two workers never hold the same mail', async () => {
  await request(30);
  const batches = await Promise.all([claim(WORKER_A, 10), claim(WORKER_B, 10)]);
  const more = [await claim(WORKER_A, 10), await claim(WORKER_B, 30)];
  const ids = [...batches, ...more].flatMap((batch) => batch?.claims.map(({ id }) => id) ?? []);
  expect(ids).toHaveLength(30);
  expect(new Set(ids).size).toBe(30);
});

test('the claimed mails of a run share one mail object', async () => {
  await request(10);
  await request(10);
  const claims = (await claim(WORKER_A))?.claims ?? [];
  expect(claims).toHaveLength(20);
  expect(new Set(claims.map(({ mail }) => mail)).size).toBe(2);
});

test('later claims share that object too, until the stored text changes', async () => {
  await request(3);
  const mailOf = async () => (await claim(WORKER_A, 1))?.claims[0]?.mail;
  const first = await mailOf();
  expect(first).toBeDefined();
  expect(await mailOf()).toBe(first);
  await sql`UPDATE send_log SET mail = mail || '{"subject": "別の件名"}'`.execute(database.db);
  expect(await mailOf()).toStrictEqual({ ...first, subject: '別の件名' });
});

test('a mail that has not begun is free long before one whose body may have left is given up', async () => {
  await request(2);
  const claims = (await claim(WORKER_A))?.claims ?? [];
  await markSending(database.service.db, claims.slice(0, 1));
  await expireLeases();
  expect(await renewLeases(database.service.db, claims)).toStrictEqual([true, true]);
  // Both were renewed by one statement, so by one reading of the clock.
  const [sending, claimed] = await database.db
    .selectFrom('delivery')
    .select('lease_until')
    .orderBy(sql`state = 'sending'`, 'desc')
    .execute();
  const apart = Number(sending?.lease_until) - Number(claimed?.lease_until);
  expect(apart).toBe((SENDING_LEASE_SECONDS - CLAIM_LEASE_SECONDS) * 1000);
});

test('a renewal skips young leases, but still finds lost claims', async () => {
  await request(2);
  const claims = (await claim(WORKER_A))?.claims ?? [];
  // One transaction has one reading of the clock.
  await database.service.db.transaction().execute(async (tx) => {
    const leaseOf = async () => (await tx.selectFrom('delivery').select('lease_until').execute())[0]?.lease_until;
    const begin = (end: string) => tx.updateTable('delivery').set({ lease_until: sql<Date>`now() + ${end}::interval` });
    await begin(`${CLAIM_LEASE_SECONDS - 1.25} seconds`).execute();
    const before = await leaseOf();
    expect(await renewLeases(tx, claims)).toStrictEqual([true, true]);
    expect(await leaseOf()).toStrictEqual(before);
    // The database's clock was set back.
    await begin('1 hour').execute();
    expect(await renewLeases(tx, claims)).toStrictEqual([true, true]);
    expect(Number(await leaseOf())).toBe(Number(before) + 1250);
  });
  await database.db
    .updateTable('delivery')
    .set((row) => ({ claim_no: row('claim_no', '+', 1) }))
    .where('id', '=', claims[0]?.id ?? 0)
    .execute();
  expect(await renewLeases(database.service.db, claims)).toStrictEqual([false, true]);
});

test('a late worker changes nothing: its claim number is old', async () => {
  await request(1);
  const [late] = (await claim(WORKER_A))?.claims ?? [];
  await expireLeases();
  expect(await sweepLostClaims(database.service.db)).toStrictEqual({ requeued: 1, unknown: 0 });
  const [now] = (await claim(WORKER_B))?.claims ?? [];
  if (!late || !now) throw new Error('nothing was claimed');
  expect(now.claimNo).toBe(late.claimNo + 1);
  expect(await markSending(database.service.db, [late])).toStrictEqual([false]);
  expect(
    await finishDeliveries(database.service.db, [
      { claim: late, outcome: { kind: 'failed', reply: '550', badAddress: true } },
    ]),
  ).toStrictEqual([false]);
  expect(await row()).toMatchObject({ state: 'claimed', worker_id: WORKER_B });
  expect(await database.db.selectFrom('suppression').selectAll().execute()).toStrictEqual([]);
});

test('is not claimed for an address that its company got since, and that is suppressed', async () => {
  const [prospect = 0] = await request(1);
  await database.db
    .updateTable('prospect')
    .set({ company_email: 'right@a.example', email_search: 'right@a.example' })
    .where('id', '=', prospect)
    .execute();
  await database.db
    .insertInto('suppression')
    .values({ account_id: tenant.accountId, kind: 'address', value: 'right@a.example', reason: '550' })
    .execute();
  expect((await claim(WORKER_A))?.claims).toStrictEqual([]);
  expect(await row()).toMatchObject({ state: 'cancelled', reason: 'suppressed' });
});

test('a worker that lost a mail unnoticed and claimed it again sends it only by its second claim', async () => {
  await request(1);
  const [lost] = (await claim(WORKER_A))?.claims ?? [];
  await expireLeases();
  await sweepLostClaims(database.service.db);
  const [held] = (await claim(WORKER_A))?.claims ?? [];
  if (!lost || !held) throw new Error('nothing was claimed');
  expect(held.id).toBe(lost.id);
  expect(await renewLeases(database.service.db, [lost, held])).toStrictEqual([false, true]);
  expect(await markSending(database.service.db, [lost, held])).toStrictEqual([false, true]);
  const sent = [lost, held].map((mail) => ({ claim: mail, outcome: { kind: 'sent', reply: '250' } as const }));
  expect(await finishDeliveries(database.service.db, sent)).toStrictEqual([false, true]);
});

test('a mail whose body had begun when its worker died is unknown and counts as contacted', async () => {
  const [prospect] = await request(1);
  const claims = (await claim(WORKER_A))?.claims ?? [];
  expect(await markSending(database.service.db, claims)).toStrictEqual([true]);
  await expireLeases();
  expect(await sweepLostClaims(database.service.db)).toStrictEqual({ requeued: 0, unknown: 1 });
  expect(await row()).toMatchObject({ state: 'unknown', lease_until: null, worker_id: null });
  const contacts = await database.db.selectFrom('contact_state').select('prospect_id').execute();
  expect(contacts).toStrictEqual([{ prospect_id: prospect }]);
});

test('a mail whose lease has ended is not started, even before the sweep', async () => {
  await request(1);
  const claims = (await claim(WORKER_A))?.claims ?? [];
  await expireLeases();
  expect(await markSending(database.service.db, claims)).toStrictEqual([false]);
  expect(await row()).toMatchObject({ state: 'claimed' });
});

test('whoever may not be mailed any more at the claim is cancelled with the reason', async () => {
  const [prospect = 0] = await request(2);
  await database.db
    .insertInto('active_prospect')
    .values({
      account_id: tenant.accountId,
      sender_group_id: tenant.senderGroupId,
      prospect_id: prospect,
      active: false,
    })
    .execute();
  expect((await claim(WORKER_A))?.claims).toHaveLength(1);
  expect(await row()).toMatchObject({ state: 'cancelled', reason: 'inactive', lease_until: null });
});

test('the connections of a sender are shared out over all workers and no more', async () => {
  await request(20);
  await database.db.updateTable('sender_throttle').set({ max_connections: 6 }).execute();
  expect((await claim(WORKER_A, 5))?.connections).toBe(4);
  expect((await claim(WORKER_B, 5))?.connections).toBe(2);
  expect(await claim(crypto.randomUUID(), 5)).toBeNull();
});

test('a share of the connections that has run out is not kept: another may have it by now', async () => {
  await request(20);
  await database.db.updateTable('sender_throttle').set({ max_connections: 4 }).execute();
  expect((await claim(WORKER_A, 5))?.connections).toBe(4);
  const mine = () =>
    database.db
      .updateTable('sender_connection')
      .where('worker_id', '=', WORKER_A)
      .set({ lease_until: new Date(0) })
      .execute();
  await mine();
  expect((await claim(WORKER_B, 5))?.connections).toBe(4);
  const profile = await profileOf(database.db, tenant.senderId);
  await renewConnections(database.service.db, WORKER_A, [profile]);
  await renewConnections(database.service.db, WORKER_B, [profile]);
  const living = database.db.selectFrom('sender_connection').where('lease_until', '>', new Date());
  expect(await living.select(['worker_id', 'connections']).execute()).toStrictEqual([
    { worker_id: WORKER_B, connections: 4 },
  ]);
});

test('the pace of a sender limits all workers together', async () => {
  await request(20);
  await database.db.updateTable('sender_throttle').set({ mails_per_minute: 60 }).execute();
  expect((await claim(WORKER_A))?.claims).toHaveLength(1);
  expect(await claim(WORKER_B)).toBeNull();
  await database.db
    .updateTable('sender_throttle')
    .set({ next_at: new Date(Date.now() - 60_000) })
    .execute();
  expect((await claim(WORKER_B))?.claims).toHaveLength(1);
  expect(await claim(WORKER_A)).toBeNull();
});

test('behind a slow server a worker holds no more mails of a sender with a pace than can leave at once', async () => {
  await request(20);
  await database.db.updateTable('sender_throttle').set({ mails_per_minute: 600, max_connections: 3 }).execute();
  const later = () =>
    database.db
      .updateTable('sender_throttle')
      .set({ next_at: new Date(0) })
      .execute();
  expect((await claim(WORKER_A))?.claims).toHaveLength(3);
  await later();
  expect(await claim(WORKER_A)).toBeNull();
  await database.db.updateTable('sender_throttle').set({ max_connections: 4 }).execute();
  await later();
  expect((await claim(WORKER_A))?.claims).toHaveLength(1);
});

test.each([null, 60])('a database clock that is set back an hour stops nobody (pace %s)', async (pace) => {
  await request(2);
  const next_at = new Date(Date.now() + 3_600_000);
  await database.db.updateTable('sender_throttle').set({ mails_per_minute: pace, next_at }).execute();
  expect((await claim(WORKER_A))?.claims.length).toBeGreaterThan(0);
  // And the pace holds from now on.
  if (pace !== null) expect(await claim(WORKER_B)).toBeNull();
});
