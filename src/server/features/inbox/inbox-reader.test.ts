import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ThreadLimit } from '#server/platform/limited-thread.ts';
import { createMetrics } from '#server/platform/metrics/metrics.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { form } from '#test/faults/form.ts';
import { dsnMail, postfixGroup, rawMail } from '#test/inbox-mails.ts';
import { mailThread, startReader } from '#test/inbox-reading.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { InboxError } from './imap-dialog.ts';
import type { InboxSession } from './imap-session.ts';
import type { InboxReaderParts } from './inbox-reader.ts';
import { advanceCursor } from './inbox-row.queries.ts';
import { inboxFigures } from './inbox-state.queries.ts';
import type { MailTask } from './mail-thread.ts';
import type { MailThread } from './parse-beside.ts';

let database: TestDatabase;
let tenant: Tenant;
let mailbox: FakeMailbox;

/** A mailbox that faults on demand. */
class FakeMailbox {
  uidValidity = 7;
  /** By their uids. */
  readonly mails = new Map<number, Buffer>();
  fault: InboxError | null = null;
  /** How often it was opened, and the uids that were read, in order. */
  opened = 0;
  readonly read: number[] = [];
  readonly moved: number[] = [];
  canMove = true;
  private arrived = Promise.withResolvers<void>();

  add(uid: number, mail: Buffer): void {
    this.mails.set(uid, mail);
    this.arrived.resolve();
    this.arrived = Promise.withResolvers();
  }

  readonly open = async (): Promise<InboxSession> => {
    this.opened += 1;
    if (this.fault) throw this.fault;
    return {
      uidValidity: this.uidValidity,
      mailsAfter: async (uid) => {
        if (this.fault) throw this.fault;
        const uids = [...this.mails.keys()].filter((one) => one > uid).slice(0, 2);
        this.read.push(...uids);
        return uids.map((one) => ({ uid: one, source: this.mails.get(one) ?? new Uint8Array() }));
      },
      uidBefore: async () => 100,
      waitForMail: (ms, signal) =>
        Promise.race([this.arrived.promise, sleep(ms, undefined, { signal, ref: false }).catch(() => undefined)]),
      moveDone: async (uids) => {
        if (this.canMove) this.moved.push(...uids);
        return this.canMove;
      },
      close: () => {},
    };
  };
}

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  mailbox = new FakeMailbox();
});

const NAME = 'imaps://in@mail.example/INBOX';

/** Stores what killed processes left: parses of a mail that did not end. */
const addTries = (uid: number, tries: number) =>
  database.db
    .insertInto('inbox_parse')
    .values({ mailbox: NAME, mail: `7:${uid}`, tries })
    .execute();
const parses = () => database.db.selectFrom('inbox_parse').select(['mail', 'tries']).execute();

const start = (metrics = createMetrics(), more: Partial<InboxReaderParts> = {}) =>
  startReader(database, {
    name: NAME,
    open: mailbox.open,
    metrics,
    retryMs: 20,
    leaseEveryMs: 20,
    ...more,
  });

/** Adds a mail that was sent. @returns the report that it came back */
async function bouncedMail(n: number): Promise<Buffer> {
  const [prospect = 0] = await addProspects(database.db, tenant.accountId, [{ company_name: `会社${n}` }]);
  const run = await addDelivery(database.db, tenant, prospect, { state: 'sent', mailTo: `info${n}@midori.example` });
  const { mail_key } = await database.db
    .updateTable('delivery')
    .set({ finished_at: new Date() })
    .where('send_log_id', '=', run)
    .returning('mail_key')
    .executeTakeFirstOrThrow();
  const groups = [postfixGroup(`info${n}@midori.example`, '5.1.1', 'smtp; 550 User unknown')];
  return dsnMail({ key: mail_key?.replaceAll('-', '') ?? '', groups });
}

const row = () => database.db.selectFrom('inbox').selectAll().executeTakeFirst();
const failed = async () =>
  (await database.db.selectFrom('delivery').select('id').where('state', '=', 'failed').execute()).length;
const untilLooked = () => eventually(row, (found) => found?.read_at instanceof Date);
const untilFailed = (count: number) => eventually(failed, (found) => found === count);
const untilRead = (uid: number) => eventually(row, (found) => found?.last_uid === uid && found.fault === null);

