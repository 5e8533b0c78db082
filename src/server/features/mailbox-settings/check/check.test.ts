import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readMailbox } from '#server/features/mailboxes/mailbox.queries.ts';
import { type Outbound, outboundWith } from '#server/platform/outbound/outbound.ts';
import { isPublicAddress } from '#server/platform/outbound/public-address.ts';
import { Problem } from '#server/platform/problem.ts';
import { selfSigned } from '#test/certificate.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import { ImapServer } from '#test/imap-server.ts';
import { addTestMailbox } from '#test/mailboxes.ts';
import { addTenant, profileOf, type Tenant } from '#test/prospects.ts';
import { testSecrets } from '#test/secrets.ts';
import { acceptRun, testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { tlsBefore } from '#test/tls-front.ts';
import { mailboxChecks } from './check.command.ts';

const HOST = 'mail.haru.example';
const ADDRESS = 'aya@haru.example';
const LOGIN = { user: 'aya', pass: 'secret of the mailbox' };

const OURS = selfSigned({ host: HOST });
const EXPIRED = selfSigned({ host: HOST, days: -1 });
const OF_ANOTHER = selfSigned({ host: 'mx.example.com' });
// Does in this process what NODE_EXTRA_CA_CERTS does at startup.
const authorities = getCACertificates('default');
setDefaultCACertificates([...authorities, ...[OURS, EXPIRED, OF_ANOTHER].map(({ cert }) => cert)]);
afterAll(() => setDefaultCACertificates(authorities));

let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;
let imap: ImapServer;
let imapPort: number;
let zone: DnsZone;
let outbound: Outbound;
let now: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  sink = await testSink();
  sink.tls = { ...OURS, from: 'STARTTLS' };
  sink.login = LOGIN;
  imap = await new ImapServer().start();
  imapPort = await tlsBefore(imap.settings().port, OURS);
  zone = await serveZone({ [`A ${HOST}`]: ['127.0.0.1'] });
  now = Date.UTC(2026, 10, 24, 3);
  const inner = outboundWith({
    dnsServers: [zone.server],
    mayReach: (address) => isPublicAddress(address) || address === '127.0.0.1',
    timeMs: 3000,
  });
  // The sink has a port of its own.
  outbound = { ...inner, connect: (host) => inner.connect(host, sink.port) };
  arriveAs((source) => source);
});

const HEADERS = /^(?:message-id|x-microsoft-original-message-id|from):/i;

/** Lets mails of the sink arrive in the inbox. @param change what the server makes of them; null: it loses them */
function arriveAs(change: (source: string) => string | null): void {
  sink.keep = (mail) => {
    sink.mails.push(mail);
    const arrived = change(mail.source);
    if (arrived !== null) imap.add(imap.mails.size + 1, Buffer.from(arrived));
  };
  imap.script = (command) => {
    const [, uid] = /^UID FETCH (\d+) .*HEADER\.FIELDS/.exec(command) ?? [];
    if (uid === undefined) return undefined;
    const source = imap.mails.get(Number(uid))?.toString('latin1') ?? '';
    const [head = ''] = source.split('\r\n\r\n');
    const fields = `${head
      .split('\r\n')
      .filter((line) => HEADERS.test(line))
      .join('\r\n')}\r\n\r\n`;
    const name = 'BODY[HEADER.FIELDS (MESSAGE-ID X-MICROSOFT-ORIGINAL-MESSAGE-ID FROM)]';
    return { say: `* 1 FETCH (UID ${uid} ${name} {${fields.length}}\r\n${fields})\r\n`, end: 'OK' };
  };
}

const box = (info: Parameters<typeof addTestMailbox>[2] = {}) =>
  addTestMailbox(database.db, tenant.accountId, {
    owner_id: tenant.memberId,
    smtp_host: HOST,
    imap_host: HOST,
    state: 'unchecked',
    ...info,
  });

const memberOf = ({ accountId, memberId }: Pick<Tenant, 'accountId' | 'memberId'>) => ({
  ...database.account(accountId, memberId),
  memberId,
});

const checks = (timeMs = 15_000) =>
  mailboxChecks({ secrets: testSecrets, outbound, now: () => now }, { imapPort, timeMs });
async function check(id: number, { from, timeMs }: { from?: string; timeMs?: number } = {}) {
  const answer = await checks(timeMs)(memberOf(tenant), id, from);
  if (answer instanceof Problem) throw new Error(answer.message);
  return answer;
}
const stepsOf = async (...given: Parameters<typeof check>) => {
  const { steps } = await check(...given);
  return Object.fromEntries(steps.map(({ step, state }) => [step, state]));
};
const textOf = async (step: string, ...given: Parameters<typeof check>) =>
  (await check(...given)).steps.find((one) => one.step === step)?.text ?? '';
