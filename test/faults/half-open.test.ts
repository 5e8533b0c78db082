import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { countStates, eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { CLAIM_UNCOMMITTED } from './crash-points.ts';
import { judge } from './truth.ts';
import { startWire } from './wire.ts';
import { endLeases, retryNow, startWorker, stop, wireTo } from './workers.ts';

const MAILS = 200;
const CONNECTIONS = 4;

async function scene() {
  const database = await testDatabase();
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

test('a worker cut off from the database wakes up after its mails were given to another: nothing is sent twice', async () => {
  const { database, sink, someArrived, truth } = await scene();
  const { wire, url } = await wireTo(database);
  const sleeper = startWorker(url, sink.port, CONNECTIONS);
  await someArrived();
  wire.freeze();
  // Whatever it had begun reaches the mail server, and no more: its next marks are under way for ever.
  await sleep(300);
  await endLeases(database);
  testWorker(database, sink);
  await untilSettled(database.db, 60_000);
  expect(await truth()).toMatchObject({ wrong: [] });

  wire.thaw();
  expect(await stop(sleeper), sleeper.output()).toBe(0);
  const { wrong, sent, unknown } = await truth();
  expect(wrong).toStrictEqual([]);
  expect(sent + unknown).toBe(MAILS);
  expect(unknown).toBeLessThanOrEqual(CONNECTIONS);
});

test('a worker cut off in the middle of a claim, the row of its sender locked, holds nobody up', async () => {
  const { database, sink, truth } = await scene();
  const { wire, url } = await wireTo(database);
  const reached = wire.stopAt(CLAIM_UNCOMMITTED);
  startWorker(url, sink.port, CONNECTIONS);
  await reached;
  testWorker(database, sink);
  await untilSettled(database.db, 60_000);
  expect(await truth()).toMatchObject({ wrong: [], sent: MAILS });
});

test('a mail server that falls silent in the middle, and whose connections die: what it may have is unknown, the rest is sent', async () => {
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
  await eventually(
    () => countStates(database.db),
    ({ sent = 0, unknown = 0 }) => sent + unknown >= MAILS - CONNECTIONS,
    40_000,
  );
  await retryNow(database);
  await untilSettled(database.db, 40_000);
  const { wrong, sent, unknown } = await truth();
  expect(wrong).toStrictEqual([]);
  expect(sent + unknown).toBe(MAILS);
  expect(unknown).toBeLessThanOrEqual(CONNECTIONS);
});

test('the clock of the database jumps an hour ahead, again and again: every lease is over at once, no mail is doubled', async () => {
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

test('the clock of the database jumps an hour back: a lease that seems to last an hour is set right by its worker', async () => {
  const { database, sink, someArrived, truth } = await scene();
  testWorker(database, sink);
  await someArrived();
  await sql`UPDATE delivery SET lease_until = lease_until + interval '1 hour' WHERE lease_until IS NOT NULL`.execute(
    database.db,
  );
  await untilSettled(database.db, 60_000);
  expect(await truth()).toMatchObject({ wrong: [], sent: MAILS });
});
