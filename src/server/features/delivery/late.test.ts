import { beforeEach, expect, test } from 'vitest';
import { shareClock, tokyo } from '#test/clock.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import {
  acceptAt,
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

/** A Wednesday evening: from 21:30 on its mails are late. */
const RESERVED_FOR = tokyo('2026-11-18T20:30:00');
const MORNING = tokyo('2026-11-19T08:00:00');

const clock = shareClock();
const { goTo } = clock;

let tenant: Tenant;
let run: number;

/** Three mails of a run that was reserved. */
beforeEach(async () => {
  await goTo('2026-11-18T20:30:00');
  tenant = await addTenant(clock.database.db);
  const { id, prospectIds } = await acceptAt(clock.database, clock.now, tenant, 3);
  run = id;
  const reservation = { sendAt: new Date(RESERVED_FOR), pending: false };
  const reservation_id = await addReservation(clock.database.db, tenant, prospectIds, reservation);
  await clock.database.db.updateTable('send_log').set({ reservation_id }).execute();
});

const claim = (rows?: number) => claimMails(clock.database, rows === undefined ? {} : { rows });

const mails = () =>
  clock.database.db
    .selectFrom('delivery')
    .select(['state', 'attempts', 'not_before', 'lease_until', 'smtp_reply'])
    .orderBy('id')
    .execute();
/** State, and seconds from the next morning to `not_before`, rounded. */
const waits = async () =>
  (await mails()).map(({ state, not_before }) => [state, Math.round((not_before.getTime() - MORNING) / 1000)]);
const progress = () => runProgress(clock.database.service.db, tenant.accountId, run, clock.now);

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
  await clock.database.db.updateTable('sender_throttle').set({ mails_per_minute: 1 }).execute();
  expect(await progress()).toMatchObject({
    put_off_until: '2026/11/19 08:00:00',
    estimated_end_at: '2026/11/19 08:03:00',
  });
  expect(await unbalancedRuns(clock.database.db)).toStrictEqual([]);

  await goTo('2026-11-19T08:00:01');
  await clock.database.db.updateTable('sender_throttle').set({ mails_per_minute: null }).execute();
  expect(await progress()).toMatchObject({ put_off_until: null });
  expect(await claim()).toHaveLength(3);
});

test('while the transport is paused, progress shows both waits', async () => {
  await goTo('2026-11-18T21:20:00');
  const paused_until = new Date(tokyo('2026-11-18T21:40:00'));
  await clock.database.db.updateTable('transport').set({ paused_until }).execute();
  expect(await progress()).toMatchObject({
    transport_paused_until: '2026/11/18 21:40:00',
    put_off_until: '2026/11/19 08:00:00',
  });
});

test.each([
  ['a test', { test_send_mode: true }],
  ['a run sent at once', { reservation_id: null }],
])('%s goes in the night too', async (_, values) => {
  await clock.database.db.updateTable('send_log').set(values).execute();
  await goTo('2026-11-19T03:00:00');
  expect(await progress()).toMatchObject({ put_off_until: null });
  expect(await claim()).toHaveLength(3);
});

test('a mail that was claimed in time and comes to its mark too late does not begin', async () => {
  await goTo('2026-11-18T21:29:55');
  const claims = await claim();
  expect(await markSending(clock.database.service.db, claims.slice(0, 1))).toStrictEqual([true]);
  await clock.database.db.updateTable('delivery').set({ smtp_reply: '450 before' }).execute();
  await goTo('2026-11-18T21:30:00');
  expect(await markSending(clock.database.service.db, claims.slice(1, 2))).toStrictEqual([false]);
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
    clock.database.service.db,
    claims.map((claimed) => ({ claim: claimed, outcome: { kind: 'deferred', reply: '451' } as const })),
    clock.now,
  );
  await goTo('2026-11-18T22:10:00');
  expect(await claim()).toStrictEqual([]);
  expect(await waits()).toStrictEqual(Array(3).fill(['queued', 0]));
});

test('a worker that holds them when the hours end requeues them, and each is sent once in the morning', async () => {
  await goTo('2026-11-18T21:29:00');
  const sink = await testSink();
  sink.fault = (moment) => (moment === 'DATA' ? 'wait' : null);
  const worker = testWorker(clock.database, sink, { connections: 1, now: () => clock.now });
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
  await eventually(waits, (all) => all.every(([state, seconds]) => state === 'queued' && seconds === 0));
  // The one at the mail server was refused at its mark, and the rest of its run is held no more. Its connection may
  // have begun the envelope of one of them.
  expect(sink.mails).toStrictEqual([]);
  expect(asked).toBeLessThanOrEqual(1);
  await worker.stop();
  await goTo('2026-11-19T08:01:00');
  testWorker(clock.database, sink, { connections: 1, now: () => clock.now });
  expect(await untilSettled(clock.database.db)).toStrictEqual({ sent: 3 });
  expect(sink.mails).toHaveLength(3);
  expect(await countStates(clock.database.db)).toStrictEqual({ sent: 3 });
});
