import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, countStates, finishDeliveries, untilBlocked, WORKER_A, WORKER_B } from '#test/sending.ts';
import { endPause, readTransport } from '#test/transport-pause.ts';
import { claimDeliveries } from './claim/claim.queries.ts';
import type { Claim } from './leases/claim.ts';
import type { DeliveryResult } from './leases/delivery-result.ts';
import { requeueClaims } from './leases/lease.queries.ts';
import { senderQueues } from './leases/sender-queues.ts';
import { recordFaults } from './pauses/breaker.queries.ts';
import { cancelRun, pauseRun } from './queue/run-rows.queries.ts';
import { queueFigures } from './queue-figures.queries.ts';
import { updateBreaker } from './results/breaker.ts';
import { commitResults } from './results/delivery-journal.ts';
import { sweepLostClaims } from './results/sweep.queries.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
});

/** With what it returns while sending is paused. */
const claim = (worker: string) => claimDeliveries(database.service.db, worker, { connections: 4, rows: 100 });

/** Changes the mails that workers hold. */
const change = (values: string) => () =>
  database.pool.query(`UPDATE delivery SET ${values} WHERE lease_until IS NOT NULL`);

/** Records faults. @param probe the mail that probed; null: mails of the time before the pause */
const fault = (probe: Claim | null, count = 1) =>
  recordFaults(database.service.db, { count, probe, reply: '421 no service' }, 0.5);

/** Claims the mail that probes after a pause. The first claim may only tidy the note of a sender without due mail. */
async function probeOf(worker: string): Promise<Claim> {
  const batches = [await claim(worker), await claim(worker)];
  const claims = batches.flatMap((batch) => (batch === null || typeof batch === 'string' ? [] : batch.claims));
  expect(claims).toMatchObject([{ isProbe: true }]);
  // Longer than this test takes on the slowest machine.
  await change("lease_until = now() + interval '1 hour'")();
  return claims[0] as Claim;
}

test('while it is paused no worker claims; then one of them claims one mail', async () => {
  const workers = Array.from({ length: 8 }, () => randomUUID());
  await acceptRun(database, tenant, 10);
  expect(await fault(null, 4)).toBeNull();
  expect(await fault(null)).toStrictEqual({ begins: true, seconds: 30 });
  expect(await claim(WORKER_A)).toBe('paused');
  for (let rounds = 0; rounds < 5; rounds += 1) {
    await endPause(database);
    const batches = await Promise.all(workers.map(claim));
    const probes = batches.filter((batch) => batch !== 'paused');
    expect(probes).toMatchObject([{ claims: [{ isProbe: true }] }]);
    expect(await claim(WORKER_A)).toBe('paused');
    // As long as it probes, all mails wait.
    expect(await queueFigures(database.service.db)).toMatchObject({ transportPaused: 1 });
    await change("state = 'queued', lease_until = NULL, worker_id = NULL")();
  }
});

test('a failed probe lengthens the next pause, to ten minutes at most; faults of mails already being sent do not', async () => {
  await acceptRun(database, tenant, 6);
  await fault(null, 5);
  expect(await fault(null, 20)).toStrictEqual({ begins: false });
  expect((await readTransport(database)).pauses).toBe(1);
  for (const seconds of [60, 120, 240, 480, 600, 600]) {
    await endPause(database);
    const probe = await probeOf(WORKER_A);
    expect(await fault(probe)).toMatchObject({ begins: true, seconds });
    // Once: its results may be written again.
    expect(await fault(probe)).toStrictEqual({ begins: false });
  }
  const { paused_until } = await readTransport(database);
  expect((paused_until?.getTime() ?? 0) - Date.now()).toBeGreaterThan(590_000);
});

const result = (outcome: DeliveryResult['outcome']) => (probe: Claim) =>
  finishDeliveries(database.service.db, [{ claim: probe, outcome }]);
const ofItsRun = (work: (...args: Parameters<typeof pauseRun>) => Promise<unknown>) => (probe: Claim) =>
  database.service.db
    .transaction()
    .execute((tx) => work(tx, { accountId: probe.accountId, id: probe.sendLogId }, 'user'));