const stored = async (id: number) => {
  const found = await readMailbox(database.db, { accountId: tenant.accountId, id });
  if (!found) throw new Error('no mailbox');
  return found;
};

const SMTP_OK = { host: 'ok', connect: 'ok', tls: 'ok', login: 'ok' };

describe('a mailbox whose servers work', () => {
  test('may send after its check, and its waiting mails are found', async () => {
    const id = await box({ reads_replies: true });
    const profile_id = await profileOf(database.db, tenant.senderId);
    await acceptRun(database, tenant, 1);
    await database.db.updateTable('sender_profile').set({ mailbox_id: id }).where('id', '=', profile_id).execute();
    await database.db.deleteFrom('sender_due').execute();
    const state = { why: 'log_in', paused_until: new Date(), pauses: 2, login_refusals: 1, last_fault: '535 no' };
    await database.db.updateTable('mailbox_state').set(state).execute();
    const { steps, ...answer } = await check(id);
    expect(answer).toStrictEqual({ state: 'ok', version: 1 });
    expect(steps.map((one) => [one.step, one.state])).toStrictEqual(
      ['host', 'connect', 'tls', 'login', 'from', 'imap', 'test_mail', 'message_id'].map((step) => [step, 'ok']),
    );
    expect(sink.mails).toMatchObject([{ from: ADDRESS, to: [ADDRESS], secure: true }]);
    expect(await stored(id)).toMatchObject({ state: 'ok', ids: 'kept', checked_at: expect.any(Date) });
    expect(await database.db.selectFrom('mailbox_state').selectAll().executeTakeFirst()).toMatchObject({
      why: null,
      paused_until: null,
      pauses: 0,
      login_refusals: 0,
      last_fault: null,
      max_mail_bytes: 10_485_760,
    });
    expect(await database.db.selectFrom('sender_due').select('sender_id').execute()).toStrictEqual([
      { sender_id: tenant.senderId },
    ]);
    const kinds = await database.db
      .selectFrom('audit_event')
      .select('kind')
      .where('kind', 'like', 'mailbox%')
      .execute();
    expect(kinds).toStrictEqual([{ kind: 'mailbox_connected' }]);
  });

  test.each([
    [
      'replaced',
      (source: string) =>
        source.replace(/^Message-ID: (.*)/m, 'Message-ID: <of@the.server>\r\nX-Microsoft-Original-Message-ID: $1'),
      'ok',
    ],
    ['lost', (source: string) => source.replace(/^Message-ID: .*/m, 'Message-ID: <of@the.server>'), 'look'],
    ['lost', (source: string) => source.replace(/^Message-ID: .*\r\n/m, ''), 'look'],
  ])('the Message-ID is %s where the server changes it', async (ids, change, state) => {
    const id = await box();
    arriveAs(change);
    expect(await stepsOf(id)).toMatchObject({ test_mail: 'ok', message_id: state });
    expect(await stored(id)).toMatchObject({ state: 'ok', ids });
  });

  test('without IMAP no mail is sent, and the last three steps are skipped', async () => {
    const id = await box({ imap_host: null });
    const skipped = { imap: 'skipped', test_mail: 'skipped', message_id: 'skipped' };
    expect(await stepsOf(id)).toStrictEqual({ ...SMTP_OK, from: 'ok', ...skipped });
    expect(sink.mails).toStrictEqual([]);
    expect(await stored(id)).toMatchObject({ state: 'ok', ids: 'unknown' });
  });

  test('TLS from the first byte at port 465', async () => {
    sink.tls = { ...OURS, from: 'first byte' };
    const id = await box({ smtp_port: 465, security: 'tls' });
    expect(await stepsOf(id)).toMatchObject({ ...SMTP_OK, from: 'ok', test_mail: 'ok' });
  });

  test('a mail that does not arrive in time is no fault of sending', async () => {
    arriveAs(() => null);
    const id = await box();
    expect(await stepsOf(id, { timeMs: 3000 })).toMatchObject({ from: 'ok', imap: 'ok', test_mail: 'look' });
    expect(await stored(id)).toMatchObject({ state: 'ok', ids: 'unknown' });
  });

  test('a quota’s pause lasts although the log-in works', async () => {
    const id = await box();
    const until = new Date(Date.now() + 60_000);
    await database.db.updateTable('mailbox_state').set({ why: 'limited', paused_until: until }).execute();
    await check(id);
    expect(
      await database.db.selectFrom('mailbox_state').select(['why', 'paused_until']).executeTakeFirst(),
    ).toMatchObject({
      why: 'limited',
      paused_until: until,
    });
  });
});

