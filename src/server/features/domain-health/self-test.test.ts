import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import type { Outcome } from '#server/platform/mail/outcome.ts';
import { systemMailer } from '#server/platform/mail/system-mail.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import { dsnMail, postfixGroup, RETURN_PATTERN } from '#test/inbox-mails.ts';
import type { DomainParts } from '#test/no-dns.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { readInboxMail } from '../inbox/read-mail.ts';
import { takeMail } from '../inbox/take-mail.command.ts';
import { judgeTestMail } from './judge-test-mail.ts';

/** A test mail of a domain, from the call over SMTP and the inbox to its findings. */

const NOON = Date.UTC(2026, 10, 23, 3);
const MINUTE = 60_000;
const DOMAIN = 'kaisha.co.jp';
const RETURN_DOMAIN = 'bounce.kaitaku.example';
const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const RELAY =
  'from smtp.relay.jp (smtp.relay.jp [160.16.0.1]) by mx.kaitaku.example (Postfix) with ESMTPS id A;\r\n\tnow';
const GOOD: DnsZone['records'] = {
  [`TXT ${RETURN_DOMAIN}`]: ['v=spf1 ip4:160.16.0.1 -all'],
  [`TXT k1._domainkey.${DOMAIN}`]: [
    ['v=DKIM1; k=rsa; p=', publicKey.toString('base64').slice(0, 200), publicKey.toString('base64').slice(200)],
  ],
  [`TXT _dmarc.${DOMAIN}`]: ['v=DMARC1; p=reject'],
  'PTR 1.0.16.160.in-addr.arpa': ['smtp.relay.jp'],
  'A smtp.relay.jp': ['160.16.0.1'],
};

let dns: DnsZone;
let database: TestDatabase;
let tenant: Tenant;
let sink: SmtpSink;
let now: number;
let isSigned: boolean;

beforeAll(async () => {
  dns = await serveZone();
});

beforeEach(async () => {
  dns.records = GOOD;
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await database.db
    .updateTable('sender_profile')
    .set({ email: `sales@${DOMAIN}` })
    .execute();
  sink = await testSink();
  now = NOON;
  isSigned = true;
});

const mailerFrom: DomainParts['mailerFrom'] = (from) => {
  const dkim = isSigned ? { domain: DOMAIN, selector: 'k1', privateKey } : null;
  const smtp = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false, credentials: null, dkim };
  return systemMailer({ smtp, from: async () => from, now: () => now, log: { warn: () => {} } });
};

const login = (domains: Partial<DomainParts> = {}, accountId = tenant.accountId): Promise<Client> =>
  clientOf({ ...database, domains: { dnsServers: [dns.server], mailerFrom, ...domains } }, accountId, () => now);

interface Finding {
  readonly check: string;
  readonly level: string;
  readonly message: string;
}
interface Test {
  readonly state: string;
  readonly checks: readonly Finding[];
}
const send = (client: Client, domain: unknown = DOMAIN) => client.post('/domain_health/send_test', { domain });
const shown = async (client: Client): Promise<Test> =>
  ((await client.get('/domain_health/list')).body as { self_test: Test }[])[0]?.self_test ?? expect.unreachable();
const levels = ({ checks }: Test) => Object.fromEntries(checks.map(({ check, level }) => [check, level]));
const messageOf = ({ checks }: Test, name: string) => checks.find(({ check }) => check === name)?.message;

/** The mail that was sent last, as the server of the inbox stores it. */
function arrived(
  received: readonly string[] = [RELAY],
  change: (source: string) => string = (source) => source,
): Buffer {
  const { from, source } = sink.mails.at(-1) ?? expect.unreachable();
  const trace = [`Return-Path: <${from}>`, ...received.map((field) => `Received: ${field}`)];
  return Buffer.from(`${trace.join('\r\n')}\r\n${change(source)}`);
}

async function take(raw: Buffer) {
  const { db } = database.service;
  const services = { db, now: () => now, accountDb: accountDbOf(db) };
  const judge = (domain: string) => judgeTestMail({ source: raw, domain }, [dns.server]);
  return takeMail(services, await readInboxMail(raw, RETURN_PATTERN), judge);
}

