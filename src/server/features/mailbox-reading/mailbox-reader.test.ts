import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { ImapServer } from '#test/imap-server.ts';
import { addReadMailbox, addSentMail, BOX, personMail, startMailboxes } from '#test/mailbox-reading.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { keyOf, testSecrets } from '#test/secrets.ts';
import { eventually, WORKER_A } from '#test/sending.ts';
import { secretsWith } from '../../platform/secrets/secrets.ts';
import { leaseMailboxes } from './reading.queries.ts';

let database: TestDatabase;
let tenant: Tenant;
let server: ImapServer;
let id: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  server = await new ImapServer().start();
  id = await addReadMailbox(database, tenant.accountId);
});

const start = (more: Parameters<typeof startMailboxes>[2] = {}) =>
  startMailboxes(database, { 'imap.example': server }, more);
const state = () =>
  database.db.selectFrom('mailbox_state').selectAll().where('mailbox_id', '=', id).executeTakeFirstOrThrow();
const box = () => database.db.selectFrom('mailbox').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const untilRead = () => eventually(state, ({ read_at }) => read_at !== null);
const replies = () => database.db.selectFrom('reply').selectAll().execute();
const untilReplies = (count: number) => eventually(replies, (rows) => rows.length === count);
const logIns = () => server.commands.filter((command) => /^(?:LOGIN|AUTHENTICATE)/.test(command)).length;
const days = (count: number) => new Date(Date.now() - count * 86_400_000);

/** Adds a mail, and a reply to it in the mailbox. */
async function addReply(uid: number, address = `info${uid}@midori.example`): Promise<void> {
  const { messageId } = await addSentMail(database, tenant, address);
  server.add(uid, personMail(address, 'Re: ご提案', '資料をください。', [['In-Reply-To', messageId]]));
}

describe('looks', () => {
  test('take each reply as it comes', async () => {
    await addReply(5);
    start();
    await untilReplies(1);
    await addReply(6);
    await untilReplies(2);
    expect(server.connections).toBe(1);
    expect(server.bodies).toStrictEqual([5, 6]);
    expect(await replies()).toMatchObject([{ excerpt: '資料をください。', is_unclear: false }, { kind: 'reply' }]);
    await eventually(state, ({ last_uid }) => last_uid === 6);
  });

  test('look again without news where no connection may stay open', async () => {
    start({ idleMax: 0 });
    await untilRead();
    await addReply(5);
    await untilReplies(1);
    expect(server.commands).not.toContain('IDLE');
    expect(server.connections).toBeGreaterThan(1);
  });

  test('write nothing where nothing concerns us', async () => {
    start({ leaseEveryMs: 3_600_000 });
    await untilRead();
    const before = await state();
    for (let uid = 10; uid < 13; uid += 1) server.add(uid, personMail('friend@home.example', '昼食', '12時に'));
    const looks = () => server.commands.filter((command) => command.startsWith('UID SEARCH')).length;
    const seen = looks();
    await eventually(
      async () => looks(),
      (count) => count > seen + 5,
    );
    expect(await state()).toStrictEqual(before);
  });

  test('100 idle mailboxes: one statement renews all their leases, and looks write nothing', async () => {
    for (let n = 1; n < 100; n += 1) {
      await addReadMailbox(database, tenant.accountId, { address: `box${n}@example.com` });
    }
    start({ leaseEveryMs: 500, lookEveryMs: 100 });
    const transactions = async () => {
      const { rows } = await sql<{ writes: number; unread: number }>`
        SELECT count(DISTINCT xmin::text)::integer AS writes,
          count(*) FILTER (WHERE read_at IS NULL)::integer AS unread
        FROM mailbox_state`.execute(database.db);
      return rows[0];
    };
    await eventually(transactions, (found) => found?.unread === 0 && found.writes === 1);
    const looks = () => server.commands.filter((command) => command.startsWith('UID SEARCH')).length;
    const seen = looks();
    const lease = async () => (await state()).reader_until?.getTime();
    const before = await lease();
    await eventually(
      async () => {
        expect(await transactions()).toStrictEqual({ writes: 1, unread: 0 });
        return looks() > seen + 300 && (await lease()) !== before;
      },
      (isOver) => isOver,
    );
    expect(server.connections).toBe(100);
  });

  test('read mails from the first look on, and not those before', async () => {
    await addReply(5);
    server.dates.set(5, days(2));
    await addReply(6);
    server.dates.set(6, new Date(Date.now() - 3_600_000));
    start();
    await untilRead();
    expect(server.bodies).toStrictEqual([]);
    expect((await state()).reads_from).toBeInstanceOf(Date);
  });

  test.each([
    ['reads_from', days(10), [6, 7]],
    ['30 days', days(60), [5, 6, 7]],
  ])('after a new UIDVALIDITY begin at %s again, and nothing counts twice', async (_, reads_from, expected) => {
    await database.db.updateTable('mailbox_state').set({ reads_from, uid_validity: 3, last_uid: 900 }).execute();
    for (const [uid, age] of [
      [4, 45],
      [5, 20],
      [6, 5],
      [7, 0],
    ] as const) {
      await addReply(uid);
      server.dates.set(uid, days(age));
    }
    const stop = start();
    await untilReplies(expected.length);
    await stop();
    expect(server.bodies).toStrictEqual(expected);
    server.uidValidity = 8;
    start();
    await eventually(state, ({ uid_validity, last_uid }) => uid_validity === 8 && last_uid === 7);
    expect(server.bodies).toStrictEqual([...expected, ...expected]);
    expect(await replies()).toHaveLength(expected.length);
  });

  test('skip a mail whose header is larger than a server may send at once, and read those around it', async () => {
    for (const uid of [5, 6, 8]) await addReply(uid);
    server.mails.set(7, personMail('friend@home.example', 'x'.repeat(9_000_000), ''));
    await addReply(9);
    start();
    await untilReplies(4);
    await eventually(state, ({ last_uid, read_fault }) => last_uid === 9 && read_fault === null);
    expect(server.bodies).toStrictEqual([5, 6, 8, 9]);
  });

  test('report a mail that the server lists and does not return, and read on once it is gone', async () => {
    await addReply(5);
    await addReply(6);
    server.script = (command) => (/^UID FETCH .*BODY\.PEEK\[\]/.test(command) ? { end: 'NO' } : undefined);
    start();
    await eventually(state, ({ read_fault }) => read_fault === 'other');
    server.script = () => undefined;
    await untilReplies(2);
    await eventually(state, ({ read_fault }) => read_fault === null);
  });
});

