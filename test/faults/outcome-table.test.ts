import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startDeliveryWorker } from '#server/features/delivery/delivery-worker.ts';
import { smtpTransport } from '#server/features/delivery/transports/smtp/smtp-transport.ts';
import type { SmtpSettings } from '#server/platform/mail/smtp/settings.ts';
import { selfSigned } from '#test/certificate.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { acceptMails } from '#test/mails.ts';
import { eventually, testSink, testWorker, untilSettled } from '#test/sending.ts';
import type { Fault, Moment, SmtpSink } from '#test/smtp-sink.ts';
import { judge } from './truth.ts';
import { retryNow } from './workers.ts';

interface Case {
  readonly state: 'sent' | 'failed' | 'queued' | 'unknown';
  /** The attempts that count: those in which the server's answer was about this mail. */
  readonly attempts: 0 | 1;
  /** How often the sink has the mail. */
  readonly seen: 0 | 1;
  readonly server?: readonly [Moment, Fault];
  readonly settings?: Partial<SmtpSettings>;
  readonly scene?: (database: TestDatabase, sink: SmtpSink) => Promise<unknown>;
  /** The server has been silent for a while, and now the connection breaks. */
  readonly hangsUp?: true;
  /** A pattern of the reply shown to the mail's sender. */
  readonly reply?: RegExp;
  /** A pattern of the log line for the operator. */
  readonly logged?: RegExp;
  /** The address becomes suppressed. */
  readonly suppressed?: true;
}

const CREDENTIALS = { user: 'kaitaku', pass: 'secret' };
const UNREACHABLE = 'メールサーバーに接続できませんでした。自動で再送します。';
const TO = '1@x.jp';
const BCC = 'copy@b.example';

const NO_SUCH_USER: Fault = '550 5.1.1 no such user';
const GREYLISTED: Fault = '450 4.2.0 greylisted';

/** A mail with a copy. @param replies the server's replies to some recipients */
const withCopy = (replies: Record<string, Fault>) => async (database: TestDatabase, sink: SmtpSink) => {
  await database.db
    .updateTable('send_log')
    .set({ mail: await mailWithCopy(database) })
    .execute();
  sink.fault = (moment, line) => (moment === 'RCPT' && replies[/<(.*)>/.exec(line)?.[1] ?? '']) || null;
};

/** A mail with a copy, whose mark is refused when its body is about to be sent. */
const withUnmarkedCopy = (replies: Record<string, Fault>) => async (database: TestDatabase, sink: SmtpSink) => {
  await withCopy(replies)(database, sink);
  await database.pool.query(`ALTER TABLE delivery ADD CONSTRAINT unmarked CHECK (state <> 'sending')`);
  onTestFinished(async () => {
    await database.pool.query('ALTER TABLE delivery DROP CONSTRAINT unmarked');
  });
};

async function mailWithCopy({ db }: TestDatabase, bcc = BCC): Promise<string> {
  const { mail } = await db.selectFrom('send_log').select('mail').executeTakeFirstOrThrow();
  const { sender, ...rest } = mail as unknown as { sender: object };
  return JSON.stringify({ ...rest, sender: { ...sender, bcc: [bcc] } });
}

/** The mail itself may be the cause, so its attempts end. */
const DROPPED = {
  state: 'queued',
  attempts: 1,
  seen: 0,
  reply: /^メールサーバーが、このメールを受け付ける途中で/,
} as const;

