import { beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseClock } from '#test/clock.ts';
import { createTestDatabase, empty, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import {
  acceptRun,
  claimMails,
  countStates,
  eventually,
  finishDeliveries,
  markSending,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
} from '#test/sending.ts';
import { runProgress } from '../runs/progress.queries.ts';

const tokyo = (text: string) => Date.parse(`${text}+09:00`);
/** A Wednesday evening: from 21:30 on its mails are late. */
const RESERVED_FOR = tokyo('2026-11-18T20:30:00');
const MORNING = tokyo('2026-11-19T08:00:00');

let database: TestDatabase;
let tenant: Tenant;
let run: number;
/** The time of the program and the database, epoch milliseconds. */
let now: number;
let setDatabaseClock: (instant: number) => Promise<void>;

const goTo = async (text: string) => {
  now = tokyo(text);
  await setDatabaseClock(now);
};

beforeAll(async () => {
  database = await createTestDatabase();
  setDatabaseClock = await databaseClock(database);
  return () => database.drop();
});

/** Three mails of a run that was reserved. */
beforeEach(async () => {
  await empty(database);
  await setDatabaseClock(Date.now());
  tenant = await addTenant(database.db);
  const { id, prospectIds } = await acceptRun(database, tenant, 3);
  run = id;
  const reservation = { sendAt: new Date(RESERVED_FOR), pending: false };
  const reservation_id = await addReservation(database.db, tenant, prospectIds, reservation);
  const due = { not_before: new Date(RESERVED_FOR) };
  await database.db.updateTable('send_log').set({ reservation_id }).execute();
  await database.db.updateTable('delivery').set(due).execute();
  await database.db.updateTable('sender_throttle').set({ next_at: due.not_before }).execute();
});

const claim = (rows?: number) => claimMails(database, rows === undefined ? { now } : { now, rows });

const mails = () =>
  database.db
    .selectFrom('delivery')
    .select(['state', 'attempts', 'not_before', 'lease_until', 'smtp_reply'])
    .orderBy('id')
    .execute();
/** State, and seconds from the next morning to `not_before`, rounded: the clocks go on. */
const waits = async () =>
  (await mails()).map(({ state, not_before }) => [state, Math.round((not_before.getTime() - MORNING) / 1000)]);
const progress = () => runProgress(database.service.db, tenant.accountId, run, now);

test('a mail that is not an hour late is claimed at any time', async () => {
  await goTo('2026-11-18T21:29:00');
  expect(await claim()).toHaveLength(3);
  expect(await progress()).toMatchObject({ put_off_until: null });
});

test('an hour late and at night, all mails of the run wait for the morning, and progress shows it', async () => {
  await goTo('2026-11-18T21:30:05');
  // Nobody has claimed for an hour: the screen knows before a worker does.
  expect(await progress()).toMatchObject({ put_off_until: '2026/11/19 08:00:00', estimated_end_at: null });
  expect(await claim(1)).toStrictEqual([]);
  expect(await waits()).toStrictEqual(Array(3).fill(['queued', 0]));
  expect(await claim()).toStrictEqual([]);
  await database.db.updateTable('sender_throttle').set({ mails_per_minute: 1 }).execute();
  expect(await progress()).toMatchObject({
    put_off_until: '2026/11/19 08:00:00',
    estimated_end_at: '2026/11/19 08:03:00',
  });
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);

  await goTo('2026-11-19T08:00:01');
  await database.db.updateTable('sender_throttle').set({ mails_per_minute: null }).execute();
  expect(await progress()).toMatchObject({ put_off_until: null });
  expect(await claim()).toHaveLength(3);
});

test('while the transport is paused, progress shows both waits', async () => {
  await goTo('2026-11-18T21:20:00');
  const paused_until = new Date(tokyo('2026-11-18T21:40:00'));
  await database.db.updateTable('transport').set({ paused_until }).execute();
  expect(await progress()).toMatchObject({
    transport_paused_until: '2026/11/18 21:40:00',
    put_off_until: '2026/11/19 08:00:00',
  });
});

test.each([
  ['a test', { test_send_mode: true }],
  ['a run sent at once', { reservation_id: null }],
])('%s goes in the night too', async (_, values) => {
  await database.db.updateTable('send_log').set(values).execute();
  await goTo('2026-11-19T03:00:00');
  expect(await progress()).toMatchObject({ put_off_until: null });
  expect(await claim()).toHaveLength(3);
});

test('a mail that was claimed in time and comes to its mark too late does not begin', async () => {
  await goTo('2026-11-18T21:29:55');
  const claims = await claim();
  expect(await markSending(database.service.db, claims.slice(0, 1), now)).toStrictEqual([true]);
  await database.db.updateTable('delivery').set({ smtp_reply: '450 before' }).execute();
  await goTo('2026-11-18T21:30:00');
  expect(await markSending(database.service.db, claims.slice(1, 2), now)).toStrictEqual([false]);
  const [begun, late] = await mails();
  expect(begun).toMatchObject({ state: 'sending' });
  expect(late).toMatchObject({ state: 'queued', attempts: 0, lease_until: null, smtp_reply: '450 before' });
  // Its next claim defers it, with the rest of its run.
  expect(await claim()).toStrictEqual([]);
  expect((await waits()).slice(1)).toStrictEqual(Array(2).fill(['queued', 0]));
});

test('a try that is due after the hours waits for the morning at its claim', async () => {
  await goTo('2026-11-18T20:50:00');
  const claims = (await claim()).map((claimed) => ({ ...claimed, attempts: 3 }));
  await finishDeliveries(
    database.service.db,
    claims.map((claimed) => ({ claim: claimed, outcome: { kind: 'deferred', reply: '451' } as const })),
    now,
  );
  await goTo('2026-11-18T22:10:00');
  expect(await claim()).toStrictEqual([]);
  expect(await waits()).toStrictEqual(Array(3).fill(['queued', 0]));
});

test('a worker that holds them when the hours end requeues them, and each is sent once in the morning', async () => {
  await goTo('2026-11-18T21:29:00');
  const sink = await testSink();
  sink.fault = (moment) => (moment === 'DATA' ? 'wait' : null);
  const worker = testWorker(database, sink, { connections: 1, now: () => now });
  await eventually(
    () => sink.waiting.length,
    (count) => count === 1,
  );
  await goTo('2026-11-18T21:31:00');
  let asked = 0;
  sink.fault = (moment) => {
    asked += moment === 'MAIL' ? 1 : 0;
    return null;
  };
  for (const answer of sink.waiting) answer();
  // The clock of the database goes on, that of the worker does not.
  const isMorning = (seconds: number) => seconds >= 0 && seconds < 60;
  await eventually(waits, (all) => all.every(([state, seconds]) => state === 'queued' && isMorning(Number(seconds))));
  // The one at the mail server was refused at its mark; the others were not begun.
  expect([sink.mails, asked]).toStrictEqual([[], 0]);
  // A claim reads the worker's clock before the database's: the latter must not jump in between.
  await worker.stop();
  await goTo('2026-11-19T08:01:00');
  testWorker(database, sink, { connections: 1, now: () => now });
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 3 });
  expect(sink.mails).toHaveLength(3);
  expect(await countStates(database.db)).toStrictEqual({ sent: 3 });
});