describe('privacy', () => {
  const OLD = 5000;

  test(`of ${OLD} old mails no body is fetched, and no row, count or log line is left`, async () => {
    await database.db
      .updateTable('mailbox_state')
      .set({ reads_from: days(20) })
      .execute();
    await addSentMail(database, tenant, 'info@midori.example');
    const secret = 'ひみつの相談';
    for (let uid = 1; uid <= OLD; uid += 1) {
      server.mails.set(uid, personMail(`friend${uid}@home.example`, `Re: ${secret}${uid}`, secret));
      server.dates.set(uid, days(1));
    }
    const lines: string[] = [];
    const { pino } = await import('pino');
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    start({ log });
    await eventually(state, ({ last_uid }) => last_uid === OLD, 30_000);
    expect(server.bodies).toStrictEqual([]);
    expect(lines).toStrictEqual([]);
    const { rows: tables } = await sql<{ name: string }>`
      SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'public' AND c.relkind = 'r'`.execute(database.db);
    expect(tables.length).toBeGreaterThan(50);
    for (const { name } of tables) {
      const { rows } = await sql`SELECT FROM ${sql.table(name)} AS t
        WHERE t::text LIKE '%home.example%' OR t::text LIKE ${`%${secret}%`}`.execute(database.db);
      expect([name, rows.length]).toStrictEqual([name, 0]);
    }
  });

  test('FETCH names the fields, and nothing else of a private mail', async () => {
    server.add(5, personMail('friend@home.example', '昼食', '12時に'));
    start();
    await eventually(state, ({ last_uid }) => last_uid === 5);
    const fetches = server.commands.filter((command) => command.startsWith('UID FETCH'));
    expect(fetches).toStrictEqual([
      'UID FETCH 5 (INTERNALDATE UID BODY.PEEK[HEADER.FIELDS (Message-ID In-Reply-To References From To Date Subject ' +
        'Auto-Submitted Content-Type Return-Path Delivered-To X-Failed-Recipients)])',
    ]);
    expect(server.commands.some((command) => command.startsWith('EXAMINE'))).toBe(true);
  });
});

