import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { API_BASE } from '#contract/call.ts';
import { emailOf, openSessionOf, updateMember } from '#test/accounts.ts';
import { giveHost } from '#test/cells.ts';
import { PUBLIC_URL, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { openAs } from '#test/open-as.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { exchange } from '#test/raw-http.ts';
import { runCommand } from '#test/run-command.ts';
import { acceptRun, eventually } from '#test/sending.ts';
import { rewriteStatements } from '#test/statements.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';
import { hashPassword } from '../auth/password.ts';
import { smtpTemplates } from '../delivery/transports/smtp/smtp-transport.ts';
import { acceptSend } from '../runs/accept.command.ts';
import { readAccountHosts } from './read-hosts.ts';

const PASSWORD = '正しい馬 電池 ホチキス';
const ACME = 'acme.kaitaku.example.jp';
const OLD = 'old.kaitaku.example.jp';
const ENV = { PUBLIC_URL, ACCOUNT_HOSTS: '*.kaitaku.example.jp', ALLOWED_HOSTS: 'inside.kaitaku.example.jp' };

let passwordHash: string;
let database: TestDatabase;
/** An account with a host, and one without. */
let acme: Tenant;
let plain: Tenant;

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  [acme, plain] = [await addTenant(database.db), await addTenant(database.db)];
  for (const { accountId } of [acme, plain]) await updateMember(database.db, accountId, { passwordHash });
});

const emailOfTenant = ({ accountId }: Tenant) => emailOf(database.db, accountId);

async function setHost(tenant: Tenant, ...args: string[]) {
  const email = await emailOfTenant(tenant);
  const env = { DATABASE_URL: database.url, ...ENV };
  const { code, out, err } = await runCommand(['account', 'set-host', '--email', email, ...args], env);
  return [code, out + err];
}

/** Serves the API with the hosts of accounts, as `web` does. */
async function serve(mails: SystemMail[] = []) {
  const log = { error: (fault: unknown) => expect.unreachable(String(fault)) };
  const { accountHosts, stop } = await readAccountHosts({ db: database.login, publicUrl: PUBLIC_URL, log });
  onTestFinished(stop);
  const mailer = async (mail: SystemMail) => {
    mails.push(mail);
    return { kind: 'sent', reply: '250' } as const;
  };
  const allowedHosts = [new URL(PUBLIC_URL).hostname];
  const { address } = await serveApp({ ...database, accountHosts, mailer }, Date.now, { allowedHosts });
  const post = async (host: string, path: string, body: object) => {
    const text = JSON.stringify(body);
    const lines = [`Host: ${host}`, 'Connection: close', 'Content-Type: application/json'];
    const request = [
      `POST ${API_BASE}${path} HTTP/1.1`,
      ...lines,
      `Content-Length: ${Buffer.byteLength(text)}`,
      '',
      text,
    ];
    const answer = await exchange(address, [request.join('\r\n')]);
    return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> };
  };
  const logIn = async (host: string, tenant: Tenant | null, password = PASSWORD) =>
    post(host, '/auth/login', { email: tenant ? await emailOfTenant(tenant) : 'nobody@example.jp', password });
  /** @returns the status of a call of the member, by a token shown at a host */
  const use = async (host: string, token: string) => {
    const lines = [`Host: ${host}`, 'Connection: close', `Authorization: Bearer ${token}`];
    return (await exchange(address, [`GET ${API_BASE}/first_steps HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`])).status;
  };
  return { accountHosts, address, post, logIn, use };
}

test('a log-in finds only members of the host, and names the own host for a right password', async () => {
  await setHost(acme, '--host', OLD);
  await setHost(acme, '--host', ACME);
  const { logIn } = await serve();
  const wrong = { status: 401, body: { code: 'wrong_credentials' } };
  const led = { status: 409, body: { code: 'other_host', details: [{ path: 'url', message: `https://${ACME}` }] } };
  const table: [string, Tenant | null, string, object][] = [
    [ACME, acme, PASSWORD, { status: 200, body: { account_id: acme.accountId } }],
    [`${ACME.toUpperCase()}.:8443`, acme, PASSWORD, { status: 200 }],
    [ACME, acme, 'wrong', wrong],
    [ACME, plain, PASSWORD, wrong],
    [ACME, plain, 'wrong', wrong],
    [ACME, null, PASSWORD, wrong],
    [OLD, acme, PASSWORD, led],
    [OLD, plain, PASSWORD, wrong],
    [HOME, acme, PASSWORD, led],
    [HOME, acme, 'wrong', wrong],
    [HOME, plain, PASSWORD, { status: 200, body: { account_id: plain.accountId } }],
    ['localhost', acme, PASSWORD, led],
    ['other.kaitaku.example.jp', acme, PASSWORD, { status: 421, body: { code: 'misdirected_request' } }],
  ];
  for (const [host, tenant, password, answer] of table) {
    expect([host, await logIn(host, tenant, password)]).toMatchObject([host, answer]);
  }
});

