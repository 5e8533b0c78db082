import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Db } from '#server/platform/db.ts';
import type { Outcome } from '#server/platform/mail/outcome.ts';
import { type TestDatabase, testDatabase } from '#test/db.ts';
import { endLeases, wireTo } from '#test/faults/workers.ts';
import { openAs } from '#test/open-as.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, countStates, eventually, testSink, testWorker } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { startDeliveryWorker } from './delivery-worker.ts';
import { sweepLostClaims } from './finish.queries.ts';
import { smtpTransport } from './transports/smtp/smtp-transport.ts';
import type { TransportLanes } from './transports/transport.ts';

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;

beforeEach(async () => {
  database = await testDatabase();
  tenant = await addTenant(database.db);
  sink = await testSink();
});

const request = (count: number) => acceptRun(database, tenant, count);
const toSink = () =>
  smtpTransport({ host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null });

/** A worker with what it has told in its log, as `message` or `message {its data}`. */
function toldWorker(db: Db, transport: TransportLanes, stopMs?: number) {
  const told: string[] = [];
  const write = (line: string) => void told.push(JSON.parse(line).msg);
  const log = pino({ level: 'error' }, { write });
  const worker = startDeliveryWorker({ db, now: Date.now, transport, connections: 2, log, stopMs });
  return { worker, told };
}

const NOT_WRITTEN = 'could not write what became of mails; trying again';
const LOST = 'what became of mails was not written before the end: the sweep will find them';
const NOT_NOTED = 'what mails have shown of the mail server could not be noted';

test('a worker that stops gives back what it has not begun', async () => {
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

test('a worker that stops while the database is away writes what the mail server has taken when it is back', async () => {
  const { wire, url } = await wireTo(database);
  const { db, close } = openAs('service', url, 4);
  onTestFinished(close);
  sink.latencyMs = 500;
  await request(1);
  const { worker, told } = toldWorker(db, toSink());
  await eventually(
    () => sink.mails.length,
    (count) => count === 1,
  );
  const { target } = wire;
  wire.target = 1;
  wire.cut();
  const stopped = worker.stop();
  stopped.catch(() => undefined);
  // Known to the journal alone by now.
  await eventually(
    () => told.filter((message) => message === NOT_WRITTEN).length,
    (times) => times >= 2,
  );
  wire.target = target;
  await stopped;
  expect(await countStates(database.db)).toStrictEqual({ sent: 1 });
  expect(told).not.toContain(LOST);
  expect(await database.db.selectFrom('sender_connection').selectAll().execute()).toStrictEqual([]);
});

test('a worker that cannot write before its end says which outcomes are lost', async () => {
  const { wire, url } = await wireTo(database);
  const { db, close } = openAs('service', url, 4);
  onTestFinished(close);
  sink.latencyMs = 500;
  await request(1);
  const { worker, told } = toldWorker(db, toSink(), 1500);
  await eventually(
    () => sink.mails.length,
    (count) => count === 1,
  );
  wire.target = 1;
  wire.cut();
  await worker.stop();
  expect(told).toContain(LOST);
  await endLeases(database);
  await sweepLostClaims(database.service.db);
  expect(await countStates(database.db)).toStrictEqual({ unknown: 1 });
});

test('a mail server that is silent at the final dot does not hold up the end: the sweep makes its mail unknown', async () => {
  sink.fault = (moment) => (moment === 'dot' ? 'silence' : null);
  await request(1);
  const { worker } = toldWorker(database.service.db, toSink(), 300);
  await eventually(
    () => sink.mails.length,
    (count) => count === 1,
  );
  await worker.stop();
  await endLeases(database);
  await sweepLostClaims(database.service.db);
  expect(await countStates(database.db)).toStrictEqual({ unknown: 1 });
});

test('after its end a worker writes nothing: every lane is closed, no body begins, and a late answer is told as lost', async () => {
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
  const { worker, told } = toldWorker(db, transport, 100);
  await eventually(
    () => answers.length,
    (count) => count === 2,
  );
  await worker.stop();
  await close();
  expect(closed).toBeGreaterThanOrEqual(2);
  for (const answer of answers) answer({ kind: 'sent', reply: '250' });
  await eventually(
    () => told.length,
    (count) => count >= 2,
  );
  expect(told).toStrictEqual([LOST, LOST]);
  expect(marks).toStrictEqual([false]);
  expect(await countStates(database.db)).toStrictEqual({ claimed: 1, sending: 1 });
});

test('what follows from outcomes may fail: they are committed, and not written or counted again', async () => {
  await sql`ALTER TABLE transport ADD CONSTRAINT no_faults CHECK (faults = 0)`.execute(database.db);
  sink.fault = (moment) => (moment === 'greeting' ? 'close' : null);
  await request(1);
  const { worker, told } = toldWorker(database.service.db, toSink());
  onTestFinished(() => worker.stop());
  await eventually(
    () => told.length,
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
  expect(told).toStrictEqual([NOT_NOTED]);
});
