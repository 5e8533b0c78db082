import { sql } from 'kysely';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { type BoxSinks, boxServices, passwordOf, sendByBox, startBoxSink } from '#test/box-sinks.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { testSecrets } from '#test/secrets.ts';
import {
  acceptRun,
  countStates,
  eventually,
  testSink,
  testWorker,
  unbalancedRuns,
  untilSettled,
} from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';

const [ONE, OTHER] = ['mail.one.example', 'mail.other.example'];

let database: TestDatabase;
let relay: SmtpSink;
let sinks: BoxSinks;
let relays: Tenant;
let one: Tenant;
let other: Tenant;
let boxId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  // Else a mail a second leaves: what limits the tests' mailboxes is their one connection.
  await sql`ALTER TABLE mailbox DROP CONSTRAINT IF EXISTS mailbox_per_minute_check`.execute(database.db);
  sinks = new Map();
  relay = await testSink();
  relays = await addTenant(database.db);
  one = await addTenant(database.db);
  other = await addTenant(database.db);
  boxId = await byBox(one, ONE);
  await byBox(other, OTHER);
});

const FAST = { per_minute: 60_000 };
async function byBox(tenant: Tenant, host: string): Promise<number> {
  await startBoxSink(sinks, host);
  return sendByBox(database, tenant, host, FAST);
}
const sinkOf = (host: string) => sinks.get(host) as SmtpSink;
const start = () => testWorker(database, relay, { mailboxes: boxServices(sinks) });

const fromIn = ({ source }: { source: string }) => /^From: .*<([^>]+)>/m.exec(source)?.[1];
const ways = (sink: SmtpSink) => [...new Set(sink.mails.map((mail) => `${mail.from} ${fromIn(mail)}`))];
/** Claimed mails go back behind the pause, and behind the loss, of their mailbox. */
const untilQueued = (count: number) =>
  eventually(
    () => countStates(database.db),
    ({ queued }) => queued === count,
  );
const stateOf = async (id = boxId) => {
  const { rows } = await sql<{
    state: string;
    why: string | null;
    pauses: number;
    refusals: number;
    seconds: number | null;
    fault: string | null;
  }>`
    SELECT b.state, s.why, s.pauses, s.login_refusals AS refusals, s.last_fault AS fault,
      extract(epoch FROM s.paused_until - now())::double precision AS seconds
    FROM mailbox b JOIN mailbox_state s ON s.mailbox_id = b.id WHERE b.id = ${id}`.execute(database.db);
  return rows[0];
};
/** Ends the pause of a mailbox, as time does. */
const endPause = async (id = boxId) => {
  await sql`UPDATE mailbox_state SET paused_until = now() - interval '1 second' WHERE mailbox_id = ${id}`.execute(
    database.db,
  );
  await sql`UPDATE sender_due SET due_at = now() WHERE due_at > now()`.execute(database.db);
  await sql`UPDATE delivery SET not_before = now() WHERE state = 'queued'`.execute(database.db);
};

describe('two mailboxes and the mail server of the environment, with pipelining', () => {
  const MAILS = Number(process.env.BOX_MAILS ?? 60);

  test('each server gets the mails of its own senders alone, by its own log-in', async () => {
    for (const tenant of [relays, one, other]) await acceptRun(database, tenant, MAILS);
    start();
    await untilSettled(database.db, 240_000);
    expect(await countStates(database.db)).toStrictEqual({ sent: 3 * MAILS });
    expect([relay, sinkOf(ONE), sinkOf(OTHER)].map(({ mails }) => mails.length)).toStrictEqual([MAILS, MAILS, MAILS]);
    expect(ways(relay)).toStrictEqual(['sender@example.com sender@example.com']);
    for (const host of [ONE, OTHER]) {
      expect(ways(sinkOf(host))).toStrictEqual([`person@${host} person@${host}`]);
      expect(sinkOf(host).mostConnections).toBe(1);
      expect(sinkOf(host).mails.every(({ secure }) => secure)).toBe(true);
    }
    expect(await unbalancedRuns(database.db)).toStrictEqual([]);
  });

  test('and two workers hold one connection of a mailbox between them', async () => {
    for (const tenant of [relays, one, other]) await acceptRun(database, tenant, 20);
    start();
    start();
    await untilSettled(database.db, 120_000);
    expect(await countStates(database.db)).toStrictEqual({ sent: 60 });
    for (const host of [ONE, OTHER]) expect(sinkOf(host).mostConnections).toBe(1);
  });
});

