import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { sweepNow } from '#test/faults/workers.ts';
import { addTenant } from '#test/prospects.ts';
import { acceptRun, claimMails, countStates, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { CLAIM_LEASE_SECONDS } from './leases/lease-seconds.ts';
import { sweepWhenDue } from './sweeps.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await emptyDatabase();
});

async function claimOne(leaseUntil: string): Promise<void> {
  await acceptRun(database, await addTenant(database.db), 1);
  expect(await claimMails(database)).toHaveLength(1);
  await sql`UPDATE delivery SET lease_until = ${sql.raw(leaseUntil)}`.execute(database.db);
}

const sweep = () => sweepWhenDue(database.service.db);

test('without a lease, the next look comes before a claim that begins now can be over', async () => {
  const ms = await sweep();
  expect(ms).toBeGreaterThan(0);
  expect(ms).toBeLessThan(CLAIM_LEASE_SECONDS * 1000);
});

test('the next look comes when the first lease ends', async () => {
  await claimOne(`now() + interval '2 seconds'`);
  expect(await sweep()).toBeLessThanOrEqual(2010);
});

test('an ended lease is swept at once, and the next look follows at once', async () => {
  await claimOne(`now() - interval '1 millisecond'`);
  expect(await sweep()).toBe(0);
  expect(await countStates(database.db)).toStrictEqual({ queued: 1 });
});

test('a lease far ahead, as after a jump of the clock, does not keep the others from being looked at', async () => {
  await claimOne(`now() + interval '1 hour'`);
  expect(await sweep()).toBeLessThan(CLAIM_LEASE_SECONDS * 1000);
});

test('while another process has the mail locked, the sweep waits instead of asking without a pause', async () => {
  await claimOne(`now() - interval '1 second'`);
  await database.db.transaction().execute(async (tx) => {
    await sql`SELECT FROM delivery FOR UPDATE`.execute(tx);
    expect(await sweep()).toBeGreaterThan(100);
  });
  expect(await sweep()).toBe(0);
});

/** Every other claim that has not begun, as if its worker had been too slow to renew it. */
const SLOW_CLAIMS = sql`state = 'claimed' AND (id + claim_no) % 2 = 0`;

test('workers that lose their claims again and again send each mail once, and none waits for ever', async () => {
  const sink = await testSink();
  sink.latencyMs = 5;
  await acceptRun(database, await addTenant(database.db), 150);
  for (let workers = 0; workers < 2; workers += 1) testWorker(database, sink);
  let swept = 0;
  let isOver = false;
  const stealing = (async () => {
    while (!isOver) swept += (await sweepNow(database, SLOW_CLAIMS)).requeued;
  })();
  expect(await untilSettled(database.db, 60_000).finally(() => (isOver = true))).toStrictEqual({ sent: 150 });
  await stealing;
  expect(swept).toBeGreaterThan(0);
  const arrived = sink.mails.map(({ messageId }) => messageId);
  expect(arrived).toHaveLength(150);
  expect(new Set(arrived).size).toBe(150);
});
