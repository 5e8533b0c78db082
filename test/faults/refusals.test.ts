import { describe, expect, test } from 'vitest';
import { refuseMail } from '#server/features/opt-out/link.command.ts';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import { CRASH_POINTS } from './crash-points.ts';
import { form } from './form.ts';
import { judge } from './truth.ts';
import { endLeases, kill, mergeNow, startWeb, startWorker, untilAtPoint, untilStarted, wireTo } from './workers.ts';

const MAILS = 6;

const keysOf = async ({ db }: TestDatabase) =>
  (await db.selectFrom('delivery').select('mail_key').orderBy('id').execute()).map(({ mail_key }) =>
    (mail_key ?? '').replaceAll('-', ''),
  );

/** Opts out as the page does, in this process. */
const refuse = ({ login, api }: TestDatabase, key: string) =>
  refuseMail({ login, now: Date.now, accountDb: accountDbOf(api) }, key, {
    source: 'one_click',
    wholeDomain: false,
    reason: null,
  });

const statesOf = async ({ db }: TestDatabase) =>
  (await db.selectFrom('delivery').select(['state', 'reason']).orderBy('id').execute()).map(
    ({ state, reason }) => reason ?? state,
  );

/** Points that leave the same rows and receipts as another point. */
const LEAVE_THE_SAME = new Set([
  'its claim committed, unheard of',
  'not greeted yet',
  'no 354 yet',
  'within the body',
  'after the final dot',
]);

/** The points for killing a worker that holds a run's mails: all in the long form, otherwise one a state. */
const POINTS = CRASH_POINTS.filter(
  ({ name, scene }) => scene === undefined && (form.isLong || !LEAVE_THE_SAME.has(name)),
);

describe('all recipients opt out while a worker is killed at', () => {
  test.each(POINTS)('$name: no other mail begins', async (point) => {
    const database = await emptyDatabase();
    const sink = await testSink();
    await acceptMails(database, MAILS);
    const keys = await keysOf(database);
    const { wire, url } = await wireTo(database);
    const reached = point.reached({ wire, sink });
    const victim = startWorker(url, sink.port, 1);
    await untilAtPoint(point.name, reached, victim);
    // A transaction open on the worker's connection may block some of them until the worker is dead.
    const refused = Promise.all(keys.map((key) => refuse(database, key)));
    await kill(victim);
    await wire.close();
    expect(await refused).toMatchObject(keys.map(() => ({ kind: 'done' })));
    const begun = sink.mails.length;
    sink.fault = () => null;
    await endLeases(database);
    await mergeNow(database);
    testWorker(database, sink);
    await untilSettled(database.db);
    await mergeNow(database);
    expect(sink.mails).toHaveLength(begun);
    const arrived = sink.mails.map(({ messageId }) => messageId);
    expect((await judge(database.db, arrived)).wrong).toStrictEqual([]);
    const states = await statesOf(database);
    expect(states.filter((state) => state === 'suppressed').length).toBeGreaterThanOrEqual(MAILS - 2);
  });
});

/** An opt-out is stored, but its mails are not cancelled yet. */
const STORED = { after: /INSERT INTO suppression/, at: /\bcommit\b/i, when: 'answered' } as const;

test('lawful 34: a web process is killed between storing an opt-out and cancelling its mails: the sweep of a worker cancels them', async () => {
  const database = await emptyDatabase();
  const sink = await testSink();
  const { accountId } = await acceptMails(database, 2);
  await database.db
    .updateTable('delivery')
    .set({ not_before: new Date(Date.now() + 3_600_000) })
    .execute();
  const [key = ''] = await keysOf(database);
  const { wire, url: databaseUrl } = await wireTo(database);
  const { web, url } = await startWeb(databaseUrl, sink.port, database, accountId);
  const stopped = wire.stopAt(STORED);
  void fetch(`${url}/u/${key}`, { method: 'POST' }).catch(() => 'no answer');
  await stopped;
  await kill(web);
  await wire.close();
  expect(await statesOf(database)).toStrictEqual(['queued', 'queued']);
  testWorker(database, sink);
  await eventually(
    () => statesOf(database),
    ([first]) => first === 'suppressed',
  );
  expect(await statesOf(database)).toStrictEqual(['suppressed', 'queued']);
});

/** Every third recipient opts out. */
const KILLED_MAILS = form.isLong ? 120 : 60;

test(`kill -9 of web and workers during opt-outs: each answered one is stored, and no mail follows it (seed ${form.seed})`, async () => {
  const database = await emptyDatabase();
  const sink = await testSink();
  // For each opt-out the worker's two connections send one mail each. Otherwise all mails would be sent before the
  // first opt-out.
  sink.fault = (moment) => (moment === 'dot' ? 'wait' : null);
  const answerMails = () => {
    for (const answer of sink.waiting.splice(0)) answer();
  };
  const { accountId } = await acceptMails(database, KILLED_MAILS);
  const keys = await keysOf(database);
  let worker = startWorker(database.url, sink.port, 2);
  let { web, url } = await startWeb(database.url, sink.port, database, accountId);
  /** The mails whose opt-out was answered, with their states at that moment. */
  const answered: { key: string; state: string | undefined }[] = [];
  for (const [n, key] of [...keys.entries()].toReversed().filter(([index]) => index % 3 === 0)) {
    const asked = fetch(`${url}/u/${key}`, { method: 'POST' }).then(
      ({ status }) => status,
      () => 0,
    );
    answerMails();
    if (n % 30 === 0) {
      await kill(web);
      ({ web, url } = await startWeb(database.url, sink.port, database, accountId));
    }
    if (n % 45 === 0) {
      await kill(worker);
      await endLeases(database);
      worker = startWorker(database.url, sink.port, 2);
      await untilStarted(worker);
    }
    if ((await asked) !== 200) continue;
    const row = await database.db
      .selectFrom('delivery')
      .select('state')
      .where('mail_key', '=', key)
      .executeTakeFirstOrThrow();
    answered.push({ key, state: row.state });
  }
  expect(answered.length).toBeGreaterThan(KILLED_MAILS / 6);
  expect(answered.filter(({ state }) => state === 'cancelled').length).toBeGreaterThan(KILLED_MAILS / 10);
  // At the answer none of them is waiting: each is cancelled, or its body had begun.
  expect(answered.filter(({ state }) => state === 'queued' || state === 'claimed')).toStrictEqual([]);
  sink.fault = () => null;
  answerMails();
  await endLeases(database);
  await untilSettled(database.db, 60_000);
  await mergeNow(database);
  const arrived = sink.mails.map(({ messageId }) => messageId);
  expect((await judge(database.db, arrived)).wrong).toStrictEqual([]);
  const refused = await database.db
    .selectFrom('suppression')
    .innerJoin('delivery', (join) => join.onRef('delivery.address_key', '=', 'suppression.value' as never))
    .select('delivery.mail_key')
    .execute();
  const stored = new Set(refused.map(({ mail_key }) => mail_key?.replaceAll('-', '')));
  expect(answered.filter(({ key }) => !stored.has(key))).toStrictEqual([]);
});
