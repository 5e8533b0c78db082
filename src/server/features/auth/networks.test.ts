import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addAccount, addMember } from '#test/accounts.ts';
import { type Answer, clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { noAccountHosts, PUBLIC_URL } from '#test/mailing.ts';
import { runCommand } from '#test/run-command.ts';
import { codeAt, setUpSecondStep } from '#test/second-step.ts';
import { eventually } from '#test/sending.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import { entryProblem } from './networks.queries.ts';
import { hashPassword } from './password.ts';
import { authenticateWith, openSession } from './session.ts';

const PASSWORD = '正しい馬 電池 ホチキス';
const EMAIL = 'hanako@example.jp';
const OFFICE = '203.0.113.7';
const HOME = '198.51.100.9';
const REFUSED = [403, 'network_not_allowed'];

let database: TestDatabase;
let address: string;
let passwordHash: string;
let member: MemberKey;
let token: string;

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  const proxies = { ranges: ['127.0.0.1'], header: 'x-forwarded-for' } as const;
  ({ address } = await serveApp(database, Date.now, { proxies }));
  member = await addAccount(database.db, { email: EMAIL, passwordHash });
  token = await openSession(database.login, member, Date.now());
});

const permit = (...login_networks: string[]) =>
  database.pool.query(
    `INSERT INTO account_rule (account_id, login_networks) VALUES ($1, $2::cidr[])
     ON CONFLICT (account_id) DO UPDATE SET login_networks = excluded.login_networks`,
    [member.accountId, login_networks],
  );
