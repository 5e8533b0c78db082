import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMetrics } from '#server/platform/metrics.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup, rawMail } from '#test/inbox-mails.ts';
import { startReader } from '#test/inbox-reading.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { eventually } from '#test/sending.ts';
import { InboxError } from './imap-dialog.ts';
import type { InboxSession } from './imap-session.ts';
import { advanceCursor } from './inbox-row.queries.ts';
import { inboxFigures } from './inbox-state.queries.ts';

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

const start = (metrics = createMetrics()) =>
  startReader(database, {
    name: 'imaps://in@mail.example/INBOX',
    open: mailbox.open,
    metrics,
    retryMs: 20,
    leaseEveryMs: 20,
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
    mailbox.add(102, rawMail([['Subject', 'x'.repeat(200_000)]], ''));
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
    expect(await inboxFigures(database.service.db, 'imaps://in@mail.example/INBOX')).toMatchObject({ isFaulty: 1 });
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
    const name = 'imaps://in@mail.example/INBOX';
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
