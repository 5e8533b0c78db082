import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addAccount, addMember } from '#test/accounts.ts';
import { type Answer, type Client, clientAt, serve, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { noAccountHosts, PUBLIC_URL } from '#test/mailing.ts';
import { CLIENT_ID, CLIENT_SECRET, type StubProvider, serveProvider } from '#test/oidc-provider.ts';
import { runCommand } from '#test/run-command.ts';
import { codeAt, setUpSecondStep } from '#test/second-step.ts';
import { testSecrets } from '#test/secrets.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import type { Mailer } from '../../platform/mail/system-mail.ts';
import { hashPassword } from '../auth/password.ts';
import { openSession } from '../auth/session.ts';
import { sweepDead } from '../auth/sweep.ts';
import { finishLogIn, type LogInServices, readProvider, startLogIn } from './log-in.command.ts';
import { providerPlaces } from './provider-places.ts';

const PASSWORD = '正しい馬 電池 ホチキス';
const BROWSER = 'b'.repeat(43);
/** The tenant of all private Microsoft accounts. */
const PRIVATE = '9188040d-6c67-4c5b-b112-36a304b66dad';
const REDIRECT = `${PUBLIC_URL}/oauth/callback`;

let database: TestDatabase;
let provider: StubProvider;
let address: string;
let passwordHash: string;
let admin: MemberKey;
let sales: MemberKey;
let asAdmin: Client;
let now: number;
let mails: { to: string; subject: string; text: string }[];

const mailer: Mailer = async ({ to, subject, text }) => {
  mails.push({ to, subject, text });
  return { kind: 'sent', reply: '250 OK' };
};

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  provider = await serveProvider();
  provider.who = { email: 'Suzuki@haru.example', email_verified: true };
  now = Date.now();
  mails = [];
  address = await serve({ ...database, mailer, outbound: provider.outbound }, () => now);
  admin = await addAccount(database.db, { email: 'admin@haru.example', name: '春風 花子', passwordHash });
  const accountId = admin.accountId;
  const memberId = await addMember(database.db, accountId, {
    email: 'suzuki@Haru.example',
    name: '鈴木 彩',
    role: 'sales',
    passwordHash,
  });
  sales = { accountId, memberId };
  asAdmin = await sessionOf(admin);
});

const sessionOf = async (of: MemberKey) => clientAt(address, `Bearer ${await openSession(database.login, of, now)}`);
const visitor = () => clientAt(address, '');
const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];

const registration = (more: object = {}) => ({
  provider: 'other',
  issuer: provider.issuer,
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  domains: ['haru.example'],
  active: 1,
  ...more,
});
const put = (more: object = {}, beside: object = {}, client = asAdmin) =>
  client.put('/oidc', { update_info: registration(more), ...beside });

interface Shown {
  readonly registration: { readonly issuer: string } | null;
  readonly login_link: string | null;
  readonly version: string;
}
const shown = async (): Promise<Shown> => (await asAdmin.get('/oidc')).body as Shown;

/** Registers the provider. @returns the key of the log-in link */
async function register(): Promise<string> {
  expect(await put()).toStrictEqual({ status: 200, body: { status: 'updated' } });
  return new URL((await shown()).login_link ?? '').searchParams.get('c') ?? '';
}

async function start(key: string, browser = BROWSER): Promise<string> {
  const { status, body } = await visitor().post('/auth/oidc/start', { key, browser });
  expect(status).toBe(200);
  return (body as { url: string }).url;
}

const finish = (returned: object, browser = BROWSER) => visitor().post('/auth/oidc/finish', { ...returned, browser });

/** Goes the whole way, as a browser does. */
async function logIn(key: string): Promise<Answer> {
  return finish(provider.grant(await start(key)));
}

const FAILED = [400, 'oidc_failed'];
const audit = async (kind: string) =>
  (await database.db.selectFrom('audit_event').select(['member_id', 'detail']).where('kind', '=', kind).execute()).map(
    ({ member_id, detail }) => ({ member_id, detail }),
  );

/** Returns claims or metadata without one of them. */
const without = (all: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(all).filter(([key]) => key !== name));