describe('another From', () => {
  test('is allowed once a mail from it has arrived, in its one form', async () => {
    const id = await box({ state: 'ok' });
    expect(await stepsOf(id, { from: 'Info@haru.example' })).toMatchObject({ from: 'ok', test_mail: 'ok' });
    expect(sink.mails).toMatchObject([{ from: ADDRESS, to: [ADDRESS] }]);
    expect(sink.mails[0]?.source).toContain('<Info@haru.example>');
    expect((await stored(id)).other_from).toStrictEqual(['info@haru.example']);
    await check(id, { from: 'info@haru.example' });
    await check(id, { from: ADDRESS.toUpperCase() });
    expect((await stored(id)).other_from).toStrictEqual(['info@haru.example']);
  });

  test('is not allowed where the mail does not arrive, or the server writes another From', async () => {
    const id = await box({ state: 'ok' });
    arriveAs(() => null);
    expect(await stepsOf(id, { from: 'info@haru.example', timeMs: 2500 })).toMatchObject({ test_mail: 'bad' });
    arriveAs((source) => source.replace('info@haru.example', ADDRESS));
    const text = await textOf('from', id, { from: 'info@haru.example' });
    expect(text).toContain(`info@haru.example から ${ADDRESS} に変えます`);
    // The mailbox itself still sends.
    expect(await stored(id)).toMatchObject({ state: 'ok', other_from: [] });
  });

  test('needs an inbox in which it arrives', async () => {
    const id = await box({ imap_host: null });
    expect(await textOf('from', id, { from: 'info@haru.example' })).toContain('IMAPサーバーを入力してください');
    expect(sink.mails).toStrictEqual([]);
  });

  test('20 are kept', async () => {
    const many = Array.from({ length: 20 }, (_, n) => `a${n}@haru.example`);
    const id = await box({ other_from: many });
    const text = await textOf('from', id, { from: 'z@haru.example' });
    expect(text).toContain('20件まで');
    expect((await stored(id)).other_from).toStrictEqual(many);
  });
});

describe('a server that refuses', () => {
  test('a wrong password: it counts twice, and a mailbox that was usable is lost', async () => {
    const id = await box({ state: 'ok', password: 'wrong' });
    const { state, steps } = await check(id);
    expect(state).toBe('reconnect');
    expect(steps).toMatchObject([
      {},
      {},
      { step: 'tls', state: 'ok' },
      { step: 'login', state: 'bad' },
      { state: 'skipped' },
      {},
      {},
      {},
    ]);
    expect(steps[3]?.text).toContain('ユーザー名かパスワードが違います。');
    const counted = await database.db.selectFrom('rate_limit').select('points').execute();
    expect(counted).toStrictEqual([{ points: 2 }, { points: 2 }]);
    // A new one is not lost: it was never found.
    await database.db.updateTable('mailbox').set({ state: 'unchecked' }).execute();
    expect((await check(id)).state).toBe('unchecked');
  });

  test.each([
    ['535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled', '「認証済みSMTP」を有効にする'],
    ['534 5.7.9 Application-specific password required.', '「アプリ パスワード」'],
    ['454 4.7.0 Temporary authentication failure', 'しばらくしてから'],
  ] as const)('the log-in with %s', async (reply, text) => {
    sink.fault = (moment) => (moment === 'AUTH' ? reply : null);
    sink.login = null;
    sink.extensions = ['AUTH PLAIN'];
    expect(await textOf('login', await box())).toContain(text);
  });

  test.each([
    ['MAIL', '550 5.7.60 SMTP; Client does not have permissions to send as this sender'],
    ['RCPT', '550 5.1.1 no such user'],
    ['dot', '554 5.2.252 SendAsDenied'],
  ] as const)('the sender at %s', async (moment, reply) => {
    sink.fault = (at) => (at === moment ? reply : null);
    const id = await box();
    expect(await stepsOf(id)).toMatchObject({ ...SMTP_OK, from: 'bad', test_mail: 'skipped' });
    expect(await textOf('from', id)).toContain('から送る権限がありません');
    expect(await stored(id)).toMatchObject({ state: 'unchecked' });
  });

  test('IMAP: it matters where answers are to be read', async () => {
    const served = imap.script;
    imap.script = (command) => (/^(?:LOGIN|AUTHENTICATE)/.test(command) ? { end: 'NO' } : served(command));
    const id = await box();
    expect(await stepsOf(id)).toMatchObject({ from: 'ok', imap: 'look', test_mail: 'skipped' });
    expect(await stored(id)).toMatchObject({ state: 'ok' });
    const read = await box({ address: 'b@haru.example', reads_replies: true });
    expect(await stepsOf(read)).toMatchObject({ imap: 'bad' });
    expect(await stored(read)).toMatchObject({ state: 'unchecked' });
  });
});