test('a mail of a mailbox is unsigned, comes from its address, and names itself as a reference', async () => {
  await acceptRun(database, one, 1);
  start();
  await untilSettled(database.db);
  const [mail] = sinkOf(ONE).mails;
  expect(mail?.from).toBe(`person@${ONE}`);
  expect(mail?.source).toMatch(new RegExp(`^References: ${mail?.messageId}\r?$`, 'm'));
  expect(mail?.source).not.toMatch(/^DKIM-Signature:|^In-Reply-To:/m);
});

test('where the server keeps the Message-ID, it does not', async () => {
  await sql`UPDATE mailbox SET ids = 'kept'`.execute(database.db);
  await acceptRun(database, one, 1);
  await acceptRun(database, relays, 1);
  start();
  await untilSettled(database.db);
  for (const sink of [sinkOf(ONE), relay]) expect(sink.mails[0]?.source).not.toMatch(/^References:/m);
});

describe('what a mailbox meets touches that mailbox alone', () => {
  const settleOthers = () =>
    eventually(
      () => countStates(database.db),
      ({ sent = 0 }) => sent === 10,
    );

  async function acceptAll() {
    await acceptRun(database, one, 3);
    await acceptRun(database, other, 5);
    await acceptRun(database, relays, 5);
  }

  test.each([
    ['a fault', 'MAIL', 'close', 'fault', 60],
    ['a used-up quota', 'MAIL', '550 5.4.5 Daily user sending limit exceeded', 'limited', 900],
    ['a limit of connections', 'EHLO', '421 4.7.0 Too many concurrent SMTP connections', 'crowded', 60],
    ['a refused log-in', 'AUTH', '535 5.7.8 denied', 'log_in', 60],
  ] as const)('%s pauses it', async (_, moment, fault, why, seconds) => {
    sinkOf(ONE).fault = (at) => (at === moment ? fault : null);
    await acceptAll();
    start();
    await settleOthers();
    const state = await eventually(stateOf, (now) => (now?.pauses ?? 0) > 0);
    expect(state).toMatchObject({ state: 'ok', why, pauses: 1, refusals: why === 'log_in' ? 1 : 0 });
    expect(state?.seconds).toBeGreaterThan(seconds - 20);
    expect(state?.seconds).toBeLessThanOrEqual(seconds);
    expect(await untilQueued(3)).toStrictEqual({ queued: 3, sent: 10 });
    const { rows } = await sql`SELECT FROM transport WHERE faults > 0 OR paused_until IS NOT NULL OR limit_suspected
      OR connections_max IS NOT NULL`.execute(database.db);
    expect(rows).toStrictEqual([]);
    const throttles = await database.db.selectFrom('sender_throttle').select('limited_since').execute();
    expect(throttles.every(({ limited_since }) => limited_since === null)).toBe(true);
  });

  test('its next mail tries; pauses double, and an answer ends them', async () => {
    sinkOf(ONE).fault = (at) => (at === 'greeting' ? '554 no service' : null);
    await acceptRun(database, one, 2);
    start();
    for (const seconds of [60, 120, 240, 480, 600]) {
      const state = await eventually(stateOf, (now) => (now?.seconds ?? 0) > seconds - 20);
      expect(state?.seconds).toBeLessThanOrEqual(seconds);
      if (seconds === 600) sinkOf(ONE).fault = () => null;
      await endPause();
    }
    await untilSettled(database.db);
    expect(await stateOf()).toMatchObject({ state: 'ok', why: null, pauses: 0, refusals: 0, seconds: null });
  });

  test('a second refused log-in in a row loses it: its mails wait, and leave once it is connected again', async () => {
    sinkOf(ONE).login = { user: ONE, pass: 'changed' };
    await sql`UPDATE mailbox SET token_expires_at = now() + interval '1 hour'`.execute(database.db);
    await acceptRun(database, one, 2);
    start();
    await eventually(stateOf, (now) => now?.refusals === 1);
    const { rows } = await sql<{ due: boolean }>`
      SELECT token_expires_at <= now() AS due FROM mailbox WHERE id = ${boxId}`.execute(database.db);
    expect(rows).toStrictEqual([{ due: true }]);
    await endPause();
    await eventually(stateOf, (now) => now?.state === 'reconnect');
    expect(await untilQueued(2)).toStrictEqual({ queued: 2 });
    const events = await database.db
      .selectFrom('audit_event')
      .select('detail')
      .where('kind', '=', 'mailbox_lost')
      .execute();
    expect(events).toMatchObject([{ detail: { mailbox_id: boxId, reply: expect.stringMatching(/^535 /) } }]);
  });

  test('a From that the log-in may not use pauses the run, not the mailbox', async () => {
    sinkOf(ONE).fault = (at) => (at === 'dot' ? '554 5.2.252 SendAsDenied; not allowed to send as' : null);
    await acceptRun(database, one, 2);
    start();
    const runs = await eventually(
      () => database.db.selectFrom('send_log').select('paused_by').execute(),
      ([run]) => run?.paused_by !== null,
    );
    expect(runs).toStrictEqual([{ paused_by: 'sender_refused' }]);
    const { smtp_reply } = await database.db
      .selectFrom('delivery')
      .select('smtp_reply')
      .where('smtp_reply', 'is not', null)
      .executeTakeFirstOrThrow();
    expect(smtp_reply).toMatch(/^この差出人で送る権限がありません。/);
    expect(await stateOf()).toMatchObject({ state: 'ok', why: null });
  });
});