describe('another worker probes as soon as the claim of the probe is over, and not before', () => {
  test.each<[string, (probe: Claim) => Promise<unknown>]>([
    ['its worker died: the lease is over', change('lease_until = now()')],
    ['its worker died while it sent', change("state = 'sending', lease_until = now()")],
    ['it was swept', () => change('lease_until = now()')().then(() => sweepLostClaims(database.service.db))],
    ['another claim of it began', change('claim_no = claim_no + 1')],
    ['its worker stopped, and gave it back', (probe) => requeueClaims(database.service.db, [probe])],
    ['it was sent', result({ kind: 'sent', reply: '250' })],
    ['it failed', result({ kind: 'failed', reply: '550', badAddress: false })],
    ['its mark was not written', result({ kind: 'unmarked', reply: 'no database' })],
    ['it could not be composed', result({ kind: 'unsendable', reply: 'no' })],
    ['its run was paused', ofItsRun(pauseRun)],
    ['its run was cancelled', ofItsRun(cancelRun)],
    ['its account ended', () => database.pool.query('DELETE FROM delivery WHERE lease_until IS NOT NULL')],
  ])('%s', async (_name, end) => {
    const other = await addTenant(database.db);
    await acceptRun(database, tenant, 1);
    await fault(null, 5);
    await endPause(database);
    const probe = await probeOf(WORKER_A);
    await acceptRun(database, other, 1);
    expect(await claim(WORKER_B)).toBe('paused');
    await end(probe);
    const next = await probeOf(WORKER_B);
    expect(await claim(WORKER_A)).toBe('paused');
    // What becomes of the first one now says nothing about the second.
    expect(next).not.toMatchObject({ id: probe.id, claimNo: probe.claimNo });
    expect(await fault(probe)).toStrictEqual({ begins: false });
    expect(await claim(WORKER_A)).toBe('paused');
  });
});

test('a mail that may not be sent any more is no probe: the next claim has one', async () => {
  const { prospectIds } = await acceptRun(database, tenant, 2);
  const { accountId: account_id, senderGroupId: sender_group_id } = tenant;
  await database.db
    .insertInto('active_prospect')
    .values({ account_id, sender_group_id, prospect_id: prospectIds[0] ?? 0, active: false })
    .execute();
  await fault(null, 5);
  await endPause(database);
  expect(await claim(WORKER_A)).toMatchObject({ claims: [] });
  expect(await readTransport(database)).toMatchObject({ probe_delivery_id: null });
  expect(await claim(WORKER_B)).toMatchObject({ claims: [{ isProbe: true, prospectId: prospectIds[1] }] });
});

test('a failed probe begins the next pause before its claim ends: nobody probes between the two', async () => {
  await acceptRun(database, tenant, 1);
  await fault(null, 5);
  await endPause(database);
  const probe = await probeOf(WORKER_A);
  const { db } = database.service;
  const worker = { db, log: pino({ level: 'silent' }), now: Date.now, queues: senderQueues() };
  const written = await database.db.transaction().execute(async (tx) => {
    await tx.selectFrom('delivery').select('id').forUpdate().execute();
    const writing = commitResults(worker, [{ claim: probe, outcome: { kind: 'transport', reply: 'no' } }]);
    await untilBlocked(database);
    expect(await readTransport(database)).toMatchObject({ pauses: 2, probe_delivery_id: null });
    return { writing };
  });
  await written.writing;
  expect(await countStates(database.db)).toStrictEqual({ queued: 1 });
});

test('a probe that is dropped has failed, even one that was dropped before', async () => {
  await acceptRun(database, tenant, 1);
  await database.db.updateTable('delivery').set({ attempts: 1 }).execute();
  await fault(null, 5);
  await endPause(database);
  const results = [{ claim: await probeOf(WORKER_A), outcome: { kind: 'dropped', reply: 'closed' } as const }];
  const worker = { db: database.service.db, log: pino({ level: 'silent' }) };
  expect(await updateBreaker(worker, results, true)).toBe(true);
  expect(await readTransport(database)).toMatchObject({ pauses: 2 });
});

test('a probe needs a mail: with none due the pause stays as it is', async () => {
  await fault(null, 5);
  await endPause(database);
  expect(await claim(WORKER_A)).toBeNull();
  expect((await readTransport(database)).paused_until).toStrictEqual(new Date(0));
});