describe('a log-in', () => {
  test('goes to the provider with PKCE, state and nonce, and opens a session of the member', async () => {
    const key = await register();
    const url = new URL(await start(key));
    expect(url.origin + url.pathname).toBe(`${provider.issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toStrictEqual({
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const { status, body } = await finish(provider.grant(url.href));
    const member = { id: sales.memberId, role: 'sales' };
    expect([status, body]).toStrictEqual([200, { token: expect.any(String), account_id: sales.accountId, member }]);
    const { token } = body as { token: string };
    expect((await clientAt(address, `Bearer ${token}`).get('/session/list')).status).toBe(200);
    expect(await audit('logged_in')).toMatchObject([{ member_id: sales.memberId, detail: { way: 'oidc' } }]);
    const { last_login_at } = await database.db
      .selectFrom('member')
      .select('last_login_at')
      .where('id', '=', sales.memberId)
      .executeTakeFirstOrThrow();
    expect(last_login_at).not.toBeNull();
  });

  test('reads the address from the provider’s userinfo where the token has none', async () => {
    const key = await register();
    provider.who = {};
    provider.metadata = (metadata) => ({ ...metadata, userinfo_endpoint: `${provider.issuer}/userinfo` });
    let sub = '1';
    provider.instead = (request, response) => {
      if (request.url !== '/userinfo') return false;
      const claims = { sub, email: 'suzuki@haru.example', email_verified: true };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(claims));
      return true;
    };
    expect((await logIn(key)).status).toBe(200);
    sub = 'somebody else';
    expect(codeOf(await logIn(key))).toStrictEqual(FAILED);
  });

  test('works with another key of the provider at once, and where only Basic is known', async () => {
    const key = await register();
    expect((await logIn(key)).status).toBe(200);
    provider.rotate();
    expect((await logIn(key)).status).toBe(200);
    provider.metadata = (metadata) => without(metadata, 'token_endpoint_auth_methods_supported');
    let authorization = '';
    provider.instead = (request) => {
      authorization = request.headers.authorization ?? authorization;
      return false;
    };
    await logIn(key);
    const basic = [CLIENT_ID, CLIENT_SECRET].map((text) => encodeURIComponent(text).replaceAll('%20', '+'));
    expect(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()).toBe(basic.join(':'));
  });

  test('begins at an account’s own host, and only there', async () => {
    const key = await register();
    const accountHosts: AccountHosts = {
      ...noAccountHosts(PUBLIC_URL),
      accountOf: (host) => (host === 'haru.example' ? admin.accountId : null),
      isHome: (accountId, host) => (accountId === admin.accountId) === (host === 'haru.example'),
      urlOf: () => 'https://haru.example',
    };
    const logged: unknown[] = [];
    const log = { info: (...line: unknown[]) => void logged.push(line) } as unknown as LogInServices['log'];
    const services: LogInServices = {
      login: database.login,
      now: () => now,
      secrets: testSecrets,
      outbound: provider.outbound,
      accountHosts,
      log,
      inPlace: providerPlaces(),
      accountDb: (accountId) => database.account(accountId),
    };
    expect(await readProvider(services, { host: 'haru.example' })).toStrictEqual({ provider: 'other', company: null });
    expect(await readProvider(services, { host: 'kaitaku.example.jp' })).toStrictEqual({
      provider: null,
      company: null,
    });
    expect(await startLogIn(services, { key, host: 'kaitaku.example.jp', browser: BROWSER })).toMatchObject({
      code: 'other_host',
      details: [{ message: `https://haru.example/login?c=${key}` }],
    });
    const begun = await startLogIn(services, { host: 'haru.example', browser: BROWSER });
    const { url } = begun as { url: string };
    expect(new URL(url).searchParams.get('redirect_uri')).toBe('https://haru.example/oauth/callback');
    const returned = { ...provider.grant(url), browser: BROWSER, ip: '127.0.0.1', agent: undefined };
    // The state is spent at a foreign host: it was stolen.
    expect(await finishLogIn(services, { ...returned, host: 'kaitaku.example.jp' })).toMatchObject({
      code: 'oidc_failed',
    });
    const again = (await startLogIn(services, { host: 'haru.example', browser: BROWSER })) as { url: string };
    const right = { ...returned, ...provider.grant(again.url), host: 'haru.example' };
    expect(await finishLogIn(services, right)).toMatchObject({ member: { id: sales.memberId } });
    expect(logged).toStrictEqual([]);
    // What the provider says goes into no log.
    provider.claims = (claims) => ({ ...claims, aud: 'secret of the provider' });
    const third = (await startLogIn(services, { host: 'haru.example', browser: BROWSER })) as { url: string };
    await finishLogIn(services, { ...right, ...provider.grant(third.url) });
    const reason = 'OAUTH_JWT_CLAIM_COMPARISON_FAILED';
    expect(logged).toStrictEqual([[{ account_id: admin.accountId, reason }, 'a company log-in failed']]);
  });

  test('shows its button by host or key, which also names the company, while it is on', async () => {
    const check = async (body: object) => (await visitor().post('/auth/oidc/check', body)).body;
    const key = await register();
    expect(await check({})).toStrictEqual({ provider: null, company: null });
    expect(await check({ key: 'x'.repeat(22) })).toStrictEqual({ provider: null, company: null });
    await database.db
      .updateTable('account')
      .set({ company: '株式会社春風商事' })
      .where('id', '=', admin.accountId)
      .execute();
    // Else a stranger's link would look as the own company's.
    expect(await check({ key })).toStrictEqual({ provider: 'other', company: '株式会社春風商事' });
    await put({ active: 0 });
    expect(await check({ key })).toStrictEqual({ provider: null, company: null });
    expect(codeOf(await visitor().post('/auth/oidc/start', { key, browser: BROWSER }))).toStrictEqual(FAILED);
  });
});