/** Asks as a client of this address. */
async function ask(
  ip: string,
  method: string,
  path: string,
  { body, as = token }: { body?: object; as?: string } = {},
) {
  const response = await fetch(address + path, {
    method,
    headers: {
      'x-forwarded-for': ip,
      ...(as !== '' && { authorization: `Bearer ${as}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}
const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];
const logIn = (ip: string, password = PASSWORD, more: object = {}) =>
  ask(ip, 'POST', '/auth/login', { body: { email: EMAIL, password, ...more }, as: '' });
const me = () => `/account/${member.accountId}`;

describe('a request', () => {
  test.each([
    ['one address', [OFFICE], OFFICE, HOME],
    ['a network', ['203.0.113.0/24'], '203.0.113.255', '203.0.114.0'],
    ['the second of two', [HOME, '203.0.113.0/24'], OFFICE, '192.0.2.1'],
    ['an IPv6 network', ['2001:db8:1::/48'], '2001:db8:1:ffff::1', '2001:db8:2::1'],
    ['IPv4 within IPv6', ['203.0.113.0/24'], '::ffff:203.0.113.9', '::ffff:198.51.100.9'],
    ['the same in groups', ['203.0.113.0/24'], '::ffff:cb00:7109', '::ffff:c633:6409'],
    ['an address with a zone', ['fe80::/64'], 'fe80::1%eth0', 'fe80:0:0:1::1%eth0'],
    ['all of IPv6', ['8000::/1', '::/1'], '2001:db8::1', OFFICE],
  ])('from %s passes, from elsewhere it is 403', async (_, networks, inside, outside) => {
    await permit(...networks);
    expect((await ask(inside, 'GET', me())).status).toBe(200);
    expect(codeOf(await ask(outside, 'GET', me()))).toStrictEqual(REFUSED);
    expect((await ask(inside, 'GET', me())).status).toBe(200);
  });

  test('passes from everywhere without networks, and in another account with them', async () => {
    expect((await ask(HOME, 'GET', me())).status).toBe(200);
    await permit();
    expect((await ask(HOME, 'GET', me())).status).toBe(200);
    const other = await addAccount(database.db);
    await permit(OFFICE);
    const theirs = await openSession(database.login, other, Date.now());
    expect((await ask(HOME, 'GET', `/account/${other.accountId}`, { as: theirs })).status).toBe(200);
  });

  test('is refused before its role and rate, after a frozen account; the log-out passes', async () => {
    await permit(OFFICE);
    const viewer = await addMember(database.db, member.accountId, { role: 'viewer' });
    const as = await openSession(database.login, { ...member, memberId: viewer }, Date.now());
    const write = { body: { update_info: { undo_seconds: 10 } }, as };
    expect(codeOf(await ask(HOME, 'PUT', '/account_rule', write))).toStrictEqual(REFUSED);
    expect(codeOf(await ask(OFFICE, 'PUT', '/account_rule', write))).toStrictEqual([403, 'not_allowed']);
    await database.db.updateTable('account_rule').set({ two_factor_required: true }).execute();
    expect(codeOf(await ask(HOME, 'PUT', '/account_rule', write))).toStrictEqual(REFUSED);
    expect(codeOf(await ask(OFFICE, 'PUT', '/account_rule', write))).toStrictEqual([403, 'two_factor_setup']);
    for (const path of [me(), '/first_steps', '/notice/unread'])
      expect([path, ...codeOf(await ask(HOME, 'GET', path, { as }))]).toStrictEqual([path, ...REFUSED]);
    await database.db.updateTable('account').set({ frozen_at: new Date() }).execute();
    expect(codeOf(await ask(HOME, 'GET', me(), { as }))).toStrictEqual([503, 'account_frozen']);
    await database.db.updateTable('account').set({ frozen_at: null }).execute();
    expect((await ask(HOME, 'POST', '/auth/logout', { body: {}, as })).status).toBe(200);
    expect(codeOf(await ask(OFFICE, 'GET', me(), { as }))).toStrictEqual([401, 'unauthorized']);
    expect(codeOf(await ask(HOME, 'GET', me(), { as: 'x'.repeat(43) }))).toStrictEqual([401, 'unauthorized']);
  });

  test('from elsewhere does not keep a session alive', async () => {
    await permit(OFFICE);
    const lastUse = () => database.db.selectFrom('session').select('last_used_at').executeTakeFirstOrThrow();
    await database.db
      .updateTable('session')
      .set({ last_used_at: new Date(Date.now() - 3_600_000) })
      .execute();
    const before = await lastUse();
    await ask(HOME, 'GET', me());
    expect(await lastUse()).toStrictEqual(before);
    await ask(OFFICE, 'GET', me());
    expect(await lastUse()).not.toStrictEqual(before);
  });

  test.each(['unknown', '', '203.0.113.7:443'])(
    'of no known address (%j) is refused where there are networks',
    async (ip) => {
      const accountHosts = noAccountHosts(PUBLIC_URL);
      const authenticate = authenticateWith({ login: database.login, now: Date.now, accountHosts });
      const use = { host: 'kaitaku.example.jp', ip };
      expect(await authenticate(token, use)).toMatchObject({ isOutside: false });
      expect(await entryProblem(database.login, member.accountId, ip)).toBeNull();
      await permit('0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1');
      expect(await authenticate(token, use)).toMatchObject({ isOutside: true });
      expect(await entryProblem(database.login, member.accountId, ip)).toMatchObject({ code: 'network_not_allowed' });
    },
  );

  test('whose body arrives after the networks have changed is refused', async () => {
    const setUse = (ago: number) =>
      database.db
        .updateTable('session')
        .set({ last_used_at: new Date(Date.now() - ago) })
        .execute();
    const lastUse = async () =>
      (await database.db.selectFrom('session').select('last_used_at').executeTakeFirstOrThrow()).last_used_at.getTime();
    await setUse(3_600_000);
    const { writable, readable } = new TransformStream<Uint8Array, Uint8Array>();
    const answer = fetch(`${address}/account_rule`, {
      method: 'PUT',
      headers: { 'x-forwarded-for': HOME, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: readable,
      duplex: 'half',
    } as RequestInit);
    const writer = writable.getWriter();
    await writer.write(new TextEncoder().encode('{"update_info":'));
    // The session's use tells that the head of the request has been judged.
    await eventually(lastUse, (at) => at > Date.now() - 60_000);
    await permit(OFFICE);
    await writer.write(new TextEncoder().encode('{"undo_seconds":10}}'));
    await writer.close();
    expect((await answer).status).toBe(403);
    const rules = database.db.selectFrom('account_rule').where('account_id', '=', member.accountId);
    expect(await rules.select('undo_seconds').execute()).toStrictEqual([{ undo_seconds: 0 }]);
  });
});

describe('the log-in', () => {
  const events = async () =>
    (await database.db.selectFrom('audit_event').select(['kind', 'detail']).orderBy('id').execute()).map(
      ({ kind, detail }) => [kind, detail],
    );

  test('asks the network after the password and before the code', async () => {
    const { secret } = await setUpSecondStep(clientAt(address, `Bearer ${token}`), { password: PASSWORD });
    await permit(OFFICE);
    expect(codeOf(await logIn(HOME, 'wrong'))).toStrictEqual([401, 'wrong_credentials']);
    expect(codeOf(await logIn(HOME))).toStrictEqual(REFUSED);
    // Not even counted: who is elsewhere cannot make the member wait.
    expect(codeOf(await logIn(HOME, PASSWORD, { code: '000000' }))).toStrictEqual(REFUSED);
    const { tries } = await database.db.selectFrom('member_totp').select('tries').executeTakeFirstOrThrow();
    expect(tries).toBe(0);
    expect(codeOf(await logIn(OFFICE))).toStrictEqual([401, 'code_needed']);
    const code = codeAt(secret, Date.now() + 30_000);
    expect((await logIn(OFFICE, PASSWORD, { code })).status).toBe(200);
  });

  test('a trusted browser does not pass from elsewhere; a frozen account says so first', async () => {
    const device = 'd'.repeat(43);
    await permit(OFFICE);
    expect(codeOf(await logIn(HOME, PASSWORD, { device }))).toStrictEqual(REFUSED);
    await database.db.updateTable('account').set({ frozen_at: new Date() }).execute();
    expect(codeOf(await logIn(HOME))).toStrictEqual([503, 'account_frozen']);
  });

  test('refused by the network opens no session, and stands in the audit', async () => {
    await permit(OFFICE);
    const sessions = () => database.db.selectFrom('session').selectAll().execute();
    expect(codeOf(await logIn(HOME))).toStrictEqual(REFUSED);
    expect(await sessions()).toHaveLength(1);
    expect(await events()).toStrictEqual([
      ['log_in_refused', { network: '198.51.100.0/24', reason: 'network', refusals: 1 }],
    ]);
    expect((await logIn(OFFICE)).status).toBe(200);
  });
});

test('the operator opens an account that nobody can use any more', async () => {
  await permit(OFFICE, '2001:db8::/32');
  const run = (...args: string[]) => runCommand(['account', 'allow-networks', ...args], { DATABASE_URL: database.url });
  expect((await run('--email', EMAIL)).code).not.toBe(0);
  expect(codeOf(await ask(HOME, 'GET', me()))).toStrictEqual(REFUSED);
  expect(await run('--all', '--email', EMAIL)).toStrictEqual({
    code: 0,
    out: `${EMAIL} のアカウントを、どのネットワークからも使えるようにしました。\n`,
    err: '',
  });
  expect((await ask(HOME, 'GET', me())).status).toBe(200);
  const event = await database.db.selectFrom('audit_event').select(['kind', 'member_id', 'detail']).executeTakeFirst();
  expect(event).toStrictEqual({
    kind: 'login_networks_removed_by_operator',
    member_id: null,
    detail: { removed: [OFFICE, '2001:db8::/32'] },
  });
  expect(await run('--all', '--email', 'nobody@example.jp')).toMatchObject({ code: 1 });
});
