import { beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseClock } from '#test/clock.ts';
import { createTestDatabase, empty, type TestDatabase } from '#test/db.ts';
import { addTenant, addTextOf } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending } from '#test/sending.ts';
import type { Claim } from './leases/claim.ts';
import { renewLeases } from './leases/lease.queries.ts';

const PER_MINUTE = 30;
const CONNECTIONS = 4;
const START = Date.now();

let database: TestDatabase;
/** Seconds of the database's clock since START. */
let second: number;
let setClock: (instant: number) => Promise<void>;
/** The seconds at which the mail server had taken mails. */
let arrivals: number[];

interface Worker {
  readonly id: string;
  held: { readonly claim: Claim; readonly arrives: number }[];
  /** Seconds from the claim to the mail server's 250. */
  readonly link: () => number;
}

const worker = (n: number, link: () => number): Worker => ({
  id: `00000000-0000-4000-8000-00000000000${n}`,
  held: [],
  link,
});

beforeAll(async () => {
  database = await createTestDatabase();
  setClock = await databaseClock(database, { stands: true });
  return () => database.drop();
});

beforeEach(async () => {
  await empty(database);
  await setClock(START);
  const tenant = await addTenant(database.db);
  const other = await addTextOf(database.db, tenant);
  // Texts of one profile take turns, and share its pace.
  for (let runs = 0; runs < 8; runs += 1) await acceptRun(database, runs % 2 ? tenant : other, PER_MINUTE / 2);
  // As if all had been written at the first second: columns have the machine's time by themselves.
  const start = new Date(START);
  await database.db.updateTable('delivery').set({ not_before: start, created_at: start }).execute();
  await database.db.updateTable('sender_due').set({ due_at: start }).execute();
  await database.db.updateTable('sender_throttle').set({ mails_per_minute: PER_MINUTE, next_at: start }).execute();
  [second, arrivals] = [0, []];
});

/** One turn of a worker: renews its leases, finishes mails that have arrived, and claims more. */
async function takeTurn(worker: Worker): Promise<void> {
  const { db } = database.service;
  const claims = worker.held.map(({ claim }) => claim);
  if (claims.length > 0) await renewLeases(db, claims);
  const arrived = worker.held.filter(({ arrives }) => arrives <= second);
  worker.held = worker.held.filter(({ arrives }) => arrives > second);
  if (arrived.length > 0) {
    arrivals.push(...arrived.map(() => second));
    const sent = arrived.map(({ claim }) => ({ claim, outcome: { kind: 'sent', reply: '250' } as const }));
    await finishDeliveries(db, sent);
  }
  const claimed = await claimMails(database, { workerId: worker.id, connections: CONNECTIONS });
  if (claimed.length > 0) await markSending(db, claimed);
  worker.held.push(...claimed.map((claim) => ({ claim, arrives: second + worker.link() })));
}

async function run(workers: readonly Worker[], until: number): Promise<void> {
  for (; second < until; second += 1) {
    await setClock(START + second * 1000);
    for (const worker of workers) await takeTurn(worker);
  }
}

/** The most arrivals in any minute, wherever it begins. */
const mostInAMinute = () =>
  Math.max(...arrivals.map((first) => arrivals.filter((at) => at >= first && at < first + 60).length));

test('what waited in several workers at a slow mail server does not arrive on top of a minute', async () => {
  // Nothing gets through for 40 seconds, and then everything at once.
  const workers = [1, 2, 3].map((n) => worker(n, () => Math.max(0, 40 - second)));
  await run(workers, 125);
  expect(mostInAMinute()).toBeLessThanOrEqual(PER_MINUTE);
  expect(arrivals.length).toBeGreaterThan(1.2 * PER_MINUTE);
});

test('one mail that is slow holds nobody up, and a minute holds no more than the pace', async () => {
  // Every seventh mail of one worker takes half a minute.
  let mails = 0;
  const slow = worker(1, () => {
    mails += 1;
    return mails % 7 === 0 ? 30 : 0;
  });
  const quick = worker(2, () => 0);
  await run([slow, quick], 125);
  expect(mostInAMinute()).toBeLessThanOrEqual(PER_MINUTE);
  expect(arrivals.length).toBeGreaterThan(1.8 * PER_MINUTE);
});
