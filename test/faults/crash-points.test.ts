import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { sendGridTemplates } from '#server/features/delivery/transports/sendgrid/sendgrid-templates.ts';
import { sendGridTransport } from '#server/features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { startReservationScheduler } from '#server/features/reservations/reservation-scheduler.ts';
import { clientOf } from '#test/client.ts';
import { testDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import { eventually, testSink, testWorker, untilSettled, workerBy } from '#test/sending.ts';
import { TEST_MAILING } from '../mailing.ts';
import { ACCEPTED, CRASH_POINTS, type CrashPoint, IN_WEB, NESTED, SENDGRID_POINTS } from './crash-points.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { judge } from './truth.ts';
import {
  endLeases,
  kill,
  mergeNow,
  restReceipts,
  startSendGridWorker,
  startWeb,
  startWorker,
  wireTo,
} from './workers.ts';

const MAILS = 6;
/** Pairs tried at the same time: a worker that starts or waits leaves the CPU to others. */
const AT_ONCE = 4;

/**
 * Kills one worker after the other at its point; a last one does the rest.
 * @param isNested whether each worker recovers what the previous one left
 */
async function crash(points: readonly CrashPoint[], isNested = false) {
  const database = await testDatabase();
  const { db, service } = database;
  const sink = await testSink();
  const tenant = await acceptMails(database, MAILS);
  let mails = MAILS;
  for (const point of points) {
    mails += (await point.scene?.(database, tenant)) ?? 0;
    const { wire, url } = await wireTo(database);
    const reached = point.reached({ wire, sink });
    const victim = await (point.process?.(url, { wire, sink, database, tenant }) ?? startWorker(url, sink.port, 1));
    await Promise.race([reached, victim.ended.then(() => Promise.reject(new Error(victim.output())))]);
    await kill(victim);
    await wire.close();
    sink.fault = () => null;
    await endLeases(database);
    if (isNested) restReceipts(database);
    else await mergeNow(database);
  }
  testWorker(database, sink);
  const log = pino({ level: 'silent' });
  onTestFinished(startReservationScheduler({ db: service.db, now: Date.now, log, ...TEST_MAILING }));
  await eventually(
    () => db.selectFrom('reservation').select('id').where('is_sent', '=', false).execute(),
    ({ length }) => length === 0,
  );
  await untilSettled(db);
  await mergeNow(database);
  const arrived = sink.mails.map(({ messageId }) => messageId);
  return { killed: points.map(({ name }) => name), mails, ...(await judge(db, arrived)) };
}

/** Does the same with SendGrid: one request holds all mails. */
async function crashBySendGrid(point: CrashPoint) {
  const database = await testDatabase();
  const fake = await testSendGrid();
  await acceptMails(database, MAILS, { transport: sendGridTemplates });
  const { wire, url } = await wireTo(database);
  const reached = point.reached({ wire, sink: await testSink() });
  const victim = startSendGridWorker(url, fake);
  await Promise.race([reached, victim.ended.then(() => Promise.reject(new Error(victim.output())))]);
  await kill(victim);
  await wire.close();
  await endLeases(database);
  workerBy(database, sendGridTransport(fake));
  await untilSettled(database.db);
  await mergeNow(database);
  const arrived = fake.mails.map(({ headers }) => headers?.['Message-ID'] ?? '');
  const { wrong, sent, unknown } = await judge(database.db, arrived);
  return { killed: point.name, wrong, sent, unknown, arrived: arrived.length };
}

const unknownOf = (points: readonly CrashPoint[]) => points.filter(({ becomes }) => becomes === 'unknown');

function expected(points: readonly CrashPoint[], mails: number) {
  const unknown = unknownOf(points);
  return {
    killed: points.map(({ name }) => name),
    wrong: [],
    sent: mails - unknown.length,
    unknown: unknown.length,
    unknownArrived: unknown.filter(({ arrives }) => arrives === 1).length,
  };
}

describe('a worker killed at', () => {
  test.each(CRASH_POINTS)('$name: the mail is $becomes, and arrives $arrives times', async (point) => {
    const verdict = await crash([point]);
    expect(verdict).toMatchObject(expected([point], verdict.mails));
  });

  const all = [...CRASH_POINTS, IN_WEB];
  const pairs = form.sample(
    all.flatMap((first) => all.map((second) => [first, second] as const)),
    form.pairs,
  );
  let seconds = 0;
  const verdicts: Awaited<ReturnType<typeof crash>>[] = [];

  test.each(
    Array.from({ length: Math.ceil(pairs.length / AT_ONCE) }, (_, n) =>
      pairs.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
    ).map((some) => ({ names: some.map((pair) => pair.map(({ name }) => name).join(', then ')).join('; '), some })),
  )(`one point, and the next worker at another (seed ${form.seed}): $names`, async ({ some }) => {
    const begun = performance.now();
    const judged = await Promise.all(some.map((pair) => crash(pair)));
    seconds += (performance.now() - begun) / 1000;
    verdicts.push(...judged);
    for (const [n, pair] of some.entries()) {
      expect(judged[n]).toMatchObject(expected(pair, judged[n]?.mails ?? 0));
    }
  });

  const nested = form.sample(NESTED, form.isLong ? NESTED.length : 1);
  test(`one point, and the next worker while it makes good what that left, ${nested.length} times (seed ${form.seed})`, async () => {
    for (const pair of nested) {
      const verdict = await crash(pair, true);
      expect(verdict).toMatchObject(expected(pair, verdict.mails));
    }
  }, 600_000);

  const bySendGrid = form.sample(SENDGRID_POINTS, form.isLong ? SENDGRID_POINTS.length : 2);
  test(`${bySendGrid.length} points by SendGrid: all mails of its request share one fate (seed ${form.seed})`, async () => {
    const verdicts = await Promise.all(bySendGrid.map(crashBySendGrid));
    expect(verdicts).toStrictEqual(
      bySendGrid.map(({ name, becomes, arrives }) => ({
        killed: name,
        wrong: [],
        sent: becomes === 'sent' ? MAILS : 0,
        unknown: becomes === 'unknown' ? MAILS : 0,
        arrived: arrives * MAILS,
      })),
    );
  });

  afterAll(() => {
    const sum = (of: (verdict: (typeof verdicts)[number]) => number) => verdicts.reduce((all, one) => all + of(one), 0);
    report({
      run: `kill -9 at ${verdicts.length} pairs of points`,
      mails: sum(({ mails }) => mails),
      faults: 2 * verdicts.length,
      lost: sum(({ lost }) => lost),
      duplicates: sum(({ duplicates }) => duplicates),
      sent: sum(({ sent }) => sent),
      unknown: sum(({ unknown }) => unknown),
      unknownArrived: sum(({ unknownArrived }) => unknownArrived),
      // This test ends leases by hand.
      recovery: null,
      seconds,
    });
  });
});

test('a request whose answer died with the web process is answered when it is made again, and sent once', async () => {
  const database = await testDatabase();
  const sink = await testSink();
  const { accountId, senderId } = await addTenant(database.db);
  const [prospect_id = 0] = await addProspects(database.db, accountId, [{ company_email: 'info@a.example' }]);
  const { wire, url } = await wireTo(database);
  const { web, client } = await startWeb(url, sink.port, database, accountId);
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
