import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import {
  acceptRun,
  claimMails,
  countStates,
  eventually,
  finishDeliveries,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
} from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { endPause, readTransport } from '#test/transport-pause.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { runProgress } from '../../runs/progress.queries.ts';
import { recordAnswer, recordFaults } from '../pauses/breaker.queries.ts';
import { queueFigures } from '../queue-figures.queries.ts';
import { updateBreaker } from './breaker.ts';

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;
let connections: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  sink = await testSink();
  connections = 0;
});

const transport = () => readTransport(database);
const breakDown = () => {
  sink.fault = (moment) => {
    if (moment !== 'greeting') return null;
    connections += 1;
    return '421 4.3.2 no service today';
  };
};

const fault = (count: number) =>
  recordFaults(database.service.db, { count, probe: null, reply: '421 no service' }, 0.5);

test('five faults pause a server that cannot be reached; no mail is lost, no attempt counted', async () => {
  breakDown();
  const { id } = await acceptRun(database, tenant, 60);
  const worker = testWorker(database, sink, { connections: 2 });
  const { paused_until } = await eventually(transport, (row) => row.paused_until !== null);
  await eventually(
    () => countStates(database.db),
    ({ queued }) => queued === 60,
  );
  // A claim that began before the pause may be committed only now.
  await worker.stop();
  // Five, what was under way beside the fifth, and one mail of such a claim on each connection.
  expect(connections).toBeLessThanOrEqual(9);
  const attempts = await database.db.selectFrom('delivery').select('attempts').distinct().execute();
  expect(attempts).toStrictEqual([{ attempts: 0 }]);
  expect(await runProgress(database.db, tenant.accountId, id, Date.now())).toMatchObject({
    queued: 60,
    transport_paused_until: formatSecond(paused_until?.getTime() ?? 0),
  });
  expect(await unbalancedRuns(database.db)).toStrictEqual([]);

  sink.fault = () => null;
  await endPause(database);
  testWorker(database, sink, { connections: 2 });
  // The one probe goes first and opens the way for all.
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 60 });
  expect(await transport()).toMatchObject({ faults: 0, pauses: 0, paused_until: null, last_fault: null });
  expect(await runProgress(database.db, tenant.accountId, id, Date.now())).toMatchObject({
    transport_paused_until: null,
  });
});

test('five lost answers after the body pause the transport; a failed probe keeps it paused', async () => {
  sink.fault = (moment) => (moment === 'dot' ? 'close' : null);
  await acceptRun(database, tenant, 30);
  const worker = testWorker(database, sink, { connections: 2 });
  await eventually(transport, (row) => row.paused_until !== null);
  // A claim that began before the pause may be committed only now.
  await worker.stop();
  const { unknown = 0, queued = 0 } = await countStates(database.db);
  expect(unknown + queued).toBe(30);
  expect(unknown).toBeLessThanOrEqual(9);
  await endPause(database);
  testWorker(database, sink, { connections: 2 });
  // Nor does a probe that ends so open the way.
  const states = await eventually(
    () => countStates(database.db),
    (counts) => counts.unknown === unknown + 1,
  );
  expect(states).toStrictEqual({ unknown: unknown + 1, queued: 29 - unknown });
  expect(await transport()).toMatchObject({ pauses: 2 });
  sink.fault = () => null;
  await endPause(database);
  expect(await untilSettled(database.db)).toStrictEqual({ unknown: unknown + 1, sent: 29 - unknown });
});

test('a worker that finds the transport paused by another requeues its waiting mails too', async () => {
  await acceptRun(database, tenant, 1);
  const claims = await claimMails(database);
  const worker = { db: database.service.db, log: pino({ level: 'silent' }) };
  const lost = claims.map((held) => ({
    claim: held,
    outcome: { kind: 'transport', reply: 'no connection' } as const,
  }));
  expect(await updateBreaker(worker, lost, false)).toBe(false);
  await fault(5);
  expect(await updateBreaker(worker, lost, true)).toBe(true);
  expect((await transport()).pauses).toBe(1);
});

test('the metrics show that the transport is paused', async () => {
  breakDown();
  await acceptRun(database, tenant, 6);
  const metrics = createMetrics();
  metrics.watchQueue(() => queueFigures(database.service.db));
  testWorker(database, sink, { metrics });
  // The worker counts the pause once its commit, which the first figure shows, has been answered.
  await eventually(
    () => metrics.registry.metrics(),
    (shown) => /^kaitaku_transport_paused 1$/m.test(shown) && /^kaitaku_transport_pauses_total 1$/m.test(shown),
  );
  sink.fault = () => null;
  await endPause(database);
  await eventually(
    () => metrics.registry.metrics(),
    (shown) => /^kaitaku_transport_paused 0$/m.test(shown),
  );
});

test('a refusal of one mail is no fault of the transport, and any answer clears the count', async () => {
  sink.fault = (moment) => (moment === 'RCPT' ? '550 5.1.1 unknown' : null);
  await fault(4);
  await acceptRun(database, tenant, 20);
  testWorker(database, sink);
  expect(await untilSettled(database.db)).toStrictEqual({ failed: 20 });
  expect(await transport()).toMatchObject({ faults: 0, paused_until: null });
  expect(await recordAnswer(database.service.db, false)).toBe(false);
});

test('a mail that cannot be composed asks no server: the fault count stays', async () => {
  await acceptRun(database, tenant, 3);
  await database.db
    .updateTable('send_log')
    .set({ mail: JSON.stringify({ subject: '', sender: { email: 'sender@example.com' } }) })
    .execute();
  await fault(4);
  testWorker(database, sink);
  expect(await untilSettled(database.db)).toStrictEqual({ failed: 3 });
  expect(await transport()).toMatchObject({ faults: 4, paused_until: null });
});

test('a refused sender does not stop other senders', async () => {
  sink.fault = (moment, line) => (moment === 'MAIL' && line.includes('refused@') ? '550 5.7.1 not you' : null);
  const other = await addTenant(database.db);
  await database.db
    .updateTable('sender_profile')
    .set({ email: 'refused@example.com' })
    .where('account_id', '=', other.accountId)
    .execute();
  await confirmAddress(database.db, other.accountId, 'refused@example.com');
  const refused = await acceptRun(database, other, 8);
  await acceptRun(database, tenant, 8);
  testWorker(database, sink);
  await eventually(
    () => countStates(database.db),
    ({ sent }) => sent === 8,
  );
  expect(await transport()).toMatchObject({ paused_until: null });
  expect(await runProgress(database.db, other.accountId, refused.id, Date.now())).toMatchObject({ sent: 0, failed: 0 });
});

test('a mark that could not be written is retried at once: it is no fault of the mail server', async () => {
  await acceptRun(database, tenant, 1);
  const claims = await claimMails(database);
  const finished = claims.map((held) => ({
    claim: held,
    outcome: { kind: 'unmarked', reply: 'no database' } as const,
  }));
  await finishDeliveries(database.service.db, finished);
  expect(await claimMails(database)).toMatchObject([{ attempts: 0 }]);
});

test('an account may read that the transport is paused, but not the reply', async () => {
  const api = database.account(tenant.accountId);
  const reading = api.transaction((tx) => tx.selectFrom('transport').select('last_fault').execute());
  await expect(reading).rejects.toThrow(/permission denied/);
});
