import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { openSession } from '#server/features/auth/session.ts';
import { startReservationScheduler } from '#server/features/reservations/reservation-scheduler.ts';
import { clientAt, clientOf } from '#test/client.ts';
import { testDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { freePort, startProgram } from '#test/program.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { ACCEPTED, CRASH_POINTS, type CrashPoint } from './crash-points.ts';
import { form } from './form.ts';
import { report } from './report.ts';
import { judge } from './truth.ts';
import { endLeases, kill, startWorker, wireTo } from './workers.ts';

const MAILS = 6;
/** Pairs that are tried at the same time: a worker that starts or waits leaves the machine to others. */
const AT_ONCE = 4;

/** One worker after the other gets to its point and is killed there; a last one does what is left. */
async function crash(points: readonly CrashPoint[]) {
  const database = await testDatabase();
  const { db, service } = database;
  const sink = await testSink();
  const tenant = await acceptMails(database, MAILS);
  let mails = MAILS;
  for (const point of points) {
    mails += (await point.scene?.(database, tenant)) ?? 0;
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
  const log = pino({ level: 'silent' });
  onTestFinished(startReservationScheduler({ db: service.db, now: Date.now, log, transport: 'smtp' }));
  await eventually(
    () => db.selectFrom('reservation').select('id').where('is_sent', '=', false).execute(),
    ({ length }) => length === 0,
  );
  await untilSettled(db);
  const arrived = sink.mails.map(({ messageId }) => messageId);
  return { killed: points.map(({ name }) => name), mails, ...(await judge(db, arrived)) };
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

  const pairs = form.sample(
    CRASH_POINTS.flatMap((first) => CRASH_POINTS.map((second) => [first, second] as const)),
    form.pairs,
  );
  let seconds = 0;
  const verdicts: Awaited<ReturnType<typeof crash>>[] = [];

  test.each(
    Array.from({ length: Math.ceil(pairs.length / AT_ONCE) }, (_, n) =>
      pairs.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
    ).map((some) => ({ names: some.map((pair) => pair.map(({ name }) => name).join(', then ')).join('; '), some })),
  )('one point, and the next worker at another: $names', async ({ some }) => {
    const begun = performance.now();
    const judged = await Promise.all(some.map(crash));
    seconds += (performance.now() - begun) / 1000;
    verdicts.push(...judged);
    for (const [n, pair] of some.entries()) {
      expect(judged[n]).toMatchObject(expected(pair, judged[n]?.mails ?? 0));
    }
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
      // Leases are ended by hand here.
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