describe('the reader of the inbox', () => {
  test('lawful 85: takes what is new at the first look, then each mail as it comes, in order', async () => {
    mailbox.add(99, await bouncedMail(0));
    mailbox.add(101, await bouncedMail(1));
    start();
    await untilFailed(1);
    for (const uid of [102, 103, 105]) mailbox.add(uid, await bouncedMail(uid));
    await untilFailed(4);
    await untilRead(105);
    expect(mailbox.read).toStrictEqual([101, 102, 103, 105]);
    expect(mailbox.opened).toBe(1);
    expect(await row()).toMatchObject({ uid_validity: 7, mails: 4, unmatched: 0, skipped: 0 });
  });

  test('lawful 64: reads again after the uids changed, and nothing counts twice', async () => {
    mailbox.add(101, await bouncedMail(1));
    const stop = start();
    await untilFailed(1);
    await stop();
    mailbox.uidValidity = 8;
    start();
    await eventually(row, (found) => found?.uid_validity === 8 && found.last_uid === 101);
    expect(mailbox.read).toStrictEqual([101, 101]);
    expect(await database.db.selectFrom('bounce').selectAll().execute()).toHaveLength(1);
  });

  test('lawful 65, 86: mails about none of ours, or that cannot be read, are counted and left', async () => {
    mailbox.add(101, rawMail([['From', 'a@b.example']], 'spam'));
    mailbox.add(102, rawMail([['Subject', 'x']], ''));
    await addTries(102, 3);
    mailbox.add(103, await bouncedMail(1));
    const metrics = createMetrics();
    start(metrics);
    await untilRead(103);
    expect(mailbox.moved).toStrictEqual([103]);
    expect(await row()).toMatchObject({ mails: 3, unmatched: 1, skipped: 1 });
    expect(await failed()).toBe(1);
    const { values } = await metrics.inboxMails.get();
    const counts = Object.fromEntries(values.map(({ labels, value }) => [labels.kind, value]));
    expect(counts).toStrictEqual({ unmatched: 1, unreadable: 1, bounce: 1 });
  });

  test('goes on where mails cannot be moved', async () => {
    mailbox.canMove = false;
    mailbox.add(101, await bouncedMail(1));
    start();
    await untilRead(101);
    expect(await failed()).toBe(1);
  });

  test('lawful 86: a mail whose effects fail is skipped', async () => {
    mailbox.add(101, await bouncedMail(1));
    mailbox.add(102, await bouncedMail(2));
    await database.pool.query(`ALTER TABLE bounce ADD CONSTRAINT no_first CHECK (reply NOT LIKE '%User unknown%')`);
    start();
    await untilRead(102);
    await database.pool.query('ALTER TABLE bounce DROP CONSTRAINT no_first');
    expect(await row()).toMatchObject({ mails: 2, skipped: 2 });
    expect(await failed()).toBe(0);
  });

  test('lawful 83: a fault is shown, retried, and forgotten once the mailbox answers', async () => {
    const client = await clientOf(database, tenant.accountId);
    const nothing = { mails: 0, unmatched: 0, skipped: 0 };
    expect((await client.get('/inbox')).body).toStrictEqual({
      state: 'off',
      last_read_at: null,
      fault: null,
      ...nothing,
    });
    mailbox.fault = new InboxError('login', new Error('no'));
    start();
    await eventually(row, (found) => found?.fault === 'login');
    await eventually(
      () => mailbox.opened,
      (opened) => opened > 2,
    );
    expect((await client.get('/inbox')).body).toStrictEqual({
      state: 'failing',
      last_read_at: null,
      fault: 'login',
      ...nothing,
    });
    expect(await inboxFigures(database.service.db, NAME)).toMatchObject({ isFaulty: 1 });
    mailbox.fault = null;
    mailbox.add(101, rawMail([['From', 'a@b.example']], 'spam'));
    await eventually(row, (found) => found?.fault === null && found.read_at !== null && found.mails === 1);
    expect((await client.get('/inbox')).body).toStrictEqual({
      state: 'reading',
      last_read_at: expect.stringMatching(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/),
      fault: null,
      mails: 1,
      unmatched: 1,
      skipped: 0,
    });
  });

  test('nobody reads it for ten minutes: it fails, also before the first look has ended', async () => {
    const client = await clientOf(database, tenant.accountId);
    const shown = async () => (await client.get('/inbox')).body;
    const name = NAME;
    await database.db.insertInto('inbox').values({ name }).execute();
    expect(await shown()).toMatchObject({ state: 'reading', last_read_at: null });
    const old = new Date(Date.now() - 11 * 60_000);
    await database.db.updateTable('inbox').set({ tried_at: old }).execute();
    expect(await shown()).toMatchObject({ state: 'failing', fault: null });
    // It has been read since, and a long look goes on.
    const workerId = randomUUID();
    await database.db.updateTable('inbox').set({ read_at: old, worker_id: workerId }).execute();
    await advanceCursor(database.db, { name, workerId }, { uid: 101, mails: 1, unmatched: 0, skipped: 0 });
    expect(await shown()).toMatchObject({ state: 'reading' });
  });

  test('lawful 84: a connection that is lost between two looks is opened again', async () => {
    start();
    await untilLooked();
    mailbox.fault = new InboxError('connection', new Error('closed'));
    mailbox.add(101, await bouncedMail(1));
    await eventually(row, (found) => found?.fault === 'connection');
    mailbox.fault = null;
    await untilFailed(1);
    expect(mailbox.opened).toBeGreaterThan(1);
  });

  test('is one of several workers, and another takes over when it stops', async () => {
    const stop = start();
    await untilLooked();
    const ofFirst = mailbox;
    mailbox = new FakeMailbox();
    start();
    // While both run, one of them reads.
    for (const uid of [101, 102]) {
      ofFirst.add(uid, await bouncedMail(uid));
      await untilRead(uid);
    }
    expect([ofFirst.opened, mailbox.opened]).toStrictEqual([1, 0]);
    await stop();
    await eventually(
      () => mailbox.opened,
      (opened) => opened === 1,
    );
  });
});