test('the question for the button, which each log-in page makes, takes no log-in from its network', async () => {
  const rates = { member: Infinity, account: Infinity, visitor: 3 };
  const { address: limited } = await serveApp({ ...database }, () => now, { rates });
  const asked = async (path: string, body: object) => (await clientAt(limited, '').post(path, body)).status;
  const checks = [];
  for (let times = 0; times < 4; times += 1) checks.push(await asked('/auth/oidc/check', {}));
  expect(checks).toStrictEqual([200, 200, 200, 429]);
  expect(await asked('/auth/login', { email: 'admin@haru.example', password: PASSWORD })).toBe(200);
});

test('of more than ten log-ins that wait for a provider the next is refused, and its state still works', async () => {
  const key = await register();
  const returned = provider.grant(await start(key));
  const letGo = Promise.withResolvers<void>();
  let held = 0;
  provider.instead = (_request, response) => {
    held += 1;
    void letGo.promise.then(() => response.writeHead(500).end());
    return true;
  };
  const begin = () => visitor().post('/auth/oidc/start', { key, browser: BROWSER });
  const waiting = Array.from({ length: 10 }, begin);
  await expect.poll(() => held).toBe(10);
  expect(codeOf(await begin())).toStrictEqual([503, 'busy']);
  expect(codeOf(await finish(returned))).toStrictEqual([503, 'busy']);
  letGo.resolve();
  for (const answer of await Promise.all(waiting)) expect(codeOf(answer)).toStrictEqual(FAILED);
  provider.instead = () => false;
  expect((await finish(returned)).status).toBe(200);
});

describe('a member', () => {
  const NO_MEMBER = [400, 'no_member'];

  test.each([
    ['nobody', { email: 'nobody@haru.example' }],
    ['an address outside of the domains', { email: 'suzuki@natsu.example' }],
    ['an address that is not verified', { email_verified: false }],
    ['an address whose verification is unsaid', { email_verified: undefined }],
    ['another account’s member', { email: 'natsu@haru.example' }],
    ['a stopped member', { email: 'stopped@haru.example' }],
  ])('%s gets the same refusal', async (_, who) => {
    await addAccount(database.db, { email: 'natsu@haru.example' });
    const id = await addMember(database.db, admin.accountId, { email: 'stopped@haru.example' });
    await database.db.updateTable('member').set({ active: false }).where('id', '=', id).execute();
    const key = await register();
    provider.who = { ...provider.who, ...who };
    expect(codeOf(await logIn(key))).toStrictEqual(NO_MEMBER);
    expect(await audit('logged_in')).toStrictEqual([]);
  });

  test('of a frozen account waits', async () => {
    const key = await register();
    const url = await start(key);
    const freeze = (frozen_at: Date | null) => database.db.updateTable('account').set({ frozen_at }).execute();
    await freeze(new Date());
    expect(codeOf(await finish(provider.grant(url)))).toStrictEqual([503, 'account_frozen']);
    expect(codeOf(await visitor().post('/auth/oidc/start', { key, browser: BROWSER }))).toStrictEqual([
      503,
      'account_frozen',
    ]);
    await freeze(null);
    expect((await finish(provider.grant(url))).status).toBe(200);
  });

  test('is audited beside a log-in by the password of the same hour and network', async () => {
    const key = await register();
    await visitor().post('/auth/login', { email: 'suzuki@haru.example', password: PASSWORD });
    await logIn(key);
    const ways = (await audit('logged_in')).map(({ detail }) => (detail as { way?: string }).way);
    expect(ways).toStrictEqual(['password', 'oidc']);
  });

  test('from outside of the networks of the account does not enter', async () => {
    const key = await register();
    await database.db
      .insertInto('account_rule')
      .values({ account_id: admin.accountId, login_networks: ['203.0.113.0/24'] })
      .execute();
    expect(codeOf(await logIn(key))).toStrictEqual([403, 'network_not_allowed']);
    expect(await audit('logged_in')).toStrictEqual([]);
  });

  test('needs no second step of ours, unlike with a password', async () => {
    const key = await register();
    await database.db
      .insertInto('account_rule')
      .values({ account_id: admin.accountId, two_factor_required: true })
      .execute();
    const { token } = (await logIn(key)).body as { token: string };
    expect((await clientAt(address, `Bearer ${token}`).get('/prospect/list?limit=1')).status).not.toBe(403);
    expect(codeOf(await (await sessionOf(sales)).get('/session/list'))).toStrictEqual([403, 'two_factor_setup']);
  });
});