/** The outcome table of design §7.4: the server's behaviour, and the state that the mail must reach. */
const TABLE: Record<string, Case> = {
  'the host has no address': { state: 'queued', attempts: 0, seen: 0, settings: { host: 'nowhere.invalid' } },
  'nobody listens': {
    state: 'queued',
    attempts: 0,
    seen: 0,
    scene: async (_, sink) => sink.close(),
  },
  'TLS is asked for and there is none': { state: 'queued', attempts: 0, seen: 0, settings: { secure: true } },
  'STARTTLS is required and not offered': {
    state: 'queued',
    attempts: 0,
    seen: 0,
    settings: { requireTls: true },
    logged: /"reply":"the server has no STARTTLS, and SMTP_STARTTLS requires it: 502 /,
  },
  'cannot begin TLS now': {
    state: 'queued',
    attempts: 0,
    seen: 0,
    server: ['STARTTLS', '454 4.7.0 TLS not available due to local problem'],
    settings: { requireTls: true },
    scene: async (_, sink) => {
      sink.tls = { ...selfSigned(), from: 'STARTTLS' };
    },
    logged: /"reply":"454 4\.7\.0 TLS not available due to local problem"/,
  },
  'shows a certificate nobody knows': {
    state: 'queued',
    attempts: 0,
    seen: 0,
    settings: { requireTls: true },
    scene: async (_, sink) => {
      sink.tls = { ...selfSigned(), from: 'STARTTLS' };
    },
  },
  'greets with 421': { state: 'queued', attempts: 0, seen: 0, server: ['greeting', '421 4.3.2 busy'] },
  'greets with 554': { state: 'queued', attempts: 0, seen: 0, server: ['greeting', '554 5.3.2 no service'] },
  'greets with garbage': { state: 'queued', attempts: 0, seen: 0, server: ['greeting', 'garbage'] },
  'does not greet': { state: 'queued', attempts: 0, seen: 0, server: ['greeting', 'silence'], hangsUp: true },
  'resets at EHLO': { state: 'queued', attempts: 0, seen: 0, server: ['EHLO', 'reset'] },
  'refuses the password': {
    state: 'queued',
    attempts: 0,
    seen: 0,
    server: ['AUTH', '535 5.7.8 no'],
    settings: { credentials: CREDENTIALS },
  },
  'cannot check the password now': {
    state: 'queued',
    attempts: 0,
    seen: 0,
    server: ['AUTH', '454 4.7.0 later'],
    settings: { credentials: CREDENTIALS },
  },
  'defers the sender': { state: 'queued', attempts: 1, seen: 0, server: ['MAIL', '451 4.3.0 later'] },
  'refuses the sender': { state: 'queued', attempts: 0, seen: 0, server: ['MAIL', '550 5.7.1 not you'] },
  'defers the address': { state: 'queued', attempts: 1, seen: 0, server: ['RCPT', '450 4.2.0 greylisted'] },
  'knows no such address': {
    state: 'failed',
    attempts: 1,
    seen: 0,
    server: ['RCPT', '550 5.1.1 no such user'],
    suppressed: true,
  },
  'refuses the address by policy': { state: 'failed', attempts: 1, seen: 0, server: ['RCPT', '550 5.7.1 blocked'] },
  'refuses DATA for now': { state: 'queued', attempts: 1, seen: 0, server: ['DATA', '451 4.3.0 later'] },
  'refuses DATA': { state: 'failed', attempts: 1, seen: 0, server: ['DATA', '554 5.5.1 no'] },
  'closes at the sender': { ...DROPPED, server: ['MAIL', 'close'] },
  'closes at the address': { ...DROPPED, server: ['RCPT', 'close'] },
  'resets at the address': { ...DROPPED, server: ['RCPT', 'reset'] },
  'says nothing at the address': { ...DROPPED, server: ['RCPT', 'silence'], hangsUp: true },
  'is about to close at the address': { ...DROPPED, server: ['RCPT', '421 4.3.2 closing'] },
  'answers the address with garbage': { ...DROPPED, server: ['RCPT', 'garbage'] },
  'closes before the 354': { ...DROPPED, server: ['DATA', 'close'] },
  'resets before the 354': { ...DROPPED, server: ['DATA', 'reset'] },
  'resets within a short body, which was handed over as a whole': {
    state: 'unknown',
    attempts: 1,
    seen: 0,
    server: ['body', 'reset'],
  },
  'refuses for now after the dot': { state: 'queued', attempts: 1, seen: 0, server: ['dot', '452 4.3.1 disk full'] },
  'refuses after the dot': { state: 'failed', attempts: 1, seen: 0, server: ['dot', '554 5.7.1 spam'] },
  'closes after the dot': { state: 'unknown', attempts: 1, seen: 1, server: ['dot', 'close'] },
  'resets after the dot': { state: 'unknown', attempts: 1, seen: 1, server: ['dot', 'reset'] },
  'says nothing after the dot': { state: 'unknown', attempts: 1, seen: 1, server: ['dot', 'silence'], hangsUp: true },
  'answers the dot with garbage': { state: 'unknown', attempts: 1, seen: 1, server: ['dot', 'garbage'] },
  'takes it': { state: 'sent', attempts: 1, seen: 1 },
  'takes it, one byte at a time': { state: 'sent', attempts: 1, seen: 1, server: ['dot', 'bytes'] },
  'takes it and resets': { state: 'sent', attempts: 1, seen: 1, server: ['dot', 'answer, reset'] },
  'takes the copy and not the mail': {
    state: 'failed',
    attempts: 1,
    seen: 0,
    scene: withUnmarkedCopy({ [TO]: NO_SUCH_USER }),
    suppressed: true,
  },
  'takes the copy and defers the mail': {
    state: 'queued',
    attempts: 1,
    seen: 0,
    scene: withUnmarkedCopy({ [TO]: GREYLISTED }),
  },
  'defers the copy and takes no such mail': {
    state: 'failed',
    attempts: 1,
    seen: 0,
    scene: withUnmarkedCopy({ [TO]: NO_SUCH_USER, [BCC]: GREYLISTED }),
    suppressed: true,
  },
  'takes the mail and not the copy': {
    state: 'sent',
    attempts: 1,
    seen: 1,
    scene: withCopy({ [BCC]: NO_SUCH_USER }),
    reply: /^250 2\.0\.0 queued（bccには届きません。copy@b\.example：550 5\.1\.1 no such user）$/,
    logged: /a bcc copy was refused/,
  },
  'takes no mail as long': { state: 'failed', attempts: 1, seen: 0, server: ['EHLO', '250 SIZE 100'] },
};