test('a test mail leaves as a real one does, comes to our inbox, and is judged by its header', async () => {
  const client = await login();
  expect(await shown(client)).toStrictEqual({ state: 'none', sent_at: null, arrived_at: null, checks: [] });
  expect(await send(client)).toMatchObject({
    status: 200,
    body: { domain: DOMAIN, self_test: { state: 'waiting', sent_at: '2026/11/23 12:00:00', arrived_at: null } },
  });
  const [mail] = sink.mails;
  expect(mail?.from).toMatch(/^b-[0-9a-f]{32}@bounce\.kaitaku\.example$/);
  expect(mail?.to).toStrictEqual([mail?.from]);
  expect(mail?.source).toMatch(/^DKIM-Signature:/);
  expect(mail?.source).toMatch(/^From: .*<sales@kaisha\.co\.jp>/m);
  now += 5000;
  expect(await take(arrived())).toBe('domain_test');
  const result = await shown(client);
  expect(result).toMatchObject({ state: 'arrived', arrived_at: '2026/11/23 12:00:05' });
  expect(levels(result)).toStrictEqual({ mail_spf: 'good', mail_dkim: 'good', mail_dmarc: 'good', ptr: 'good' });
  const events = await database.db.selectFrom('audit_event').select(['kind', 'detail']).execute();
  expect(events).toContainEqual({ kind: 'domain_test_requested', detail: { domain: DOMAIN } });
});

describe('what is wrong is told', () => {
  const judged = async (received?: readonly string[], change?: (source: string) => string): Promise<Test> => {
    const client = await login();
    await send(client);
    expect(await take(arrived(received, change))).toBe('domain_test');
    return shown(client);
  };

  test('a server without a reverse name', async () => {
    dns.records = { ...GOOD, 'PTR 1.0.16.160.in-addr.arpa': [] };
    const result = await judged();
    expect(levels(result)).toMatchObject({ ptr: 'bad', mail_spf: 'good' });
    expect(messageOf(result, 'ptr')).toBe('逆引きがありません。');
  });

  test('a reverse name that leads elsewhere', async () => {
    dns.records = { ...GOOD, 'A smtp.relay.jp': ['160.16.0.2'] };
    expect(messageOf(await judged(), 'ptr')).toBe('逆引きの名前が、送信サーバーのアドレスを指していません。');
  });

  test('a server that introduces itself by a short name', async () => {
    expect(levels(await judged([RELAY.replace('from smtp.relay.jp', 'from relay')]))).toMatchObject({ ptr: 'look' });
  });

  test('an address that SPF does not permit', async () => {
    dns.records = { ...GOOD, [`TXT ${RETURN_DOMAIN}`]: ['v=spf1 ip4:160.16.0.2 -all'] };
    const result = await judged();
    expect(levels(result)).toMatchObject({ mail_spf: 'bad', mail_dkim: 'good', mail_dmarc: 'good' });
    expect(messageOf(result, 'mail_spf')).toBe('届いたメールは、SPFに合格しませんでした（fail）。');
  });

  test('a mail that was changed on its way', async () => {
    const result = await judged([RELAY], (source) => source.replace(/^Subject: .*$/m, 'Subject: [SPAM]'));
    expect(levels(result)).toMatchObject({ mail_spf: 'good', mail_dkim: 'bad', mail_dmarc: 'bad' });
  });

  test('a mail without a signature', async () => {
    isSigned = false;
    expect(levels(await judged())).toMatchObject({ mail_dkim: 'look', mail_dmarc: 'bad' });
  });

  test('a domain without DMARC', async () => {
    dns.records = { ...GOOD, [`TXT _dmarc.${DOMAIN}`]: [] };
    expect(levels(await judged())).toMatchObject({ mail_dmarc: 'look' });
  });

  test('a mail that never left the house says nothing of SPF and the reverse name', async () => {
    isSigned = false;
    const result = await judged(['from localhost (localhost [127.0.0.1]) by relay (Postfix)']);
    expect(levels(result)).toStrictEqual({ mail_spf: 'look', mail_dkim: 'look', mail_dmarc: 'look', ptr: 'look' });
  });

  test('lawful 90: what the DNS does not answer is unknown', async () => {
    dns.records = Object.fromEntries(Object.keys(GOOD).map((name) => [name, 'SERVFAIL' as const]));
    expect(levels(await judged())).toStrictEqual({
      mail_spf: 'unknown',
      mail_dkim: 'unknown',
      mail_dmarc: 'unknown',
      ptr: 'unknown',
    });
  });
});

