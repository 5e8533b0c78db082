import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { openSession } from '#server/features/auth/session.ts';
import { claimDeliveries } from '#server/features/sending/claim.queries.ts';
import { markSending } from '#server/features/sending/lease.queries.ts';
import { clientAt, clientOf } from '#test/client.ts';
import { testDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { freePort, startProgram } from '#test/program.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { countStates, eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { ACCEPTED, CRASH_POINTS, type CrashPoint, IN_RESERVATION, IN_SWEEP } from './crash-points.ts';
import { form } from './form.ts';
import { judge } from './truth.ts';
import { endLeases, kill, startWorker, wireTo } from './workers.ts';

const MAILS = 6;

/** One worker after the other gets to its point and is killed there; a last one does what is left. */
async function crash(points: readonly CrashPoint[]) {
  const database = await testDatabase();
  const sink = await testSink();
  await acceptMails(database, MAILS);
  for (const point of points) {
    const { wire, url } = await wireTo(database);
    const reached = point.reached({ wire, sink });
    const worker = startWorker(url, sink.port, 1);
    await Promise.race([reached, worker.ended.then(() => Promise.reject(new Error(worker.output())))]);
    await kill(worker);
    await wire.close();
    sink.fault = () => null;
    await endLeases(database);
  }
  testWorker(database, sink);
  await untilSettled(database.db);
  return judge(
    database.db,
    sink.mails.map(({ messageId }) => messageId),
  );
}

const unknownOf = (points: readonly CrashPoint[]) => points.filter(({ becomes }) => becomes === 'unknown');

function expected(points: readonly CrashPoint[]) {
  const unknown = unknownOf(points);
  return {
    wrong: [],
    sent: MAILS - unknown.length,
    unknown: unknown.length,
    unknownArrived: unknown.filter(({ arrives }) => arrives === 1).length,
  };
}

describe('a worker killed at', () => {
  test.each(CRASH_POINTS)('$name: the mail is $becomes, and arrives $arrives times', async (point) => {
    expect(await crash([point])).toMatchObject(expected([point]));
  });

  const pairs = CRASH_POINTS.flatMap((first) => CRASH_POINTS.map((second) => [first, second] as const));
  test.each(
    form.sample(pairs, form.pairs).map((pair): [string, string, typeof pair] => [pair[0].name, pair[1].name, pair]),
  )('%s, and the next one at: %s', async (_first, _second, pair) => {
    expect(await crash(pair)).toMatchObject(expected(pair));
  });
});

test('a sweep that is killed is made again by another worker', async () => {
  const database = await testDatabase();
  const sink = await testSink();
  await acceptMails(database, 1);
  const batch = await claimDeliveries(database.service.db, randomUUID(), { connections: 1, rows: 1 }, Date.now());
  if (batch === null || batch === 'paused') throw new Error('nothing was claimed');
  await markSending(database.service.db, batch.claims);
  await endLeases(database);
  const { wire, url } = await wireTo(database);
  const reached = wire.stopAt(IN_SWEEP);
  const worker = startWorker(url, sink.port);
  await reached;
  await kill(worker);
  testWorker(database, sink);
  await untilSettled(database.db);
  expect(await judge(database.db, [])).toMatchObject({ wrong: [], unknown: 1, sent: 0 });
});

test('a reservation whose start is killed is started by another worker, once', async () => {
  const database = await testDatabase();
  const sink = await testSink();
  const tenant = await addTenant(database.db);
  const companies = [0, 1, 2].map((n) => ({ company_email: `info${n}@a.example` }));
  const ids = await addProspects(database.db, tenant.accountId, companies);
  await addReservation(database.db, tenant, ids, { sendAt: new Date(Date.now() - 1000) });
  const { wire, url } = await wireTo(database);
  const reached = wire.stopAt(IN_RESERVATION);
  const killed = startWorker(url, sink.port);
  await reached;
  await kill(killed);
  expect(await database.db.selectFrom('send_log').select('id').execute()).toStrictEqual([]);

  startWorker(database.url, sink.port);
  await eventually(
    () => countStates(database.db),
    ({ sent }) => sent === ids.length,
    60_000,
  );
  expect(await database.db.selectFrom('send_log').select('targets').execute()).toStrictEqual([{ targets: 3 }]);
  const arrived = sink.mails.map(({ messageId }) => messageId);
  expect(await judge(database.db, arrived)).toMatchObject({ wrong: [], sent: 3 });
});

test('a request whose answer died with the web process is answered when it is made again, and sent once', async () => {
  const database = await testDatabase();
  const sink = await testSink();
  const { accountId, senderId } = await addTenant(database.db);
  const [prospect_id = 0] = await addProspects(database.db, accountId, [{ company_email: 'info@a.example' }]);
  const { wire, url } = await wireTo(database);
  const port = await freePort();
  const web = startProgram(['web'], {
    DATABASE_URL: url,
    SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
    PORT: String(port),
  });
  await web.until('web started');
  const token = await openSession(database.login, accountId, Date.now());
  const client = clientAt(`http://127.0.0.1:${port}${API_BASE}`, `Bearer ${token}`);
  const body = { test_send_mode: 0, attack_list: [{ prospect_id }], days_from_lastday: 7 };
  const key = { 'idempotency-key': randomUUID() };
  const reached = wire.stopAt(ACCEPTED);
  const unanswered = client.post(`/mail/send/${senderId}`, body, key).catch(() => 'no answer');
  await reached;
  await kill(web);
  expect(await unanswered).toBe('no answer');

  const again = await (await clientOf(database, accountId)).post(`/mail/send/${senderId}`, body, key);
  expect(again).toMatchObject({ status: 200, body: { status: 'accepted', accepted: 1 } });
  testWorker(database, sink);
  await untilSettled(database.db);
  const arrived = sink.mails.map(({ messageId }) => messageId);
  expect(await judge(database.db, arrived)).toMatchObject({ wrong: [], sent: 1 });
  expect(await database.db.selectFrom('send_log').select('targets').execute()).toStrictEqual([{ targets: 1 }]);
});
