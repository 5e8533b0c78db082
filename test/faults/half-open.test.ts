import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startReservationScheduler } from '#server/features/reservations/reservation-scheduler.ts';
import { databaseClock } from '#test/clock.ts';
import { emptyDatabase, testDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { openAs } from '#test/open-as.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects } from '#test/prospects.ts';
import { countStates, eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { TEST_MAILING } from '../mailing.ts';
import { CLAIM_UNCOMMITTED, MARK } from './crash-points.ts';
import { judge } from './truth.ts';
import { startWire } from './wire.ts';
import { endLeases, moveLeases, startWorker, stop, sweepNow, untilSettledByRetries, wireTo } from './workers.ts';

const MAILS = 200;
const CONNECTIONS = 4;

async function scene() {
  const database = await emptyDatabase();
  const sink = await testSink();
  sink.latencyMs = 5;
  await acceptMails(database, MAILS);
  const someArrived = () =>
    eventually(
      () => sink.mails.length,
      (count) => count >= 40,
      40_000,
    );
  const truth = () =>
    judge(
      database.db,
      sink.mails.map(({ messageId }) => messageId),
    );
  return { database, sink, someArrived, truth };
}

test('a worker cut off from the database continues after its mails were given to another: nothing is sent twice', async () => {
  const { database, sink, someArrived, truth } = await scene();
  const { wire, url } = await wireTo(database);
  const sleeper = startWorker(url, sink.port, CONNECTIONS);
  await someArrived();
  wire.freeze();
  // The bodies already begun reach the mail server, and no others, because the next marks never reach the database.
  await sleep(300);
  await endLeases(database);
  testWorker(database, sink);
  await untilSettled(database.db, 60_000);
  expect(await truth()).toMatchObject({ wrong: [] });

  wire.thaw();
  expect(await stop(sleeper), sleeper.output()).toBe(0);
  // The worker has requeued the mails that it had not begun and that the sweep took for begun.
  await untilSettled(database.db);
  const { wrong, sent, unknown } = await truth();
  expect(wrong).toStrictEqual([]);
  expect(sent + unknown).toBe(MAILS);
  expect(unknown).toBeLessThanOrEqual(CONNECTIONS);
});

test('a worker cut off during a claim, with the row of its sender locked, blocks no other worker', async () => {
  const { database, sink, truth } = await scene();
  const { wire, url } = await wireTo(database);
  const reached = wire.stopAt(CLAIM_UNCOMMITTED);
  startWorker(url, sink.port, CONNECTIONS);
  await reached;
  testWorker(database, sink);
  await untilSettled(database.db, 60_000);
  expect(await truth()).toMatchObject({ wrong: [], sent: MAILS });
});

test('a mail server stops answering, and its connections die: mails that it may have are unknown, the rest is sent', async () => {
  const { database, sink, someArrived, truth } = await scene();
  const wire = await startWire(sink.port);
  onTestFinished(() => wire.close());
  startWorker(database.url, wire.port, CONNECTIONS);
  await someArrived();
  wire.freeze();
  await sleep(500);
  expect((await countStates(database.db)).unknown ?? 0).toBe(0);
  wire.cut();
  wire.thaw();
  await untilSettledByRetries(database, 60_000);
  const { wrong, sent, unknown } = await truth();
  expect(wrong).toStrictEqual([]);
  expect(sent + unknown).toBe(MAILS);
  expect(unknown).toBeLessThanOrEqual(CONNECTIONS);
});

test('a worker whose leases end while the mail server is slow claims the mails again, and sends each once', async () => {
  const database = await emptyDatabase();
  const sink = await testSink();
  await acceptMails(database, 2);
  sink.fault = (moment) => (moment === 'DATA' ? 'wait' : null);
  testWorker(database, sink);
  const asked = (times: number) =>
    eventually(
      () => sink.waiting.length,
      (count) => count === times,
    );
  await asked(2);
  expect(await sweepNow(database)).toMatchObject({ requeued: 2 });
  await asked(4);
  // Both claims of a mail commit their mark at the same moment.
  for (const answer of sink.waiting) answer();
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 2 });
  const arrived = sink.mails.map(({ messageId }) => messageId);
  expect((await judge(database.db, arrived)).wrong).toStrictEqual([]);
});