describe('a broken token', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const unsigned = (claims: object, alg = 'none') =>
    `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
  const past = Math.floor(Date.now() / 1000) - 3600;

  test.each<[string, (stub: StubProvider) => void]>([
    ['another audience', (stub) => (stub.claims = (claims) => ({ ...claims, aud: 'another client' }))],
    ['several audiences without ours', (stub) => (stub.claims = (claims) => ({ ...claims, aud: ['a', 'b'] }))],
    [
      'an authorized party that is not us',
      (stub) => (stub.claims = (claims) => ({ ...claims, aud: [CLIENT_ID, 'b'], azp: 'b' })),
    ],
    ['another nonce', (stub) => (stub.claims = (claims) => ({ ...claims, nonce: 'another' }))],
    ['no nonce', (stub) => (stub.claims = (all) => without(all, 'nonce'))],
    ['another issuer', (stub) => (stub.claims = (claims) => ({ ...claims, iss: 'https://evil.example' }))],
    ['expired', (stub) => (stub.claims = (claims) => ({ ...claims, iat: past - 60, exp: past }))],
    ['no expiry', (stub) => (stub.claims = (all) => without(all, 'exp'))],
    ['not valid yet', (stub) => (stub.claims = (claims) => ({ ...claims, nbf: past + 7200 }))],
    ['no subject', (stub) => (stub.claims = (all) => without(all, 'sub'))],
    ['alg none', (stub) => (stub.token = (_token, claims) => unsigned(claims))],
    [
      'alg None, which the provider calls supported',
      (stub) => {
        stub.metadata = (metadata) => ({
          ...metadata,
          id_token_signing_alg_values_supported: ['none', 'None', 'RS256'],
        });
        stub.token = (_token, claims) => unsigned(claims, 'None');
      },
    ],
    [
      'alg none, which the provider calls supported',
      (stub) => {
        stub.metadata = (metadata) => ({ ...metadata, id_token_signing_alg_values_supported: ['none'] });
        stub.token = (_token, claims) => unsigned(claims);
      },
    ],
    [
      'signed by the client’s secret',
      (stub) => {
        stub.metadata = (metadata) => ({ ...metadata, id_token_signing_alg_values_supported: ['HS256'] });
        stub.token = (_token, claims) => `${unsigned(claims, 'HS256')}x`;
      },
    ],
    ['signed by another key', (stub) => (stub.token = (_token, claims) => stub.sign(claims, other))],
    [
      'a key of its own in the header',
      (stub) => {
        const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
        stub.token = (_token, claims) => stub.sign(claims, other, { alg: 'RS256', jwk });
      },
    ],
    [
      'an unknown key’s name',
      (stub) => (stub.token = (_token, claims) => stub.sign(claims, other, { alg: 'RS256', kid: 'unknown' })),
    ],
    ['a changed signature', (stub) => (stub.token = (token) => `${token.slice(0, -6)}AAAAAA`)],
    [
      'a changed payload',
      (stub) =>
        (stub.token = (token, claims) => {
          const [head, , signature] = token.split('.');
          const forged = Buffer.from(JSON.stringify({ ...claims, email: 'admin@haru.example' })).toString('base64url');
          return `${head}.${forged}.${signature}`;
        }),
    ],
    ['no token at all', (stub) => (stub.token = () => '')],
    ['not a token', (stub) => (stub.token = () => 'a.b.c')],
    [
      'a discovery of another issuer meanwhile',
      (stub) => (stub.metadata = (metadata) => ({ ...metadata, issuer: 'https://evil.example' })),
    ],
    [
      'keys in a private network',
      (stub) => (stub.metadata = (metadata) => ({ ...metadata, jwks_uri: 'https://10.0.0.1/keys' })),
    ],
    [
      'a token endpoint at the metadata of a cloud',
      (stub) => (stub.metadata = (metadata) => ({ ...metadata, token_endpoint: 'https://169.254.169.254/token' })),
    ],
    ['a token of 5 MB', (stub) => (stub.token = (token) => token + 'x'.repeat(5_000_000))],
    [
      'a redirect instead of a token',
      (stub) =>
        (stub.instead = (request, response) => {
          if (request.url !== '/token') return false;
          response.writeHead(307, { location: `${stub.issuer}/token` }).end();
          return true;
        }),
    ],
  ])('%s opens nothing', async (_, breakIt) => {
    const key = await register();
    const url = await start(key);
    breakIt(provider);
    const answer = await finish(provider.grant(url));
    expect(codeOf(answer)).toStrictEqual(FAILED);
    expect(answer.body).toStrictEqual((await finish({ state: 'unknown', code: 'x' })).body);
    expect(await audit('logged_in')).toStrictEqual([]);
  });
});

describe('what comes back', () => {
  test('a state works once, for its tab, for 10 minutes', async () => {
    const key = await register();
    const url = await start(key);
    const returned = provider.grant(url);
    expect(codeOf(await finish(returned, 'c'.repeat(43)))).toStrictEqual(FAILED);
    // Another tab does not use it up.
    expect((await finish(returned)).status).toBe(200);
    expect(codeOf(await finish(returned))).toStrictEqual(FAILED);
    expect(codeOf(await finish({ ...provider.grant(url), state: returned.state }))).toStrictEqual(FAILED);
    const late = provider.grant(await start(key));
    now += 10 * 60_000;
    expect(codeOf(await finish(late))).toStrictEqual(FAILED);
  });

  test('of two at once with one state one enters', async () => {
    const returned = provider.grant(await start(await register()));
    const answers = await Promise.all(Array.from({ length: 8 }, () => finish(returned)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => String(codeOf(answer)) === String(FAILED))).toHaveLength(7);
  });

  test('a code of another log-in does not fit the state: nobody is logged in to a stranger’s account', async () => {
    const key = await register();
    const [ours, theirs] = [await start(key), await start(key, 'c'.repeat(43))];
    const stolen = { state: provider.grant(ours).state, code: provider.grant(theirs).code };
    expect(codeOf(await finish(stolen))).toStrictEqual(FAILED);
  });

  test('a used or unknown code, and the issuer of another provider', async () => {
    const key = await register();
    const { code } = provider.grant(await start(key));
    const first = provider.grant(await start(key));
    expect((await finish(first)).status).toBe(200);
    expect(codeOf(await finish({ ...provider.grant(await start(key)), code: first.code }))).toStrictEqual(FAILED);
    expect(codeOf(await finish({ ...provider.grant(await start(key)), code: `${code}x` }))).toStrictEqual(FAILED);
    const iss = 'https://evil.example';
    expect(codeOf(await finish({ ...provider.grant(await start(key)), iss }))).toStrictEqual(FAILED);
    expect((await finish({ ...provider.grant(await start(key)), iss: provider.issuer })).status).toBe(200);
    provider.metadata = (metadata) => ({ ...metadata, authorization_response_iss_parameter_supported: true });
    expect(codeOf(await finish(provider.grant(await start(key))))).toStrictEqual(FAILED);
  });

  test('the registration is switched off meanwhile', async () => {
    const returned = provider.grant(await start(await register()));
    await put({ active: 0 });
    expect(codeOf(await finish(returned))).toStrictEqual(FAILED);
  });

  test.each<[string, object]>([
    ['switched off', { active: 0 }],
    ['given another client', { client_id: 'another' }],
    ['given other domains', { domains: ['natsu.example'] }],
  ])('the registration is %s while the provider holds the answer back', async (_, change) => {
    const returned = provider.grant(await start(await register()));
    const [held, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    provider.instead = ({ url }, response) => {
      if (url !== '/keys' || !isFirst) return false;
      isFirst = false;
      held.resolve();
      void letGo.promise.then(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ keys: [provider.key()] }));
      });
      return true;
    };
    const answer = finish(returned);
    await held.promise;
    expect(await put(change)).toMatchObject({ status: 200 });
    letGo.resolve();
    expect(codeOf(await answer)).toStrictEqual(FAILED);
    expect(await audit('logged_in')).toStrictEqual([]);
  });

  test('an account keeps 1,000 at most, the newest, and the sweep deletes expired ones', async () => {
    const key = await register();
    await database.db
      .insertInto('oidc_start')
      .values(
        Array.from({ length: 1200 }, (_, index) => ({
          account_id: admin.accountId,
          state_hash: Buffer.from(String(index)),
          nonce: 'n',
          verifier: 'v',
          browser_hash: Buffer.of(1),
          expires_at: new Date(now + index),
        })),
      )
      .execute();
    const returned = provider.grant(await start(key));
    const count = async () => (await database.db.selectFrom('oidc_start').select('nonce').execute()).length;
    expect(await count()).toBe(1000);
    await sweepDead(database.login, now + 60_000);
    expect(await count()).toBe(1);
    expect((await finish(returned)).status).toBe(200);
    await start(key);
    await sweepDead(database.login, now + 11 * 60_000);
    expect(await count()).toBe(0);
  });
});

describe('the registration', () => {
  test('set-host says that the provider needs the new address', async () => {
    const run = () =>
      runCommand(['account', 'set-host', '--email', 'admin@haru.example', '--host', 'a.kaitaku.example'], {
        DATABASE_URL: database.url,
        ACCOUNT_HOSTS: '*.kaitaku.example',
      });
    expect((await run()).out).not.toContain('リダイレクトURI');
    asAdmin = await sessionOf(admin);
    await register();
    expect((await run()).out).toContain('新しいリダイレクトURIを、提供元に登録してください');
  });

  test('shows everything but the secret, and is mailed to all admins and audited', async () => {
    expect(await asAdmin.get('/oidc')).toStrictEqual({
      status: 200,
      body: { registration: null, redirect_uri: REDIRECT, login_link: null, version: expect.any(String) },
    });
    await addMember(database.db, admin.accountId, { email: 'second@haru.example' });
    await put({ domains: [' Haru.Example ', 'haru.example', 'xn--u8j8a1c1f.example'] });
    const { client_secret, ...kept } = registration({ domains: ['haru.example', 'xn--u8j8a1c1f.example'] });
    const { body } = await asAdmin.get('/oidc');
    expect(body).toStrictEqual({
      registration: kept,
      redirect_uri: REDIRECT,
      login_link: expect.stringMatching(/^https:\/\/kaitaku\.example\.jp\/login\?c=[\w-]{22}$/),
      version: expect.any(String),
    });
    expect(mails.map(({ to }) => to).toSorted()).toStrictEqual(['admin@haru.example', 'second@haru.example']);
    expect(mails[0]?.text).toContain(`春風 花子さんが`);
    expect(mails[0]?.text).toContain(provider.issuer);
    const events = await audit('oidc_changed');
    expect(events).toStrictEqual([{ member_id: admin.memberId, detail: { ...kept, secret_changed: true } }]);
    expect(JSON.stringify([mails, events])).not.toContain(client_secret);
    const { secret } = await database.db.selectFrom('oidc').select('secret').executeTakeFirstOrThrow();
    expect(secret.includes(CLIENT_SECRET)).toBe(false);
  });

  test('keeps its secret for the same client alone: no other provider is sent it', async () => {
    await register();
    const keep = { client_secret: undefined };
    expect(await put({ ...keep, domains: ['haru.example', 'natsu.example'] })).toMatchObject({ status: 200 });
    const other = await serveProvider('evil.example');
    expect(codeOf(await put({ ...keep, issuer: other.issuer, active: 0 }))).toStrictEqual([
      400,
      'client_secret_needed',
    ]);
    expect(codeOf(await put({ ...keep, client_id: 'another' }))).toStrictEqual([400, 'client_secret_needed']);
  });

  test('is not overwritten unseen, and its link stays', async () => {
    const key = await register();
    const { version } = await shown();
    expect(await put({ active: 0 }, { version })).toMatchObject({ status: 200 });
    expect(codeOf(await put({}, { version }))).toStrictEqual([409, 'company_log_in_changed']);
    expect((await shown()).login_link).toContain(key);
  });

  test.each<[string, object, number]>([
    ['other domains keep the sessions that the provider opened', { domains: ['haru.example', 'natsu.example'] }, 200],
    ['the off ends them', { active: 0 }, 401],
    ['another client ends them', { client_id: 'another' }, 401],
    ['another issuer ends them', {}, 401],
  ])('%s, and no other', async (_, change, status) => {
    const key = await register();
    const { token } = (await logIn(key)).body as { token: string };
    const byPassword = await sessionOf(sales);
    const own = await openSession(database.login, admin, now, undefined, 'oidc');
    asAdmin = clientAt(address, `Bearer ${own}`);
    if (status === 401 && Object.keys(change).length === 0) {
      await database.db.updateTable('oidc').set({ issuer: 'https://before.example' }).execute();
    }
    expect(await put(change)).toMatchObject({ status: 200 });
    expect((await clientAt(address, `Bearer ${token}`).get('/session/list')).status).toBe(status);
    expect((await byPassword.get('/session/list')).status).toBe(200);
    expect((await asAdmin.get('/session/list')).status).toBe(200);
  });

  test('is not changed by a session alone after 15 minutes: who controls the provider enters as anybody', async () => {
    now += 15 * 60_000 + 1;
    expect(codeOf(await put())).toStrictEqual([400, 'password_needed']);
    expect(codeOf(await put({}, { current_password: 'wrong' }))).toStrictEqual([400, 'wrong_password']);
    expect(await put({}, { current_password: PASSWORD })).toMatchObject({ status: 200 });
  });

  test('of several saves at once the provider is asked ten times a minute', async () => {
    for (let save = 0; save < 10; save += 1) expect((await put()).status).toBe(200);
    expect(codeOf(await put())).toStrictEqual([429, 'too_many_checks']);
    now += 60_000;
    expect((await put()).status).toBe(200);
  });

  test('saved as it is is neither mailed nor audited', async () => {
    await register();
    mails = [];
    const same = { client_secret: undefined };
    expect(await put(same)).toStrictEqual({ status: 200, body: { status: 'updated' } });
    expect(await put({ ...same, domains: [' Haru.example'] })).toMatchObject({ status: 200 });
    expect([mails, (await audit('oidc_changed')).length]).toStrictEqual([[], 1]);
    await put({ ...same, domains: ['haru.example', 'natsu.example'] });
    await put(same);
    await put({ ...same, active: 0 });
    await put();
    expect([mails.length, (await audit('oidc_changed')).length]).toStrictEqual([4, 5]);
  });

  test('is changed 20 times an hour at most, also where that asks no provider', async () => {
    for (let save = 0; save < 19; save += 1) expect((await put({ active: 0 })).status).toBe(200);
    await register();
    // Whoever has used the saves up does not keep others from the off.
    expect((await put({ active: 0, client_secret: undefined })).status).toBe(200);
    const refused = await put({ active: 0 });
    expect(codeOf(refused)).toStrictEqual([429, 'too_many_checks']);
    expect((refused.body as { message: string }).message).toContain('60分後に');
    expect([mails.length, (await audit('oidc_changed')).length]).toStrictEqual([21, 21]);
    now += 60 * 60_000;
    expect((await put({}, { current_password: PASSWORD })).status).toBe(200);
  });

  test.each<[string, object]>([
    ['http', { issuer: 'http://idp.haru.example' }],
    ['a private address', { issuer: 'https://10.0.0.1' }],
    ['the metadata of a cloud', { issuer: 'https://169.254.169.254/latest' }],
    ['loopback', { issuer: 'https://localhost:5432' }],
    ['loopback in decimal', { issuer: 'https://2130706433' }],
    ['a name without an address', { issuer: 'https://none.example' }],
    ['a user in the address', { issuer: 'https://user@idp.haru.example' }],
    ['a query', { issuer: 'https://idp.haru.example/?x' }],
    [
      'a well-known address, whose issuer is compared by nobody',
      {
        issuer: 'https://idp.haru.example/.well-known/openid-configuration',
      },
    ],
    ['no URL', { issuer: 'idp' }],
    ['another issuer for Google', { provider: 'google', issuer: 'https://accounts.google.com.evil.example' }],
    ['Google as another provider', { issuer: 'https://accounts.google.com' }],
    ['Google in other letters', { issuer: 'https://Accounts.Google.com:443/' }],
    [
      'private accounts of Microsoft as another provider',
      { issuer: `https://login.microsoftonline.com/${PRIVATE}/v2.0` },
    ],
    ['private accounts of Microsoft by their own host', { issuer: 'https://login.live.com' }],
    ['all tenants of Microsoft', { provider: 'microsoft', issuer: 'https://login.microsoftonline.com/common/v2.0' }],
  ])('%s is no issuer', async (_, more) => {
    expect(await put(more)).toMatchObject({
      status: 400,
      body: { code: 'invalid_issuer', details: [{ path: 'update_info.issuer' }] },
    });
    expect((await shown()).registration).toBeNull();
  });

  test('names the right choice for an issuer of Google or Microsoft', async () => {
    const textOf = async (issuer: string) =>
      ((await put({ issuer })).body as { details: { message: string }[] }).details[0]?.message;
    expect(await textOf('https://accounts.google.com')).toContain('「Google Workspace」を選んでください');
    const microsoft = `https://login.microsoftonline.com/${PRIVATE}/v2.0`;
    expect(await textOf(microsoft)).toContain('「Microsoft Entra ID」を選んでください');
  });

  test.each<[string, (stub: StubProvider) => void]>([
    [
      'redirects',
      (stub) =>
        (stub.instead = (_request, response) => {
          response.writeHead(302, { location: '/elsewhere' }).end();
          return true;
        }),
    ],
    ['answers 5 MB', (stub) => (stub.metadata = (metadata) => ({ ...metadata, x: 'x'.repeat(5_000_000) }))],
    ['describes another issuer', (stub) => (stub.metadata = (all) => ({ ...all, issuer: 'https://evil.example' }))],
    ['describes itself with a slash', (stub) => (stub.metadata = (all) => ({ ...all, issuer: `${stub.issuer}/` }))],
    [
      'sends the browser to a script',
      (stub) => (stub.metadata = (all) => ({ ...all, authorization_endpoint: 'javascript:alert(1)' })),
    ],
    [
      'sends the browser to http',
      (stub) => (stub.metadata = (all) => ({ ...all, authorization_endpoint: 'http://idp.haru.example/' })),
    ],
    ['has no keys', (stub) => (stub.metadata = (all) => without(all, 'jwks_uri'))],
    [
      'answers no JSON',
      (stub) =>
        (stub.instead = (_request, response) => {
          response.end('<html>');
          return true;
        }),
    ],
    [
      'fails',
      (stub) =>
        (stub.instead = (_request, response) => {
          response.writeHead(500).end();
          return true;
        }),
    ],
  ])('a provider that %s is refused at the save', async (_, breakIt) => {
    breakIt(provider);
    expect(codeOf(await put())).toStrictEqual([400, 'invalid_issuer']);
  });

  test.each(['', 'haru', 'haru.example/', '*.example', 'はるかぜ.example', 'a@haru.example', '.example'])(
    '%j is no domain',
    async (domain) => {
      const answer = await put({ domains: ['haru.example', domain] });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'update_info.domains.1' }] } });
    },
  );
});

