import { beforeEach, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimBatch, countStates, eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import type { Moment, SmtpSink } from '#test/smtp-sink.ts';
import { readTransport } from '#test/transport-pause.ts';

const TOO_MANY = '421 4.7.0 Too many concurrent SMTP connections; please try again later.';

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;
let refused: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  sink = await testSink();
  refused = 0;
});

/** The sink admits so many connections, and says so at this moment of any further one. */
function admit(connections: number, moment: Moment = 'greeting', reply: `${number} ${string}` = TOO_MANY): void {
  sink.fault = (now) => {
    if (now !== moment || sink.open <= connections) return null;
    refused += 1;
    return reply;
  };
}

const attempts = () => database.db.selectFrom('delivery').select('attempts').distinct().execute();
/** Moves what was learned into the past. */
const wait = (minutes: number) =>
  database.pool.query('UPDATE transport SET connections_at = now() - make_interval(mins => $1)', [minutes]);

test.each<[Moment, `${number} ${string}`]>([
  ['greeting', TOO_MANY],
  ['EHLO', '421 4.3.2 The maximum number of concurrent server connections has exceeded a limit'],
  ['MAIL', '432 4.3.2 Concurrent connections limit exceeded'],
  ['RCPT', '451 4.7.1 Too many simultaneous sessions'],
])(
  'a server that admits two connections (told at %s): all mails leave by them, nothing pauses or counts',
  async (moment, reply) => {
    admit(2, moment, reply);
    sink.latencyMs = 20;
    await acceptRun(database, tenant, 30);
    testWorker(database, sink, { connections: 10 });
    // The trigger proves that all sending is at no time paused, also between two looks at it.
    await database.pool.query(`
    CREATE FUNCTION refuse_pause() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'paused'; END $$;
    CREATE TRIGGER refuse_pause BEFORE UPDATE ON transport FOR EACH ROW
      WHEN (NEW.paused_until IS NOT NULL) EXECUTE FUNCTION refuse_pause()`);
    try {
      expect(await untilSettled(database.db)).toStrictEqual({ sent: 30 });
    } finally {
      await database.pool.query('DROP FUNCTION refuse_pause CASCADE');
    }
    expect(refused).toBeGreaterThan(0);
    expect(await attempts()).toStrictEqual([{ attempts: 1 }]);
    const { connections_max, ...transport } = await readTransport(database);
    expect(connections_max).toBeGreaterThanOrEqual(1);
    expect(connections_max).toBeLessThanOrEqual(2);
    expect(transport).toMatchObject({ faults: 0, pauses: 0, paused_until: null });
  },
);

test('the next worker opens no more of them from the beginning', async () => {
  await database.pool.query('UPDATE transport SET connections_max = 2, connections_at = now()');
  await acceptRun(database, tenant, 30);
  testWorker(database, sink, { connections: 10 });
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 30 });
  expect(sink.mostConnections).toBeLessThanOrEqual(2);
});

test('also where several senders share them', async () => {
  await database.pool.query('UPDATE transport SET connections_max = 2, connections_at = now()');
  await acceptRun(database, tenant, 20);
  await acceptRun(database, await addTenant(database.db), 20);
  sink.latencyMs = 5;
  testWorker(database, sink, { connections: 10 });
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 40 });
  expect(sink.mostConnections).toBeLessThanOrEqual(2);
});

test('after a quarter of an hour one more is tried, and remembered once it was admitted', async () => {
  await database.pool.query('UPDATE transport SET connections_max = 2, connections_at = now()');
  await acceptRun(database, tenant, 1);
  await wait(14);
  expect(await claimBatch(database, { connections: 10 })).toMatchObject({ connections: 2, connectionsMax: 2 });
  await database.pool.query("UPDATE delivery SET state = 'queued', lease_until = NULL, worker_id = NULL");
  await wait(15);
  expect(await claimBatch(database, { connections: 10 })).toMatchObject({ connections: 3, connectionsMax: 3 });
  await database.pool.query("UPDATE delivery SET state = 'queued', lease_until = NULL, worker_id = NULL");
  sink.latencyMs = 10;
  const worker = testWorker(database, sink, { connections: 10 });
  await eventually(
    async () => {
      if (((await countStates(database.db)).queued ?? 0) < 20) await acceptRun(database, tenant, 60);
      return readTransport(database);
    },
    ({ connections_max }) => connections_max === 3,
  );
  await worker.stop();
  expect(sink.mostConnections).toBe(3);
});

test('a server that admits none for now: no mail fails, and the worker does not besiege it', async () => {
  admit(0);
  await acceptRun(database, tenant, 50);
  const worker = testWorker(database, sink, { connections: 4 });
  await eventually(
    () => readTransport(database),
    ({ connections_max }) => connections_max === 1,
  );
  await eventually(
    () => countStates(database.db),
    ({ queued }) => queued === 50,
  );
  await worker.stop();
  expect(refused).toBeLessThanOrEqual(8);
  expect(await attempts()).toStrictEqual([{ attempts: 0 }]);
  expect(await readTransport(database)).toMatchObject({ faults: 0, paused_until: null });
});

test('other refusals at the greeting count as faults of the transport', async () => {
  sink.fault = (moment) => (moment === 'greeting' ? '421 4.3.2 no service today' : null);
  await acceptRun(database, tenant, 10);
  testWorker(database, sink, { connections: 2 });
  await eventually(
    () => readTransport(database),
    ({ paused_until }) => paused_until !== null,
  );
  expect(await readTransport(database)).toMatchObject({ connections_max: null });
});