describe('what no server answers', () => {
  test.each([
    ['10.0.0.1', 'host', 'MAIL_HOSTS_ALLOWED'],
    ['169.254.169.254', 'host', 'MAIL_HOSTS_ALLOWED'],
    ['[::1]', 'host', 'MAIL_HOSTS_ALLOWED'],
    ['2130706434', 'host', 'MAIL_HOSTS_ALLOWED'],
    ['none.haru.example', 'host', '見つかりません'],
    ['a b', 'host', '読み取れません'],
  ])('%s', async (smtp_host, step, text) => {
    const id = await box({ smtp_host });
    expect(await textOf(step, id)).toContain(text);
    expect(await stored(id)).toMatchObject({ state: 'unchecked' });
    expect(sink.mostConnections).toBe(0);
  });

  test('the DNS answers differently the second time: nothing is asked twice (rebinding)', async () => {
    const id = await box({ imap_host: null });
    const first = zone.records;
    Object.defineProperty(zone, 'records', {
      get: () => (zone.asked.length <= 2 ? first : { [`A ${HOST}`]: ['10.0.0.1'] }),
    });
    expect(await stepsOf(id)).toMatchObject({ ...SMTP_OK, from: 'ok' });
    expect(zone.asked.toSorted()).toStrictEqual([`A ${HOST}`, `AAAA ${HOST}`]);
    // IMAP looks by itself, and is refused.
    await database.db.updateTable('mailbox').set({ imap_host: HOST, reads_replies: true }).execute();
    zone.asked.length = 0;
    expect(await textOf('imap', id)).toContain('MAIL_HOSTS_ALLOWED');
    expect(imap.connections).toBe(0);
  });

  test('no STARTTLS, a certificate of another name, one that has expired', async () => {
    sink.tls = null;
    const id = await box();
    expect(await stepsOf(id)).toMatchObject({ connect: 'ok', tls: 'bad', login: 'skipped' });
    expect(await textOf('tls', id)).toContain('ポート465（TLS）');
    sink.tls = { ...OF_ANOTHER, from: 'STARTTLS' };
    expect(await textOf('tls', id)).toContain('ほかの名前');
    sink.tls = { ...EXPIRED, from: 'STARTTLS' };
    expect(await textOf('tls', id)).toContain('期限が切れています');
    expect(sink.mails).toStrictEqual([]);
  });

  test('TLS where the server waits for STARTTLS', async () => {
    const id = await box({ smtp_port: 465, security: 'tls' });
    expect(await textOf('tls', id)).toContain('ポート587（STARTTLS）');
  });

  test('a closed port', async () => {
    await sink.close();
    expect(await textOf('connect', await box())).toContain('接続できません');
  });

  test('a server that says nothing ends with the time of the check, and holds no transaction', async () => {
    sink.fault = (moment) => (moment === 'greeting' ? 'silence' : null);
    const id = await box();
    const checking = stepsOf(id, { timeMs: 2000 });
    await expect.poll(() => sink.open).toBe(1);
    const { rows } = await database.pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
    );
    expect(rows).toStrictEqual([]);
    expect(await checking).toMatchObject({ host: 'ok', connect: 'bad', login: 'skipped' });
    await expect.poll(() => sink.open).toBe(0);
  });
});

