import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Db } from '#server/platform/database/db.ts';
import type { Outcome } from '#server/platform/mail/outcome.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { sweepNow, wireTo } from '#test/faults/workers.ts';
import { openAs } from '#test/open-as.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, countStates, eventually, testSink, testWorker } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { startDeliveryWorker } from './delivery-worker.ts';
import { smtpTransport } from './transports/smtp/smtp-transport.ts';
import type { TransportLanes } from './transports/transport.ts';

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  sink = await testSink();
});

const request = (count: number) => acceptRun(database, tenant, count);
const toSink = () =>
  smtpTransport({ host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null });

/** Starts a worker, with the messages of its log at level error. */
function loggedWorker(db: Db, transport: TransportLanes, stopMs?: number) {
  const messages: string[] = [];
  const write = (line: string) => void messages.push(JSON.parse(line).msg);
  const log = pino({ level: 'error' }, { write });
  const worker = startDeliveryWorker({ db, now: Date.now, transport, connections: 2, log, stopMs });
  return { worker, messages };
}

const NOT_WRITTEN = 'could not record delivery results; retrying';
const LOST = 'delivery results not recorded before the stop; the sweep takes their mails';
const HEALTH_NOT_RECORDED =
  'could not record transport health or pause refused senders; the next results of this kind are recorded again';

test('a worker that stops requeues the mails that have not begun', async () => {
  sink.latencyMs = 200;
  await request(50);
  const worker = testWorker(database, sink, { connections: 2 });
  await eventually(
    () => sink.mails.length,
    (count) => count >= 2,
  );
  await worker.stop();
  const states = await database.db.selectFrom('delivery').select('state').execute();
  const counts = Object.groupBy(states, ({ state }) => state);
  expect(Object.keys(counts).sort()).toStrictEqual(['queued', 'sent']);
  expect(counts.sent).toHaveLength(sink.mails.length);
  expect(await database.db.selectFrom('sender_connection').selectAll().execute()).toStrictEqual([]);
});

test('a worker that stops while the database is away records accepted mails when it is back', async () => {
  const { wire, url } = await wireTo(database);
  const { db, close } = openAs('service', url, 4);
  onTestFinished(close);
  sink.latencyMs = 500;
  await request(1);
  const { worker, messages } = loggedWorker(db, toSink());
  await eventually(
    () => sink.mails.length,
    (count) => count === 1,
  );
  const { target } = wire;
  wire.target = 1;
  wire.cut();
  const stopped = worker.stop();
  stopped.catch(() => undefined);
  // Only the journal knows the result by now.
  await eventually(
    () => messages.filter((message) => message === NOT_WRITTEN).length,
    (times) => times >= 2,
  );
  wire.target = target;
  await stopped;
  expect(await countStates(database.db)).toStrictEqual({ sent: 1 });
  expect(messages).not.toContain(LOST);
  expect(await database.db.selectFrom('sender_connection').selectAll().execute()).toStrictEqual([]);
});

test('a worker that cannot write before its end logs which results are lost', async () => {
  const { wire, url } = await wireTo(database);
  const { db, close } = openAs('service', url, 4);
  onTestFinished(close);
  sink.latencyMs = 500;
  await request(1);
  const { worker, messages } = loggedWorker(db, toSink(), 1500);
  await eventually(
    () => sink.mails.length,
    (count) => count === 1,
  );
  wire.target = 1;
  wire.cut();
  await worker.stop();
  expect(messages).toContain(LOST);
  await sweepNow(database);
  expect(await countStates(database.db)).toStrictEqual({ unknown: 1 });
});

test('a mail server that is silent at the final dot delays no stop: its mail is swept to unknown', async () => {
  sink.fault = (moment) => (moment === 'dot' ? 'silence' : null);
  await request(1);
  const { worker } = loggedWorker(database.service.db, toSink(), 300);
  await eventually(
    () => sink.mails.length,
    (count) => count === 1,
  );
  await worker.stop();
  await sweepNow(database);
  expect(await countStates(database.db)).toStrictEqual({ unknown: 1 });
});

test('after its end a worker writes nothing: lanes close, no body begins, late answers are logged', async () => {
  const answers: ((outcome: Outcome) => void)[] = [];
  const marks: boolean[] = [];
  let begun = 0;
  let closed = 0;
  const transport: TransportLanes = {
    mostMails: 1,
    mailsWith: () => 1,
    openLane: () => ({
      async send(claims, mark) {
        begun += 1;
        const isFirst = begun === 1;
        if (isFirst) await mark(claims);
        const outcome = await new Promise<Outcome>((done) => answers.push(done));
        if (!isFirst) marks.push(...(await mark(claims)));
        return [outcome];
      },
      close: () => {
        closed += 1;
      },
    }),
  };
  const { db, close } = openAs('service', database.url, 4);
  await request(2);
  const { worker, messages } = loggedWorker(db, transport, 100);
  await eventually(
    () => answers.length,
    (count) => count === 2,
  );
  await worker.stop();
  await close();
  expect(closed).toBeGreaterThanOrEqual(2);
  for (const answer of answers) answer({ kind: 'sent', reply: '250' });
  // On a slow machine the last renewal of leases fails too, as the pool closes.
  const lost = () => messages.filter((message) => message === LOST);
  await eventually(lost, ({ length }) => length >= 2);
  expect(lost()).toStrictEqual([LOST, LOST]);
  expect(marks).toStrictEqual([false]);
  expect(await countStates(database.db)).toStrictEqual({ claimed: 1, sending: 1 });
});

test('a failure after the commit of results does not write or count them again', async () => {
  await sql`ALTER TABLE transport ADD CONSTRAINT no_faults CHECK (faults = 0)`.execute(database.db);
  sink.fault = (moment) => (moment === 'greeting' ? 'close' : null);
  await request(1);
  const { worker, messages } = loggedWorker(database.service.db, toSink());
  onTestFinished(() => worker.stop());
  await eventually(
    () => messages.length,
    (count) => count > 0,
  );
  await sql`ALTER TABLE transport DROP CONSTRAINT no_faults`.execute(database.db);
  sink.fault = () => null;
  await request(1);
  // Written after whatever the journal had still to write.
  await eventually(
    () => countStates(database.db),
    ({ sent }) => sent === 1,
  );
  expect(messages).toStrictEqual([HEALTH_NOT_RECORDED]);
});