test('a bounced test mail is reported as bounced', async () => {
  const client = await login();
  await send(client);
  const address = sink.mails[0]?.from ?? '';
  const key = /[0-9a-f]{32}/.exec(address)?.[0] ?? '';
  const groups = [postfixGroup(address, '5.7.1', 'smtp; 550 5.7.1 relaying denied')];
  expect(await take(dsnMail({ key, groups: [postfixGroup(address, '4.0.0', 'smtp; 450 later', 'delayed')] }))).toBe(
    'unmatched',
  );
  expect(await take(dsnMail({ key, groups }))).toBe('domain_test');
  expect(await shown(client)).toMatchObject({
    state: 'arrived',
    checks: [{ check: 'arrival', level: 'bad', found: ['5.7.1 550 5.7.1 relaying denied'] }],
  });
});

test('only the last test mail counts, and only once', async () => {
  const client = await login();
  await send(client);
  const first = arrived();
  now += MINUTE;
  await send(client);
  const second = arrived();
  expect(await take(first)).toBe('unmatched');
  expect(await shown(client)).toMatchObject({ state: 'waiting', checks: [] });
  expect(await take(second)).toBe('domain_test');
  const result = await shown(client);
  now += MINUTE;
  dns.records = {};
  expect(await take(second)).toBe('domain_test');
  expect(await shown(client)).toStrictEqual(result);
  // The earlier result stays until the next mail comes.
  await send(client);
  expect(await shown(client)).toMatchObject({ state: 'waiting', checks: result.checks });
});

test('a mail that does not come is late after ten minutes', async () => {
  const client = await login();
  await send(client);
  now += 10 * MINUTE - 1000;
  expect(await shown(client)).toMatchObject({ state: 'waiting' });
  now += 1000;
  expect(await shown(client)).toMatchObject({ state: 'late' });
});

test('its findings are of one moment: they do not change the state of the domain, and a check keeps them', async () => {
  const client = await login();
  dns.records = { ...GOOD, 'PTR 1.0.16.160.in-addr.arpa': [] };
  await send(client);
  await take(arrived());
  expect((await client.get('/domain_health/list')).body).toMatchObject([{ state: 'unchecked' }]);
  const checked = await client.post('/domain_health/check', { domain: DOMAIN });
  expect(checked.body).toMatchObject({ self_test: await shown(client) });
});

test('without an address of ours, or in the mail catcher, none can be sent', async () => {
  for (const parts of [{ returnPattern: null }, { leavesMachine: false }]) {
    const client = await login(parts);
    expect(await shown(client)).toMatchObject({ state: 'off' });
    expect(await send(client)).toMatchObject({ status: 409, body: { code: 'no_inbox' } });
  }
  expect(sink.mails).toStrictEqual([]);
});

test('a mail that the server refuses is not waited for; one without an answer is', async () => {
  const after = async (outcome: Outcome) => {
    const client = await login({ mailerFrom: () => async () => outcome });
    return [await send(client), await shown(client)];
  };
  expect(await after({ kind: 'failed', reply: '550 5.7.1 no', badAddress: false })).toMatchObject([
    { status: 503, body: { code: 'mail_not_sent', message: expect.stringContaining('（550 5.7.1 no）') } },
    { state: 'none' },
  ]);
  expect(await after({ kind: 'unknown', reply: '' })).toMatchObject([{ status: 200 }, { state: 'waiting' }]);
});

test('the eleventh test mail of an hour is refused', async () => {
  const client = await login({ mailerFrom: () => async () => ({ kind: 'sent', reply: '250 OK' }) });
  for (let n = 0; n < 10; n += 1) expect((await send(client)).status).toBe(200);
  expect(await send(client)).toMatchObject({ status: 429, body: { code: 'too_many_mails' } });
});

test('lawful 92: a domain of another account is not found', async () => {
  const stranger = await addTenant(database.db);
  expect((await send(await login({}, stranger.accountId))).status).toBe(404);
  expect(sink.mails).toStrictEqual([]);
});