test.each(Object.entries(TABLE))('a server that %s', async (_name, expected) => {
  const database = await emptyDatabase();
  const sink = await testSink();
  await acceptMails(database, 1);
  if (expected.server) {
    const [at, fault] = expected.server;
    let remaining = 1;
    sink.fault = (moment) => (moment === at && remaining-- > 0 ? fault : null);
  }
  await expected.scene?.(database, sink);
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null };
  const warnings: string[] = [];
  const begun = Date.now();
  const worker = startDeliveryWorker({
    db: database.service.db,
    now: Date.now,
    transport: smtpTransport({ ...smtp, ...expected.settings }),
    connections: 1,
    log: pino({ level: 'warn' }, { write: (line) => void warnings.push(line) }),
  });
  onTestFinished(() => worker.stop());
  // Repeated, because the awaited moment may come later.
  const hangUp = expected.hangsUp && setInterval(() => sink.hangUp(), 400);
  const delivery = await eventually(
    () => database.db.selectFrom('delivery').selectAll().executeTakeFirstOrThrow(),
    ({ smtp_reply, lease_until }) => smtp_reply !== null && lease_until === null,
  );
  clearInterval(hangUp);

  expect(delivery).toMatchObject({ state: expected.state, attempts: expected.attempts });
  // Never at once: after half a minute if the server is the cause, a minute or more if it deferred the mail; a refused
  // sender waits for a person (infinity).
  if (expected.state === 'queued') expect(Number(delivery.not_before)).toBeGreaterThan(begun + 15_000);
  // Only the operator sees replies about the connection and the login (decisions/breaker).
  if (expected.attempts === 0 && expected.server?.[0] !== 'MAIL') expect(delivery.smtp_reply).toBe(UNREACHABLE);
  if (expected.reply) expect(delivery.smtp_reply).toMatch(expected.reply);
  // A mail that was sent without any fault is not logged.
  if (expected.state !== 'sent' || expected.logged)
    expect(warnings.join('')).toMatch(expected.logged ?? /mail not sent/);
  else expect(warnings).toStrictEqual([]);
  expect(sink.mails).toHaveLength(expected.seen);
  const suppressed = await database.db.selectFrom('suppression').select('value').execute();
  expect(suppressed.map(({ value }) => value)).toStrictEqual(expected.suppressed ? [TO] : []);
  const toTheTarget = sink.mails.filter(({ to }) => to.includes(TO)).map(({ messageId }) => messageId);
  expect(await judge(database.db, toTheTarget)).toMatchObject({ wrong: [] });
});

