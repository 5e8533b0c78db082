import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { eventually, testSink, untilSettled } from '#test/sending.ts';
import { startSinkProcess } from '#test/sink-process.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { judge } from './truth.ts';
import { startWorker, stop, wireTo } from './workers.ts';

const WORKERS = 2;
/** The connection limit of one profile with two texts; the workers have 2 × 4 connections. */
const CONNECTIONS = 6;

test(
  `${form.rolls} × SIGTERM and a new worker in ${form.mails} mails: all sent, none unknown, never more connections than their profile permits`,
  async () => {
    const begun = performance.now();
    const database = await emptyDatabase();
    const sink = await startSinkProcess(5);
    onTestFinished(() => sink.stop());
    await acceptMails(database, form.mails, { texts: 2 });
    await database.db.updateTable('sender_throttle').set({ max_connections: CONNECTIONS }).execute();
    const start = () => startWorker(database.url, sink.port);
    const workers = Array.from({ length: WORKERS }, start);
    for (let rolls = 0; rolls < form.rolls; rolls += 1) {
      const next = ((rolls + 0.5) * 0.9 * form.mails) / form.rolls;
      await eventually(sink.count, (count) => count >= next, 60_000);
      const [oldest] = workers.splice(0, 1);
      workers.push(start());
      if (oldest) expect(await stop(oldest)).toBe(0);
    }
    await untilSettled(database.db, 120_000);
    for (const worker of workers) expect(await stop(worker)).toBe(0);
    const { wrong, ...verdict } = await judge(
      database.db,
      sink.mails().map(({ messageId }) => messageId),
    );
    const seconds = (performance.now() - begun) / 1000;
    report({ run: 'SIGTERM', mails: form.mails, faults: form.rolls, recovery: null, seconds, ...verdict });
    expect({ wrong, ...verdict }).toMatchObject({ wrong: [], sent: form.mails, unknown: 0 });
    const open = sink.mails().at(-1)?.mostConnections;
    expect(open).toBeGreaterThan(CONNECTIONS / WORKERS);
    expect(open).toBeLessThanOrEqual(CONNECTIONS);
  },
  120_000 + form.rolls * 10_000 + form.mails * 20,
);

test('SIGTERM while the database is down: the worker records accepted mails when it is back, then ends', async () => {
  const database = await emptyDatabase();
  const { wire, url } = await wireTo(database);
  const sink = await testSink();
  sink.latencyMs = 500;
  await acceptMails(database, 1);
  const worker = startWorker(url, sink.port);
  await eventually(
    () => sink.mails.length,
    (count) => count === 1,
    40_000,
  );
  const { target } = wire;
  wire.target = 1;
  wire.cut();
  worker.child.kill('SIGTERM');
  await worker.until('could not record delivery results');
  wire.target = target;
  expect(await worker.ended, worker.output()).toBe(0);
  const verdict = await judge(
    database.db,
    sink.mails.map(({ messageId }) => messageId),
  );
  expect(verdict).toMatchObject({ wrong: [], sent: 1, unknown: 0 });
});

// Takes the 30 s for which a stopping worker waits for open mails.
test.runIf(form.isLong)(
  'SIGTERM while the mail server does not answer: the worker still ends, and its mail is unknown',
  async () => {
    const database = await emptyDatabase();
    const sink = await testSink();
    sink.fault = (moment) => (moment === 'dot' ? 'silence' : null);
    await acceptMails(database, 1);
    const worker = startWorker(database.url, sink.port);
    await eventually(
      () => sink.mails.length,
      (count) => count === 1,
      40_000,
    );
    expect(await stop(worker), worker.output()).toBe(0);
    sink.fault = () => null;
    startWorker(database.url, sink.port);
    await untilSettled(database.db, 60_000);
    const arrived = sink.mails.map(({ messageId }) => messageId);
    expect(await judge(database.db, arrived)).toMatchObject({ wrong: [], sent: 0, unknown: 1 });
  },
  120_000,
);