const HOME = new URL(PUBLIC_URL).hostname;

test("a token opens its account only at the account's own host", async () => {
  await setHost(acme, '--host', OLD);
  await setHost(acme, '--host', ACME);
  const other = await addTenant(database.db);
  await setHost(other, '--host', 'other.kaitaku.example.jp');
  const before = Date.now() - 5 * 60_000;
  const tokens = await Promise.all(
    [acme, plain].map(({ accountId }) => openSessionOf(database.login, accountId, before)),
  );
  const { use } = await serve();
  const table: Readonly<Record<string, readonly [acme: number, plain: number]>> = {
    'other.kaitaku.example.jp': [401, 401],
    [OLD]: [401, 401],
    [HOME]: [401, 200],
    localhost: [401, 200],
    [ACME]: [200, 401],
    [`${ACME.toUpperCase()}.:8443`]: [200, 401],
  };
  const lastUse = async () => {
    const { rows } = await database.pool.query('SELECT last_used_at FROM session WHERE account_id = $1', [
      acme.accountId,
    ]);
    return (rows as { last_used_at: Date }[]).map(({ last_used_at }) => last_used_at.getTime());
  };
  for (const [host, statuses] of Object.entries(table)) {
    if (host === ACME) expect(await lastUse()).toStrictEqual([before]);
    const got = [];
    for (const token of tokens) got.push(await use(host, token));
    expect([host, got]).toStrictEqual([host, statuses]);
  }
  expect(await lastUse()).not.toStrictEqual([before]);
});

test('set-host ends the sessions of the account, and of no other', async () => {
  const [own, others] = [
    await openSessionOf(database.login, acme.accountId, Date.now()),
    await openSessionOf(database.login, plain.accountId, Date.now()),
  ];
  const { use } = await serve();
  expect([await use(HOME, own), await use(HOME, others)]).toStrictEqual([200, 200]);
  expect(await setHost(acme, '--host', 'ACME.example.jp')).toMatchObject([1, expect.any(String)]);
  expect(await use(HOME, own)).toBe(200);
  for (const args of [['--host', ACME], ['--none']]) {
    await openSessionOf(database.login, acme.accountId, Date.now());
    expect(await setHost(acme, ...args)).toMatchObject([0, expect.any(String)]);
    const rows = await database.db.selectFrom('session').select('account_id').execute();
    expect(rows).toStrictEqual([{ account_id: plain.accountId }]);
  }
  expect([await use(HOME, own), await use(HOME, others)]).toStrictEqual([401, 200]);
});

test('a stream ends when the account gets a host, though its session lives', async () => {
  const token = await openSessionOf(database.login, plain.accountId, Date.now());
  const { use, address, accountHosts } = await serve();
  const stream = await fetch(`${address}/send_log/events`, { headers: { authorization: `Bearer ${token}` } });
  expect(stream.status).toBe(200);
  const ended = stream.text();
  await giveHost(database, plain.accountId, OLD);
  await eventually(
    () => accountHosts.accountOf(OLD),
    (found) => found === plain.accountId,
  );
  // What the stream would tell of is not told.
  await acceptRun(database, plain, 1);
  expect(await ended).not.toContain('"id":');
  expect([await use('127.0.0.1', token), await use(OLD, token)]).toStrictEqual([401, 200]);
});