describe('without passwords', () => {
  const off = () => asAdmin.put('/account_rule', { update_info: { password_off: 1 } });
  const withPassword = (email: string, more: object = {}) =>
    visitor().post('/auth/login', { email, password: PASSWORD, ...more });

  test('needs an active registration, and a second step of each admin, who are named', async () => {
    expect(codeOf(await off())).toStrictEqual([409, 'company_log_in_off']);
    await register();
    const second = await addMember(database.db, admin.accountId, { name: '夏目 太郎', passwordHash });
    await setUpSecondStep(asAdmin, { password: PASSWORD, now });
    expect(await off()).toMatchObject({
      status: 409,
      body: { code: 'two_factor_missing', message: expect.stringContaining('夏目 太郎さん') },
    });
    const theirs = await sessionOf({ ...admin, memberId: second });
    await setUpSecondStep(theirs, { password: PASSWORD, now });
    expect((await off()).status).toBe(200);
    expect((await asAdmin.get('/account_rule')).body).toMatchObject({ password_off: 1 });
  });

  test('a right password opens nothing but for admins with a second step; a wrong one learns nothing', async () => {
    const key = await register();
    const { secret } = await setUpSecondStep(asAdmin, { password: PASSWORD, now });
    await off();
    expect(codeOf(await withPassword('suzuki@haru.example'))).toStrictEqual([409, 'use_company_log_in']);
    expect(await audit('log_in_refused')).toMatchObject([{ member_id: sales.memberId, detail: { reason: 'company' } }]);
    const wrong = await visitor().post('/auth/login', { email: 'suzuki@haru.example', password: 'wrong' });
    expect(codeOf(wrong)).toStrictEqual([401, 'wrong_credentials']);
    expect(codeOf(await withPassword('admin@haru.example'))).toStrictEqual([401, 'code_needed']);
    now += 30_000;
    expect((await withPassword('admin@haru.example', { code: codeAt(secret, now) })).status).toBe(200);
    expect((await logIn(key)).status).toBe(200);
    // A new admin has none yet, and comes by the provider.
    await database.db.updateTable('member').set({ role: 'admin' }).where('id', '=', sales.memberId).execute();
    expect(codeOf(await withPassword('suzuki@haru.example'))).toStrictEqual([409, 'use_company_log_in']);
  });

  test('an admin keeps the second step, and the provider’s end gives passwords back', async () => {
    await register();
    const { secret } = await setUpSecondStep(asAdmin, { password: PASSWORD, now });
    await off();
    now += 30_000;
    const proof = { current_password: PASSWORD, code: codeAt(secret, now) };
    expect(codeOf(await asAdmin.post('/auth/two_factor/off', proof))).toStrictEqual([409, 'two_factor_required']);
    await put({ active: 0 });
    expect((await withPassword('suzuki@haru.example')).status).toBe(200);
  });

  test('a mail for a new password says that it opens nothing', async () => {
    await register();
    await setUpSecondStep(asAdmin, { password: PASSWORD, now });
    await asAdmin.post(`/member/${sales.memberId}/password_reset`, {});
    await off();
    mails = [];
    await asAdmin.post(`/member/${sales.memberId}/password_reset`, {});
    expect(mails[0]?.text).toContain('再設定しても、パスワードではログインできません');
    await visitor().post('/auth/password_reset', { email: 'admin@haru.example' });
    await expect.poll(() => mails.length).toBe(2);
    expect(mails[1]?.text).not.toContain('再設定しても');
  });

  test('the operator lets an admin in who has lost the telephone', async () => {
    await register();
    await setUpSecondStep(asAdmin, { password: PASSWORD, now });
    await off();
    const run = (email: string) =>
      runCommand(['account', 'two-factor-off', '--email', email], { DATABASE_URL: database.url });
    await run('suzuki@haru.example');
    expect(codeOf(await withPassword('suzuki@haru.example'))).toStrictEqual([409, 'use_company_log_in']);
    await run('admin@haru.example');
    expect((await withPassword('admin@haru.example')).status).toBe(200);
    expect(await audit('account_rule_changed')).toContainEqual({ member_id: null, detail: { password_off: 0 } });
  });
});