describe('leases', () => {
  const reader = async () => (await state()).reader_id;

  test('one of two workers reads; after its stop the other takes over', async () => {
    const stopFirst = start();
    await untilRead();
    const first = await reader();
    start();
    await addReply(5);
    await untilReplies(1);
    expect(server.connections).toBe(1);
    await stopFirst();
    await addReply(6);
    await untilReplies(2);
    expect(await reader()).not.toBe(first);
  });

  test('the mailboxes of a dead worker are taken when its lease ends, and no earlier', async () => {
    const dead = '00000000-0000-4000-8000-00000000dead';
    const set = (seconds: number) => sql`
      UPDATE mailbox_state SET reader_id = ${dead}, reader_until = now() + make_interval(secs => ${seconds})`;
    await set(3).execute(database.db);
    const begun = Date.now();
    start();
    await eventually(reader, (found) => found !== dead);
    expect(Date.now() - begun).toBeGreaterThan(2500);
    const { reader_until } = await state();
    expect((reader_until?.getTime() ?? 0) - Date.now()).toBeGreaterThan(100_000);
  });

  test('a worker whose mailbox another one has taken writes nothing more', async () => {
    start({ leaseEveryMs: 3_600_000 });
    await untilRead();
    const other = '00000000-0000-4000-8000-00000000beef';
    await sql`UPDATE mailbox_state SET reader_id = ${other}, last_uid = 1`.execute(database.db);
    await addReply(5);
    await untilReplies(1);
    const seen = server.commands.length;
    // The reading has ended: its connection is closed.
    await new Promise((done) => setTimeout(done, 300));
    expect(server.commands).toHaveLength(seen);
    expect(await state()).toMatchObject({ reader_id: other, last_uid: 1 });
  });

  test.each([
    ['reconnect', { state: 'reconnect' }],
    ['unchecked', { state: 'unchecked' }],
    ['off', { state: 'off' }],
    ['not read', { reads_replies: false }],
  ])('a mailbox that is %s is left alone, also if it was read before', async (_, change) => {
    start();
    await untilRead();
    await database.db.updateTable('mailbox').set(change).execute();
    const until = async () => (await state()).reader_until?.getTime();
    await eventually(
      async () => {
        const before = await until();
        await new Promise((done) => setTimeout(done, 300));
        return before === (await until());
      },
      (isLeft) => isLeft,
    );
    await addReply(5);
    await new Promise((done) => setTimeout(done, 300));
    expect([server.bodies, await replies()]).toStrictEqual([[], []]);
  });

  test('a frozen account, and a key that this process lacks, are left alone', async () => {
    await sql`UPDATE account SET frozen_at = now()`.execute(database.db);
    const stop = start();
    const foreign = secretsWith({ current: keyOf(9), old: null });
    const mailboxes = { secrets: foreign, outbound: {} as never, now: Date.now };
    await addTenant(database.db);
    await new Promise((done) => setTimeout(done, 300));
    expect(server.connections).toBe(0);
    await stop();
    await sql`UPDATE account SET frozen_at = NULL`.execute(database.db);
    const stopForeign = start({ mailboxes });
    await new Promise((done) => setTimeout(done, 300));
    await stopForeign();
    expect([server.connections, (await state()).reader_id]).toStrictEqual([0, null]);
    expect(testSecrets.keyIds).not.toStrictEqual(foreign.keyIds);
    start();
    await untilRead();
  });
});

test('above the most of a worker, accounts take turns: one with many mailboxes keeps no other from being read', async () => {
  const lease = async (limit: number) =>
    (await leaseMailboxes(database.service.db, { workerId: WORKER_A, keyIds: testSecrets.keyIds, limit })).map(
      (one) => one.id,
    );
  const second = await addReadMailbox(database, tenant.accountId, { address: 'second@example.com' });
  await addReadMailbox(database, tenant.accountId, { address: 'third@example.com' });
  expect(await lease(2)).toStrictEqual([id, second]);
  const other = await addTenant(database.db);
  const another = await addReadMailbox(database, other.accountId);
  // The second is read until its lease ends.
  expect(await lease(2)).toStrictEqual([id, second, another]);
  await database.db
    .updateTable('mailbox_state')
    .set({ reader_until: new Date(Date.now() - 1) })
    .where('mailbox_id', '=', second)
    .execute();
  expect(await lease(2)).toStrictEqual([id, another]);
  expect(await lease(3)).toStrictEqual([id, second, another]);
});