/** The server ends a connection after this many mails. */
test.each<[string, number, Moment, Fault]>([
  ['bad-inputs 202: a server that closes after each mail', 1, 'dot', 'answer, reset'],
  ['bad-inputs 202: a server that closes at the next MAIL', 1, 'MAIL', 'close'],
  ['a server that closes after each tenth mail', 10, 'MAIL', 'close'],
  ['bad-inputs 203: a server that says 421 at the next MAIL', 1, 'MAIL', '421 4.7.0 too many mails in this session'],
])('%s (%i): all are sent at once, no attempt is counted', async (_name, most, at, fault) => {
  const database = await emptyDatabase();
  const sink = await testSink();
  await acceptMails(database, 40);
  // The fault is chosen at the final dot of a mail, before that mail counts as accepted.
  sink.fault = (moment, _line, taken) => (moment === at && taken + (at === 'dot' ? 1 : 0) >= most ? fault : null);
  testWorker(database, sink, { connections: 2 });
  const { db } = database;
  expect(await untilSettled(db)).toStrictEqual({ sent: 40 });
  const rows = await db.selectFrom('delivery').select(['attempts', 'claim_no']).distinct().execute();
  expect(rows).toStrictEqual([{ attempts: 1, claim_no: 1 }]);
  expect(await db.selectFrom('transport').select(['faults', 'pauses']).execute()).toStrictEqual([
    { faults: 0, pauses: 0 },
  ]);
  expect(
    await judge(
      db,
      sink.mails.map(({ messageId }) => messageId),
    ),
  ).toMatchObject({ wrong: [], sent: 40 });
});

test('a server that disconnects each time at one address: that mail has failed after six attempts, and the others are sent', async () => {
  const database = await emptyDatabase();
  const sink = await testSink();
  await acceptMails(database, 3);
  const { db } = database;
  let asked = 0;
  sink.fault = (moment, line) => {
    if (moment !== 'RCPT' || !line.includes(`<${TO}>`)) return null;
    asked += 1;
    return 'close';
  };
  testWorker(database, sink);
  const dropped = () => db.selectFrom('delivery').selectAll().where('mail_to', '=', TO).executeTakeFirstOrThrow();
  for (let tries = 1; tries <= 6; tries += 1) {
    await eventually(dropped, ({ attempts, lease_until }) => attempts === tries && lease_until === null);
    await retryNow(database);
  }
  expect(await untilSettled(db)).toStrictEqual({ failed: 1, sent: 2 });
  expect(await dropped()).toMatchObject({ state: 'failed', smtp_reply: expect.stringMatching(DROPPED.reply) });
  expect(asked).toBe(6);
  // Only its first attempt counts as a fault of the transport: five in a row would have paused it.
  expect(await db.selectFrom('transport').select(['pauses', 'paused_until']).execute()).toStrictEqual([
    { pauses: 0, paused_until: null },
  ]);
  const arrived = sink.mails.map(({ messageId }) => messageId);
  expect(await judge(db, arrived)).toMatchObject({ wrong: [], sent: 2 });
});

test.each([
  { pipelining: 'all commands at once', extensions: ['PIPELINING'] },
  { pipelining: 'command by command', extensions: [] },
])('greylisted and retried, asked $pipelining: the copy is sent once, with the mail', async ({ extensions }) => {
  const database = await emptyDatabase();
  const sink = await testSink();
  sink.extensions = extensions;
  await acceptMails(database, 1);
  await withCopy({ [TO]: GREYLISTED })(database, sink);
  testWorker(database, sink);
  const { db } = database;
  await eventually(
    () => db.selectFrom('delivery').selectAll().executeTakeFirstOrThrow(),
    ({ attempts, lease_until }) => attempts === 1 && lease_until === null,
  );
  sink.fault = () => null;
  await db
    .updateTable('delivery')
    .set({ not_before: new Date(0) })
    .execute();
  expect(await untilSettled(db)).toStrictEqual({ sent: 1 });
  expect(sink.mails.map(({ to }) => to)).toStrictEqual([[TO, BCC]]);
});

test('bad-inputs 120: a copy to the main recipient is no second mail', async () => {
  const database = await emptyDatabase();
  const sink = await testSink();
  await acceptMails(database, 1);
  const mail = await mailWithCopy(database, TO);
  await database.db.updateTable('send_log').set({ mail }).execute();
  testWorker(database, sink);
  expect(await untilSettled(database.db)).toStrictEqual({ sent: 1 });
  expect(sink.mails.map(({ to }) => to)).toStrictEqual([[TO]]);
});