test('at the host of an account strangers, its own members and those of others cost the same', async () => {
  await setHost(acme, '--host', ACME);
  const asked: string[] = [];
  const login = openAs('login', database.url, 1);
  onTestFinished(() => login.close());
  rewriteStatements(login.pool, () => ({ text }) => {
    asked.push(text);
    return text;
  });
  database = { ...database, login: login.db };
  const { logIn } = await serve();
  const costs: string[][] = [];
  for (const tenant of [acme, plain, null, acme]) {
    asked.length = 0;
    await logIn(ACME, tenant, 'wrong');
    costs.push([...asked]);
  }
  // The first one also opens the connection's statements.
  const [, ...others] = costs;
  expect(others[0]?.length).toBeGreaterThan(0);
  for (const cost of others) expect(cost).toStrictEqual(others[0]);
  asked.length = 0;
  expect(await logIn('unknown.kaitaku.example.jp', acme)).toMatchObject({ status: 421 });
  expect(asked).toStrictEqual([]);
});

test("links in mails use the account's host", async () => {
  await setHost(acme, '--host', ACME);
  const mails: SystemMail[] = [];
  const { accountHosts, post } = await serve(mails);
  for (const tenant of [acme, plain]) {
    await post('localhost', '/auth/password_reset', { email: await emailOfTenant(tenant) });
  }
  await eventually(
    () => mails.length,
    (count) => count === 2,
  );
  const linked = mails.map(({ text }) => /https:\/\/[^/\s]+(?=\/password-reset\/)/.exec(text)?.[0]);
  expect(new Set(linked)).toStrictEqual(new Set([`https://${ACME}`, PUBLIC_URL]));
  expect(accountHosts.urlOf(acme.accountId)).toBe(`https://${ACME}`);
  const [prospect_id = 0] = await addProspects(database.db, acme.accountId, [{ company_email: 'info@a.example' }]);
  const body = {
    test_send_mode: 0 as const,
    attack_list: [{ prospect_id, company_email: 'info@a.example' }],
    datetime_list: null,
    days_from_lastday: 7,
  };
  const mailing = { transport: smtpTemplates, urlOf: accountHosts.urlOf, leavesMachine: true };
  const request = { senderId: acme.senderId, body, idempotencyKey: null, ...mailing };
  await acceptSend(database.account(acme.accountId, acme.memberId), request, Date.now());
  const run = await database.db.selectFrom('send_log').select('mail').executeTakeFirstOrThrow();
  expect(run.mail).toMatchObject({ legal: { public_url: `https://${ACME}` } });
});

test('hosts are read again when they change', async () => {
  const { accountHosts } = await serve();
  expect(accountHosts.accountOf(ACME)).toBeNull();
  await setHost(acme, '--host', ACME);
  await eventually(
    () => accountHosts.accountOf(ACME),
    (found) => found === acme.accountId,
  );
});

test('set-host says in one sentence why a host cannot be given, and the map has all hosts', async () => {
  expect(await setHost(acme, '--host', 'ACME.kaitaku.example.jp.')).toStrictEqual([
    0,
    expect.stringContaining(`ホストを ${ACME} にしました。`),
  ]);
  const refused = [
    [ACME, 'ほかのアカウントのホスト'],
    ['acme.example.jp', 'ACCOUNT_HOSTS（*.kaitaku.example.jp）にない'],
    ['plain.kaitaku.example.jp:8443', 'ホスト名として使えません'],
    ['inside.kaitaku.example.jp', 'このKaitaku自身のホスト'],
  ];
  for (const [host = '', why] of refused) {
    const [code, output] = await setHost(plain, '--host', host);
    expect([host, code, output]).toStrictEqual([host, 1, expect.stringContaining(why ?? '')]);
    expect(String(output).trim().split('\n')).toHaveLength(1);
  }
  expect(await setHost(plain)).toMatchObject([1, expect.stringContaining('どちらかを指定してください。')]);
  expect(await setHost(acme, '--host', OLD)).toMatchObject([0, expect.any(String)]);
  // A former one stays its own, and may become the present one again.
  expect(await setHost(plain, '--host', ACME)).toMatchObject([1, expect.any(String)]);
  expect(await setHost(acme, '--host', ACME)).toMatchObject([0, expect.any(String)]);
  expect(await setHost(acme, '--none')).toMatchObject([0, expect.stringContaining(PUBLIC_URL)]);
  const { out } = await runCommand(['account', 'list', '--map'], { DATABASE_URL: database.url });
  expect(out).toBe(`${ACME} cell0\n${OLD} cell0\n`);
});