describe('log-ins', () => {
  const refuse = (words = '') => {
    server.script = (command) => (/^(?:LOGIN|AUTHENTICATE)/.test(command) ? { say: words, end: 'NO' } : undefined);
  };

  test('the second refusal in a row loses the mailbox, which then waits for a member', async () => {
    refuse();
    start();
    await eventually(box, (row) => row.state === 'reconnect');
    expect(logIns()).toBe(2);
    const events = await database.db.selectFrom('audit_event').select(['kind', 'detail']).execute();
    expect(events).toMatchObject([{ kind: 'mailbox_lost', detail: { mailbox_id: id, address: BOX } }]);
  });

  test('a refusal by SMTP counts too', async () => {
    await database.db.updateTable('mailbox_state').set({ login_refusals: 1, why: 'log_in' }).execute();
    refuse();
    start();
    await eventually(box, (row) => row.state === 'reconnect');
    expect(logIns()).toBe(1);
  });

  test('a log-in between them ends the count, but not that of SMTP', async () => {
    await database.db.updateTable('mailbox_state').set({ login_refusals: 1 }).execute();
    const stop = start();
    await untilRead();
    expect(await state()).toMatchObject({ login_refusals: 0 });
    await stop();
    await database.db.updateTable('mailbox_state').set({ login_refusals: 1, why: 'log_in', read_at: null }).execute();
    start();
    await untilRead();
    expect(await state()).toMatchObject({ login_refusals: 1 });
  });

  test('a lost connection is no refusal', async () => {
    server.script = (command) => (/^(?:LOGIN|AUTHENTICATE)/.test(command) ? { end: 'RST' } : undefined);
    start();
    await eventually(
      async () => logIns(),
      (count) => count > 3,
    );
    expect(await state()).toMatchObject({ login_refusals: 0, read_fault: 'connection' });
    expect((await box()).state).toBe('ok');
  });

  test('a mailbox that cannot be reached delays no other', async () => {
    const silent = await new ImapServer().start();
    silent.script = () => ({ end: 'silence' });
    await database.db.updateTable('mailbox').set({ imap_host: 'silent.example' }).execute();
    const other = await addReadMailbox(database, tenant.accountId, { address: 'b@example.com' });
    startMailboxes(database, { 'imap.example': server, 'silent.example': silent });
    const otherState = () =>
      database.db
        .selectFrom('mailbox_state')
        .select('read_at')
        .where('mailbox_id', '=', other)
        .executeTakeFirstOrThrow();
    await eventually(otherState, ({ read_at }) => read_at !== null);
    expect((await state()).read_at).toBeNull();
  });

  test('mailboxes without an end delay neither other accounts nor others of theirs', async () => {
    const flood = await new ImapServer().start();
    flood.script = (command) => {
      // Two mails are always left, of which one is returned.
      const from = Number(/^UID SEARCH UID (\d+)/.exec(command)?.[1] ?? 0);
      if (from > 0) return { say: `* SEARCH ${from} ${from + 1}\r\n`, end: 'OK' };
      const [, uid] = /^UID FETCH (\d+)/.exec(command) ?? [];
      const row = `* 1 FETCH (UID ${uid} BODY[HEADER.FIELDS (SUBJECT)] {14}\r\nSubject: x\r\n\r\n)\r\n`;
      return uid === undefined ? undefined : { say: row, end: 'OK' };
    };
    for (let n = 0; n < 10; n += 1) {
      await addReadMailbox(database, tenant.accountId, { address: `f${n}@example.com`, imap_host: 'flood.example' });
    }
    await database.db.updateTable('mailbox').set({ imap_host: 'flood.example' }).execute();
    startMailboxes(database, { 'imap.example': server, 'flood.example': flood }, { turnMs: 300 });
    await eventually(
      async () => flood.commands.length,
      (count) => count > 1000,
    );
    const foreign = await addReadMailbox(database, (await addTenant(database.db)).accountId);
    const own = await addReadMailbox(database, tenant.accountId, { address: 'quiet@example.com' });
    const read = async () =>
      (
        await database.db.selectFrom('mailbox_state').select('mailbox_id').where('read_at', 'is not', null).execute()
      ).map(({ mailbox_id }) => mailbox_id);
    await eventually(read, (ids) => ids.length === 2);
    expect(new Set(await read())).toStrictEqual(new Set([foreign, own]));
  });
});