test('a mark whose answer takes almost a lease: the body does not begin, and the next claim sends the mail once', async () => {
  const database = await emptyDatabase();
  const sink = await testSink();
  await acceptMails(database, 1);
  const { wire, url } = await wireTo(database);
  const service = openAs('service', url);
  onTestFinished(service.close);
  sink.fault = (moment) => (moment === 'DATA' ? 'wait' : null);
  let asleep = 0;
  testWorker({ ...database, service }, sink, { now: () => Date.now() + asleep });
  await eventually(
    () => sink.waiting.length,
    (count) => count === 1,
  );
  sink.fault = () => null;
  wire.freeze();
  for (const answer of sink.waiting) answer();
  // The mark is being sent, so the worker has already read its clock.
  await eventually(() => wire.holds(MARK), Boolean);
  asleep = 6000;
  wire.thaw();
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 1 });
  expect(sink.mails).toHaveLength(1);
  const mail = await database.db.selectFrom('delivery').select(['attempts', 'claim_no']).executeTakeFirstOrThrow();
  expect(mail).toStrictEqual({ attempts: 1, claim_no: 2 });
});

test('the clock of the database jumps an hour ahead repeatedly: every lease ends at once, no mail is doubled', async () => {
  const { database, sink, truth } = await scene();
  for (let workers = 0; workers < 2; workers += 1) testWorker(database, sink);
  for (let jumps = 0; jumps < 5; jumps += 1) {
    await sleep(60);
    await endLeases(database);
  }
  await untilSettled(database.db, 60_000);
  const { wrong, sent, unknown } = await truth();
  expect(wrong).toStrictEqual([]);
  expect(sent + unknown).toBe(MAILS);
});

test('the clock of the database jumps an hour back: its worker corrects a lease that seems to last an hour', async () => {
  const { database, sink, someArrived, truth } = await scene();
  testWorker(database, sink);
  await someArrived();
  await moveLeases(database, '1 hour');
  await untilSettled(database.db, 60_000);
  expect(await truth()).toMatchObject({ wrong: [], sent: MAILS });
});

test('the clock of the database jumps ahead and back: due mails and retries are sent once, at their time by that clock', async () => {
  const database = await testDatabase();
  const { db } = database;
  const sink = await testSink();
  const tenant = await acceptMails(database, 3);
  const companies = ['x', 'y'].map((name) => ({ company_email: `${name}@reserved.example` }));
  const [due = 0, later = 0] = await addProspects(db, tenant.accountId, companies);
  const inHours = (hours: number) => ({ sendAt: new Date(Date.now() + hours * 3_600_000) });
  await addReservation(db, tenant, [due], inHours(2));
  await addReservation(db, tenant, [later], inHours(3));
  const setClock = await databaseClock(database);
  const jump = (hours: number) => setClock(Date.now() + hours * 3_600_000);
  // Greylisted: the retry comes a minute later, not sooner.
  sink.fault = (moment, line) => (moment === 'RCPT' && line.includes('<1@x.jp>') ? '450 4.2.0 greylisted' : null);

  const service = openAs('service', database.url);
  onTestFinished(service.close);
  testWorker({ ...database, service }, sink);
  const log = pino({ level: 'silent' });
  onTestFinished(startReservationScheduler({ db: service.db, now: Date.now, log, ...TEST_MAILING }));
  const arrived = async (count: number) => {
    await eventually(
      () => sink.mails.length,
      (mails) => mails >= count,
    );
    // Time for any other due mail to be sent: two polls of the scheduler, and more of the worker.
    await sleep(1500);
    expect(sink.mails).toHaveLength(count);
  };
  await arrived(2);
  await eventually(
    () => db.selectFrom('delivery').select('id').where('attempts', '=', 1).where('state', '=', 'queued').execute(),
    ({ length }) => length === 1,
  );
  sink.fault = () => null;
  // The mail that waits a minute is sent; the reservation after three hours is early, that after two on time.
  await jump(2.2);
  await arrived(4);
  await jump(-5);
  await arrived(4);
  // The clock jumps do not make the last reservation missed: it is not due yet.
  await jump(0);
  await arrived(4);
  await jump(3.1);
  await arrived(5);
  const truth = await judge(
    db,
    sink.mails.map(({ messageId }) => messageId),
  );
  expect(truth).toMatchObject({ wrong: [], sent: 5, unknown: 0 });
});