test('while the mail server of the environment is down, mailboxes send', async () => {
  relay.fault = (at) => (at === 'greeting' ? '554 no service' : null);
  await acceptRun(database, relays, 10);
  await acceptRun(database, one, 5);
  start();
  await eventually(
    () => countStates(database.db),
    ({ sent = 0 }) => sent === 5,
  );
  expect(sinkOf(ONE).mails).toHaveLength(5);
});

test('a changed mailbox sends by a new connection', async () => {
  await acceptRun(database, one, 1);
  const worker = start();
  await untilSettled(database.db);
  const before = sinkOf(ONE);
  expect(before.open).toBe(1);
  const next = await startBoxSink(sinks, 'mail.next.example');
  next.login = { user: ONE, pass: passwordOf(ONE) };
  await sql`UPDATE mailbox SET smtp_host = 'mail.next.example', version = version + 1 WHERE id = ${boxId}`.execute(
    database.db,
  );
  await acceptRun(database, one, 2);
  await untilSettled(database.db);
  expect([before.mails.length, next.mails.length]).toStrictEqual([1, 2]);
  await eventually(
    () => before.open,
    (open) => open === 0,
  );
  await worker.stop();
  expect(next.open).toBe(0);
  expect(await database.db.selectFrom('sender_connection').selectAll().execute()).toStrictEqual([]);
});

test('while the connection of a mailbox waits for its next mail, the worker keeps its share', async () => {
  await acceptRun(database, one, 1);
  start();
  await untilSettled(database.db);
  const lease = async () =>
    (
      await sql<{ seconds: number }>`
      SELECT extract(epoch FROM lease_until - now())::double precision AS seconds FROM sender_connection
      WHERE mailbox_id = ${boxId}`.execute(database.db)
    ).rows[0]?.seconds ?? 0;
  const { rows } = await sql<{ at: Date }>`SELECT now() + interval '5 seconds' AS at`.execute(database.db);
  await eventually(
    async () => (await sql<{ at: Date }>`SELECT now() AS at`.execute(database.db)).rows[0]?.at ?? new Date(0),
    (at) => at > (rows[0]?.at ?? new Date(0)),
  );
  expect(await lease()).toBeGreaterThan(1);
  expect(sinkOf(ONE).open).toBe(1);
});

test('a seal that does not open loses its mailbox', async () => {
  await sql`UPDATE mailbox SET secret = (SELECT secret FROM mailbox other WHERE other.id <> mailbox.id LIMIT 1)
    WHERE id = ${boxId}`.execute(database.db);
  await acceptRun(database, one, 1);
  start();
  await eventually(stateOf, (now) => now?.state === 'reconnect');
  expect(await untilQueued(1)).toStrictEqual({ queued: 1 });
});

test('a fault of this program at a log-in is logged, and neither pauses the mailbox as a fault nor loses it', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const open = () => {
    throw new TypeError('undefined is not a function');
  };
  const mailboxes = { ...boxServices(sinks), secrets: { ...testSecrets, open } };
  await acceptRun(database, one, 1);
  testWorker(database, relay, { mailboxes, log });
  const state = await eventually(stateOf, (now) => now?.why === 'log_in');
  expect(state).toMatchObject({ state: 'ok', pauses: 0, refusals: 0, fault: null });
  expect(await untilQueued(1)).toStrictEqual({ queued: 1 });
  expect(lines.some((line) => line.includes('undefined is not a function'))).toBe(true);
});

test('without a key a worker leaves mailboxes alone', async () => {
  await acceptRun(database, one, 1);
  await acceptRun(database, relays, 1);
  testWorker(database, relay);
  await eventually(
    () => countStates(database.db),
    ({ sent = 0 }) => sent === 1,
  );
  expect(await countStates(database.db)).toStrictEqual({ queued: 1, sent: 1 });
});
