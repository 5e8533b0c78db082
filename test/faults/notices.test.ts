import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { expect, onTestFinished, test } from 'vitest';
import { mailNotices, makeNotices } from '#server/features/notices/notice-worker.ts';
import type { Db } from '#server/platform/database/db.ts';
import { PUBLIC_URL } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { openAs } from '#test/open-as.ts';
import { addTenant } from '#test/prospects.ts';
import { testSink } from '#test/sending.ts';
import type { Moment, SmtpSink } from '#test/smtp-sink.ts';
import { testMailer } from '#test/system-mail.ts';
import { form } from './form.ts';
import type { Wire, WirePoint } from './wire.ts';
import { kill, startWorker, untilAtPoint, wireTo } from './workers.ts';

const FOLD = /DELETE FROM notice_event WHERE[\s\S]*told AS/;
const CLAIM = /UPDATE notice_member SET mail_claim_no/;
const MARK = /SET mail_marked = true/;
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

const mailServer =
  (at: Moment): Reached =>
  ({ sink }) =>
    new Promise((reached) => {
      sink.fault = (moment) => {
        if (moment !== at) return null;
        reached();
        return 'silence';
      };
    });

/**
 * Before the mark another worker sends the mail. From the mark to the commit of its end nobody knows whether it
 * arrived: it is not sent again, and the next mail tells the same.
 * The last column says what the killed worker finds: events to make notices of, or notices to mail.
 */
const POINTS: readonly (readonly [string, Reached, 0 | 1, 'told' | 'repeated', 'events' | 'notices'])[] = [
  ['its notices not committed', database(FOLD, COMMIT, 'asked'), 1, 'told', 'events'],
  ['its notices committed, unheard of', database(FOLD, COMMIT, 'answered'), 1, 'told', 'events'],
  ['the claim not committed', database(CLAIM, COMMIT, 'asked'), 1, 'told', 'notices'],
  ['the claim committed, unheard of', database(CLAIM, COMMIT, 'answered'), 1, 'told', 'notices'],
  ['no 354 yet', mailServer('DATA'), 1, 'told', 'notices'],
  ['the mark not made', database(MARK, MARK, 'asked'), 1, 'told', 'notices'],
  ['the mark made, no byte sent', database(MARK, MARK, 'answered'), 0, 'repeated', 'notices'],
  ['within the body', mailServer('body'), 0, 'repeated', 'notices'],
  ['after the final dot', mailServer('dot'), 1, 'repeated', 'notices'],
  ['250 read, not written', database(END, END, 'asked'), 1, 'repeated', 'notices'],
  ['the end committed, unheard of', database(END, COMMIT, 'answered'), 1, 'told', 'notices'],
];

/** The points where the short form kills a process: one in each of a worker's two loops. */
const KILLED = new Set(['its notices not committed', 'the mark made, no byte sent']);

const tell = ({ db }: TestDatabase, accountId: number, kind: string) =>
  db.insertInto('notice_event').values({ account_id: accountId, kind }).execute();

/** Makes notices and mails them, as a worker does at each look. */
async function look(db: Db, sink: SmtpSink): Promise<void> {
  await makeNotices(db);
  const log = { error: expect.unreachable, warn: () => {} };
  const now = () => Date.UTC(2026, 10, 24, 6);
  await mailNotices({ db, now, mailer: testMailer(sink), publicUrl: PUBLIC_URL, log });
}

/** Kills a worker process at the point. */
async function killAt(point: string, reached: Promise<void>, url: string, { wire, sink }: Links): Promise<void> {
  const victim = startWorker(url, sink.port, 1);
  await untilAtPoint(point, reached, victim);
  await kill(victim);
  await wire.close();
}

/**
 * Cuts a look off at the point, from the database and from the mail server.
 * Like a killed process it does nothing more: each further step needs one of them. It has ended when this returns.
 */
async function cutOffAt(point: string, reached: Promise<void>, url: string, { wire, sink }: Links): Promise<void> {
  const service = openAs('service', url);
  onTestFinished(service.close);
  const end = look(service.db, sink).then(
    () => 'never stopped',
    (error: Error) => error,
  );
  await Promise.race([reached, end.then((early) => expect.unreachable(`${point}: ${early}`))]);
  await wire.close();
  sink.hangUp();
  expect(await end).toBeInstanceOf(Error);
}

test.each(POINTS)('a worker killed or cut off at: %s', async (name, reachedBy, arrives, fate, finds) => {
  const store = await emptyDatabase();
  const { db } = store.service;
  const sink = await testSink();
  const { accountId } = await addTenant(store.db);
  await tell(store, accountId, 'stopped');
  // A worker mails as it starts, and then each five seconds.
  if (finds === 'notices') await makeNotices(db);
  const { wire, url } = await wireTo(store);
  const links = { wire, sink };
  const end = form.isLong || KILLED.has(name) ? killAt : cutOffAt;
  await end(name, reachedBy(links), url, links);
  sink.fault = () => null;

  const lookLater = async () => {
    await sql`
      UPDATE notice_member SET mail_not_before = 'epoch',
        mail_lease_until = CASE WHEN mail_lease_until IS NOT NULL THEN 'epoch'::timestamptz END`.execute(store.db);
    await look(db, sink);
  };
  const texts = () => Promise.all(sink.mails.map(async ({ source }) => (await PostalMime.parse(source)).text ?? ''));

  await lookLater();
  await lookLater();
  expect(await store.db.selectFrom('notice').select(['kind', 'count']).execute()).toStrictEqual([
    { kind: 'stopped', count: 1 },
  ]);
  expect((await texts()).filter((text) => text.includes('送信が止まりました'))).toHaveLength(arrives);

  await tell(store, accountId, 'domain_bad');
  await lookLater();
  await lookLater();
  const all = await texts();
  expect(all).toHaveLength(arrives + 1);
  expect(all.at(-1)).toContain('ドメインの設定に問題があります');
  expect(all.at(-1)?.includes('送信が止まりました')).toBe(fate === 'repeated');
});
