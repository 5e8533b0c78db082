import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  sendGridTemplates,
  sendGridTransport,
} from '#server/features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { startReservationScheduler } from '#server/features/reservations/reservation-scheduler.ts';
import type { Db } from '#server/platform/database/db.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { testSendGrid } from '#test/sendgrid.ts';
import { eventually, testSink, testWorker, untilSettled, workerBy } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
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
  untilAtPoint,
  wireTo,
} from './workers.ts';

/** The number of mails in a request to SendGrid. */
const MAILS = 6;
/** Returns the number of mails of a run: two for each process that is killed, and two for the last worker. */
const mailsFor = ({ length }: readonly CrashPoint[]) => 2 + 2 * length;
/** The number of pairs tried in parallel: a worker that starts or waits uses little CPU. */
const AT_ONCE = 4;
/** The number of processes killed in a run. Several in the short form, which thereby tries pairs too. */
const POINTS_A_RUN = form.isLong ? 1 : 5;

/**
 * Kills each worker at its point; the next one continues, and the last one sends the rest.
 * @param isNested whether each worker recovers what the previous one left
 */
async function crash(database: TestDatabase, points: readonly CrashPoint[], isNested = false) {
  const { db, service } = database;
  const sink = await testSink();
  let mails = mailsFor(points);
  const tenant = await acceptMails(database, mails);
  for (const [index, point] of points.entries()) {
    mails += (await point.scene?.(database, tenant)) ?? 0;
    const { wire, url } = await wireTo(database);
    const reached = point.reached({ wire, sink });
    const victim = await (point.process?.(url, { wire, sink, database, tenant }) ?? startWorker(url, sink.port, 1));
    await untilAtPoint(point.name, reached, victim);
    await kill(victim);
    await wire.close();
    sink.fault = () => null;
    await endLeases(database);
    if (isNested) {
      restReceipts(database);
      continue;
    }
    await mergeNow(database);
    const killed = points.slice(0, index + 1);
    expect(await doubtIn(db, sink), namesOf(killed)).toStrictEqual(doubtOf(killed));
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

/** Does the same with SendGrid: one request contains all mails. */
async function crashBySendGrid(point: CrashPoint) {
  const database = await testDatabase();
  const fake = await testSendGrid();
  await acceptMails(database, MAILS, { transport: sendGridTemplates });
  const { wire, url } = await wireTo(database);
  const reached = point.reached({ wire, sink: await testSink() });
  const victim = startSendGridWorker(url, fake);
  await untilAtPoint(point.name, reached, victim);
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

/** Counts the mails that are unknown, or will be once the claims of dead workers have been swept. */
async function doubtIn(db: Db, sink: SmtpSink) {
  const rows = await db
    .selectFrom('delivery')
    .select('message_id')
    .where('state', 'in', ['sending', 'unknown'])
    .execute();
  const arrived = new Set(sink.mails.map(({ messageId }) => messageId));
  return { unknown: rows.length, unknownArrived: rows.filter(({ message_id }) => arrived.has(message_id)).length };
}

/** Returns the number of unknown mails that kills at these points cause. */
function doubtOf(points: readonly CrashPoint[]) {
  const unknown = points.filter(({ becomes }) => becomes === 'unknown');
  return { unknown: unknown.length, unknownArrived: unknown.filter(({ arrives }) => arrives === 1).length };
}

function expected(points: readonly CrashPoint[], mails: number) {
  const doubt = doubtOf(points);
  return { killed: points.map(({ name }) => name), wrong: [], sent: mails - doubt.unknown, ...doubt };
}

/** Splits a list into parts of this many items; the last part may be shorter. */
const partsOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));

const namesOf = (points: readonly CrashPoint[]) => points.map(({ name }) => name).join(' → ');

describe(`processes killed (seed ${form.seed})`, () => {
  const runs = partsOf(form.sample(CRASH_POINTS, CRASH_POINTS.length), POINTS_A_RUN);

  test.each(runs.map((points) => [namesOf(points), points] as const))('at %s', async (_, points) => {
    const verdict = await crash(await emptyDatabase(), points);
    expect(verdict).toMatchObject(expected(points, verdict.mails));
  });

  const all = [...CRASH_POINTS, IN_WEB];
  const pairs = form.sample(
    all.flatMap((first) => all.map((second) => [first, second] as const)),
    form.pairs,
  );
  let seconds = 0;
  const verdicts: Awaited<ReturnType<typeof crash>>[] = [];

  test.each(partsOf(pairs, AT_ONCE).map((some) => [some.map(namesOf).join('; '), some] as const))(
    'each pair in a run of its own: %s',
    async (_, some) => {
      const begun = performance.now();
      const judged = await Promise.all(some.map(async (pair) => crash(await testDatabase(), pair)));
      seconds += (performance.now() - begun) / 1000;
      verdicts.push(...judged);
      for (const [n, pair] of some.entries()) {
        expect(judged[n]).toMatchObject(expected(pair, judged[n]?.mails ?? 0));
      }
    },
  );

  const nested = form.sample(NESTED, form.isLong ? NESTED.length : 1);
  test.each(nested.map((pair) => [namesOf(pair), pair] as const))(
    'at a point, and the next while it recovers the mails of the first: %s',
    async (_, pair) => {
      const verdict = await crash(await emptyDatabase(), pair, true);
      expect(verdict).toMatchObject(expected(pair, verdict.mails));
    },
  );

  const bySendGrid = form.sample(SENDGRID_POINTS, form.isLong ? SENDGRID_POINTS.length : 2);
  test(`at ${bySendGrid.length} points by SendGrid: all mails of its request get the same state`, async () => {
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
      // This test ends leases explicitly.
      recovery: null,
      seconds,
    });
  });
});

test('a request whose answer was lost with the web process is answered when it is repeated, and sent once', async () => {
  const database = await emptyDatabase();
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