describe('a hostile IMAP server', () => {
  test('is not read compressed, and a line without end ends the connection', async () => {
    imap.capabilities += ' COMPRESS=DEFLATE';
    let said = 0;
    imap.script = (command) => {
      if (command.startsWith('COMPRESS')) return { end: 'NO' };
      if (!command.startsWith('EXAMINE')) return undefined;
      said += 1;
      return { say: `* OK ${'x'.repeat(9 * 1024 * 1024)}`, end: 'silence' };
    };
    const began = performance.now();
    expect(await stepsOf(await box({ reads_replies: true }))).toMatchObject({ login: 'ok', imap: 'bad' });
    // Sooner than a server that says nothing: 10 s.
    expect(performance.now() - began).toBeLessThan(8000);
    expect(said).toBe(1);
    expect(imap.commands.filter((command) => command.startsWith('COMPRESS'))).toStrictEqual([]);
  });

  test('that sends a byte now and then ends with the time of the check', async () => {
    const dribble = createNetServer((socket) => {
      const timer = setInterval(() => socket.write('x'), 50);
      socket.on('error', () => {}).on('close', () => clearInterval(timer));
      socket.write('* OK ready\r\n');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void dribble.close());
    await new Promise((done) => dribble.once('listening', done));
    imapPort = await tlsBefore((dribble.address() as AddressInfo).port, OURS);
    const id = await box({ reads_replies: true });
    expect(await stepsOf(id, { timeMs: 2500 })).toMatchObject({ login: 'ok', imap: 'bad' });
    // The time of the inbox is over before it is opened.
    sink.fault = (moment) => (moment === 'greeting' ? 'wait' : null);
    const late = stepsOf(id, { timeMs: 1200 });
    await expect.poll(() => sink.waiting.length).toBe(1);
    await sleep(400);
    sink.waiting[0]?.();
    expect(await late).toMatchObject({ login: 'ok', imap: 'bad' });
  });
});

test('a mailbox without a secret is not connected to', async () => {
  const id = await box();
  await database.db.updateTable('mailbox').set({ secret: null, secret_key: null }).execute();
  expect(await textOf('login', id)).toContain('パスワードがまだありません');
  expect(sink.mostConnections).toBe(0);
});

test('only the checked version becomes usable', async () => {
  const id = await box();
  // The server answers only once the mailbox has changed.
  sink.fault = (moment) => (moment === 'MAIL' ? 'wait' : null);
  const checking = check(id);
  await expect.poll(() => sink.waiting.length).toBe(1);
  await database.db.updateTable('mailbox').set({ version: 2, smtp_host: 'other.example' }).execute();
  sink.waiting[0]?.();
  const { state, version } = await checking;
  expect([state, version]).toStrictEqual(['unchecked', 2]);
  expect(sink.mails).toHaveLength(1);
});

test.each(['connect', 'addressOf'] as const)(
  'a bug of ours in %s is no answer: it is thrown, and logged',
  async (part) => {
    const id = await box({ reads_replies: true });
    outbound = {
      ...outbound,
      [part]: async () => {
        throw new TypeError('undefined is not a function');
      },
    };
    await expect(check(id)).rejects.toThrow('undefined is not a function');
    await expect.poll(() => sink.open).toBe(0);
    expect(await stored(id)).toMatchObject({ state: 'unchecked' });
  },
);

describe('limits', () => {
  const ask = (id: number) => checks()(memberOf(tenant), id);
  test('six a minute and sixty a day, of an account alone', async () => {
    const id = await box();
    await database.db.updateTable('mailbox').set({ secret: null, secret_key: null }).execute();
    for (let minute = 0; minute < 10; minute += 1) {
      for (let n = 0; n < 6; n += 1) expect(await ask(id)).not.toBeInstanceOf(Problem);
      expect(await ask(id)).toMatchObject({ code: 'too_many_checks' });
      now += 61_000;
    }
    expect(await ask(id)).toMatchObject({ code: 'too_many_checks', message: expect.stringContaining('分後') });
    now += 24 * 60 * 60_000;
    expect(await ask(id)).not.toBeInstanceOf(Problem);
  });

  test('ten at once in a process', async () => {
    sink.fault = (moment) => (moment === 'greeting' ? 'wait' : null);
    const run = checks();
    const ids = await Promise.all(
      Array.from({ length: 11 }, async (_, n) => {
        const other = await addTenant(database.db);
        const info = { owner_id: other.memberId, smtp_host: HOST, address: `a${n}@haru.example` };
        return { other, id: await addTestMailbox(database.db, other.accountId, info) };
      }),
    );
    const asked = ids.slice(0, 10).map(({ other, id }) => run(memberOf(other), id));
    await expect.poll(() => sink.waiting.length, { timeout: 30_000 }).toBe(10);
    const [last] = ids.slice(10);
    if (!last) throw new Error('none');
    const full = await run(memberOf(last.other), last.id);
    expect(full).toMatchObject({ code: 'busy', retryAfter: 10 });
    for (const go of sink.waiting) go();
    expect((await Promise.all(asked)).every((answer) => !(answer instanceof Problem))).toBe(true);
  });
});
