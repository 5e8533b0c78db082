import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { mailNotices, makeNotices } from '#server/features/notices/notice-worker.ts';
import type { Mailer } from '#server/platform/mail/system-mail.ts';
import { PUBLIC_URL } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant } from '#test/prospects.ts';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { testMailer } from '#test/system-mail.ts';
import type { Wire, WirePoint } from './wire.ts';
import { kill, startWorker, untilAtPoint, wireTo } from './workers.ts';

const FOLD = /DELETE FROM notice_event WHERE[\s\S]*told AS/;
const END = /UPDATE notice_member SET mail_lease_until = NULL/;
const COMMIT = /\bcommit\b/i;

interface Links {
  readonly wire: Wire;
  readonly sink: SmtpSink;
}
type Reached = (links: Links) => Promise<void>;

const database =
  (after: RegExp, at: RegExp, when: WirePoint['when']): Reached =>
  ({ wire }) =>
    wire.stopAt({ after, at, when });

const beforeBody: Reached = ({ sink }) =>
  new Promise((reached) => {
    sink.fault = (moment) => {
      if (moment !== 'DATA') return null;
      reached();
      return 'silence';
    };
  });

/** How often the mail arrives; and what the killed worker processes: events, or notices to mail. */
const POINTS: readonly (readonly [string, Reached, 1 | 2, 'events' | 'notices'])[] = [
  ['its notices not committed', database(FOLD, COMMIT, 'asked'), 1, 'events'],
  ['its notices committed, unheard of', database(FOLD, COMMIT, 'answered'), 1, 'events'],
  ['no 354 yet', beforeBody, 1, 'notices'],
  ['250 read, not written', database(END, END, 'asked'), 2, 'notices'],
];

const tell = ({ db }: TestDatabase, accountId: number, kind: string) =>
  db.insertInto('notice_event').values({ account_id: accountId, kind }).execute();

/** Makes notices and mails them, as a worker does in each round. */
async function look({ service: { db } }: TestDatabase, mailer: Mailer): Promise<void> {
  await makeNotices(db);
  const log = { error: expect.unreachable, warn: () => {} };
  const now = () => Date.UTC(2026, 10, 24, 6);
  await mailNotices({ db, now, mailer, urlOf: () => PUBLIC_URL, log });
}

/** Ends the leases and waiting times of all mails. */
const endWaits = ({ db }: TestDatabase) =>
  sql`
    UPDATE notice_member SET mail_not_before = 'epoch',
      mail_lease_until = CASE WHEN mail_lease_until IS NOT NULL THEN 'epoch'::timestamptz END`.execute(db);

/** Two rounds: the first ends the claim of a dead worker, the second mails what it held. */
async function lookLater(store: TestDatabase, mailer: Mailer): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    await endWaits(store);
    await look(store, mailer);
  }
}

const textsOf = (sink: SmtpSink) =>
  Promise.all(sink.mails.map(async ({ source }) => (await PostalMime.parse(source)).text ?? ''));

test.each(POINTS)('a worker killed at: %s', async (name, reachedBy, arrives, finds) => {
  const store = await emptyDatabase();
  const sink = await testSink();
  const { accountId } = await addTenant(store.db);
  await tell(store, accountId, 'stopped');
  // A worker mails when it starts, and then every five seconds.
  if (finds === 'notices') await makeNotices(store.service.db);
  const { wire, url } = await wireTo(store);
  const reached = reachedBy({ wire, sink });
  const victim = startWorker(url, sink.port, 1);
  await untilAtPoint(name, reached, victim);
  await kill(victim);
  await wire.close();
  sink.fault = () => null;

  await lookLater(store, testMailer(sink));
  expect(await store.db.selectFrom('notice').select(['kind', 'count']).execute()).toStrictEqual([
    { kind: 'stopped', count: 1 },
  ]);
  const stopped = expect.stringContaining('送信が止まりました');
  expect(await textsOf(sink)).toStrictEqual(Array.from({ length: arrives }, () => stopped));

  await tell(store, accountId, 'domain_bad');
  await lookLater(store, testMailer(sink));
  const [next, ...others] = (await textsOf(sink)).slice(arrives);
  expect(others).toStrictEqual([]);
  expect(next).toContain('ドメインの設定に問題があります');
  expect(next).not.toContain('送信が止まりました');
});

test('a worker that is late ends no mail of another worker, which still sends it', async () => {
  const store = await emptyDatabase();
  const sink = await testSink();
  const { accountId } = await addTenant(store.db);
  await tell(store, accountId, 'stopped');
  /** Starts a round whose mail is being sent until `end` is called. */
  const begin = async () => {
    const begun = Promise.withResolvers<void>();
    const outcome = Promise.withResolvers<Awaited<ReturnType<Mailer>>>();
    const done = look(store, () => {
      begun.resolve();
      return outcome.promise;
    });
    await begun.promise;
    return { done, end: outcome.resolve };
  };
  const late = await begin();
  await endWaits(store);
  await look(store, testMailer(sink));
  await endWaits(store);
  const other = await begin();
  late.end({ kind: 'sent', reply: '250 OK' });
  await late.done;
  other.end({ kind: 'transport', reply: 'connection lost' });
  await other.done;
  expect(sink.mails).toHaveLength(0);

  await endWaits(store);
  await look(store, testMailer(sink));
  expect(await textsOf(sink)).toStrictEqual([expect.stringContaining('送信が止まりました')]);
});