/** Of a mail that is made to keep a parser busy. */
const hostile = (line: string) => rawMail([['From', 'a@b.example']], Buffer.from(line.repeat(262_144 / line.length)));

describe('mails that a parser takes long for', () => {
  test('some of line breaks hold up neither the process nor the mail behind them', async () => {
    const count = form.isLong ? 20 : 5;
    for (let n = 1; n <= count; n += 1) mailbox.add(100 + n, hostile(n % 2 === 0 ? '\n' : ' \n'));
    mailbox.add(101 + count, await bouncedMail(1));
    const before = process.memoryUsage().rss;
    let [longest, last, most] = [0, performance.now(), 0];
    const watch = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 10);
    onTestFinished(() => clearInterval(watch));
    start();
    await untilRead(101 + count);
    // In one event loop, and all at once, five took nine seconds and 1.9 GB.
    expect(longest).toBeLessThan(2500);
    expect(most).toBeLessThan(700_000_000);
    expect(await failed()).toBe(1);
    expect(await row()).toMatchObject({ mails: count + 1, unmatched: count, skipped: 0 });
    expect(await parses()).toStrictEqual([]);
  });

  /** A thread in which what `fails` says of a task happens in place of its answer. */
  const threadThat = (fails: (task: MailTask, signal: AbortSignal) => Promise<never> | null): MailThread => ({
    ...mailThread,
    ask: (task, signal) => fails(task, signal) ?? mailThread.ask(task, signal),
  });
  const refusal = (key: string) => rawMail([['Delivered-To', `u-${key}@bounce.kaitaku.example`]], 'x');
  const keyOf = async () =>
    (await database.db.selectFrom('delivery').select('mail_key').executeTakeFirstOrThrow()).mail_key?.replaceAll(
      '-',
      '',
    ) ?? expect.unreachable();
  const suppressed = () => database.db.selectFrom('suppression').select(['value', 'source']).execute();

  test.each(['time', 'memory'] as const)(
    'one that passes the limit of %s is passed over at once, and its header counts',
    async (limit) => {
      await bouncedMail(1);
      mailbox.add(101, refusal(await keyOf()));
      mailbox.add(102, await bouncedMail(2));
      const asked: string[] = [];
      const metrics = createMetrics();
      start(metrics, {
        thread: threadThat(({ kind, source }) => {
          asked.push(kind);
          return kind === 'mail' && source === mailbox.mails.get(101) ? Promise.reject(new ThreadLimit(limit)) : null;
        }),
      });
      await untilRead(102);
      expect(asked).toStrictEqual(['mail', 'header', 'mail']);
      expect(await suppressed()).toContainEqual({ value: 'info1@midori.example', source: 'mailto' });
      // It is shown as one that was not read, and stays in the mailbox.
      expect(mailbox.moved).toStrictEqual([102]);
      const shown = (await clientOf(database, tenant.accountId)).get('/inbox');
      expect((await shown).body).toMatchObject({ state: 'reading', mails: 2, skipped: 1 });
      expect((await metrics.inboxMails.get()).values).toContainEqual({ labels: { kind: 'unreadable' }, value: 1 });
      expect(await parses()).toStrictEqual([]);
    },
  );

  test('one whose parse does not end is tried three times, then passed over; its header counts', async () => {
    await bouncedMail(1);
    mailbox.add(101, refusal(await keyOf()));
    // Each reader is that of a process that was killed: its parse never ends, and its lease does.
    const tries: number[] = [];
    for (let n = 1; n <= 4; n += 1) {
      const stopped = new AbortController();
      const whole = (task: MailTask) =>
        task.kind === 'mail'
          ? new Promise<never>((_, reject) =>
              stopped.signal.addEventListener('abort', () => reject(new Error('killed'))),
            )
          : null;
      start(undefined, { thread: threadThat(whole), leaseEveryMs: 1_000_000 });
      // Runs before the stop, which waits for the parse.
      onTestFinished(() => stopped.abort());
      if (n === 4) break;
      await eventually(parses, (found) => found?.[0]?.tries === n);
      tries.push((await parses())[0]?.tries ?? 0);
      await database.db.updateTable('inbox').set({ lease_until: null }).execute();
    }
    await untilRead(101);
    expect(tries).toStrictEqual([1, 2, 3]);
    expect(await suppressed()).toContainEqual({ value: 'info1@midori.example', source: 'mailto' });
    expect(await row()).toMatchObject({ mails: 1, skipped: 1 });
  });

  test('an orderly stop within a parse does not count', async () => {
    mailbox.add(101, await bouncedMail(1));
    await database.db
      .insertInto('inbox_parse')
      .values({ mailbox: NAME, mail: '7:101', tries: 2, begun_at: new Date() })
      .execute();
    const hung = threadThat(
      (_, signal) =>
        new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    for (let n = 0; n < 3; n += 1) {
      const stop = start(undefined, { thread: hung });
      await eventually(parses, (found) => found?.[0]?.tries === 3);
      await stop();
      expect(await parses()).toStrictEqual([{ mail: '7:101', tries: 2 }]);
    }
    start();
    await untilFailed(1);
    expect(await row()).toMatchObject({ skipped: 0 });
  });

  test('a thread that ends without an answer counts as a try, and the mail behind is read', async () => {
    mailbox.add(101, await bouncedMail(1));
    mailbox.add(102, await bouncedMail(2));
    const first = mailbox.mails.get(101);
    start(undefined, {
      thread: threadThat(({ kind, source }) =>
        kind === 'mail' && source === first ? Promise.reject(new Error('the thread ended without an answer')) : null,
      ),
    });
    await untilRead(102);
    expect(await row()).toMatchObject({ mails: 2, skipped: 1 });
    // Its subject says that it did not arrive.
    expect(await failed()).toBe(2);
  });
});

test('a mail that meets a deadlock or a cancelled statement is taken again', async () => {
  mailbox.add(101, await bouncedMail(1));
  await database.pool.query(`
    CREATE SEQUENCE takes;
    GRANT USAGE ON takes TO PUBLIC;
    CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('takes') < 3 THEN RAISE EXCEPTION 'canceling statement' USING ERRCODE = 'query_canceled'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fails_twice BEFORE INSERT ON bounce FOR EACH ROW EXECUTE FUNCTION fail_twice()`);
  onTestFinished(
    () => void database.pool.query('DROP TRIGGER fails_twice ON bounce; DROP FUNCTION fail_twice; DROP SEQUENCE takes'),
  );
  start();
  await untilFailed(1);
  await untilRead(101);
  expect(await row()).toMatchObject({ mails: 1, skipped: 0 });
});
