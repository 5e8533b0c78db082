import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { addAccount, addMember } from '#test/accounts.ts';
import { type Answer, type Client, clientAt, PUBLIC_URL, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addOAuthMailbox, addTestMailbox, registerOAuthApp } from '#test/mailboxes.ts';
import { noAccountHosts } from '#test/mailing.ts';
import { OAUTH_CLIENT, type OAuthStub, serveOAuth } from '#test/oauth-provider.ts';
import { keyOf, testSecrets } from '#test/secrets.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { secretsWith } from '../../platform/secrets/secrets.ts';
import { openSession } from '../auth/session.ts';
import { openMailbox, readMailbox } from '../mailboxes/mailbox.queries.ts';
import { mailboxLogIn } from '../mailboxes/mailbox-log-in.ts';
import { deleteOldStarts } from './consent.command.ts';

const ADDRESS = 'aya@haru.example';
const REDIRECT = `${PUBLIC_URL}/oauth/callback`;

let database: TestDatabase;
let provider: OAuthStub;
let address: string;
let now: number;
let admin: MemberKey;
let aya: MemberKey;
let asAdmin: Client;
let asAya: Client;
let accountId: number;
let id: number;

beforeEach(async () => {
  database = await emptyDatabase();
  provider = await serveOAuth();
  now = Date.now();
  address = await serve({ ...database, outbound: provider.outbound }, () => now);
  admin = await addAccount(database.db, { company: '春風' });
  ({ accountId } = admin);
  aya = { accountId, memberId: await addMember(database.db, accountId, { role: 'sales' }) };
  asAdmin = await sessionOf(admin);
  asAya = await sessionOf(aya);
  id = await addTestMailbox(database.db, accountId, {
    kind: 'google',
    address: ADDRESS,
    username: ADDRESS,
    owner_id: aya.memberId,
    state: 'unchecked',
    secret: null,
  });
  await set({ secret: null, secret_key: null });
  provider.who = { email: ADDRESS };
});

const sessionOf = async (of: MemberKey) => clientAt(address, `Bearer ${await openSession(database.login, of, now)}`);
const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];
const set = (values: object) => database.db.updateTable('mailbox').set(values).where('id', '=', id).execute();
const stored = async () => (await readMailbox(database.db, { accountId, id })) ?? expect.unreachable();

const register = () => registerOAuthApp(database.db, accountId, 'google');
const begin = (client = asAya, box = id) => client.post(`/mailbox/${box}/authorize`, {});
/** Begins a consent, and lets the person consent. @returns what the browser carries back */
async function consent(client = asAya) {
  const { status, body } = await begin(client);
  expect([status, body]).toStrictEqual([200, body]);
  return provider.grant((body as { url: string }).url);
}
const end = (returned: object, client = asAya) => client.post('/mailbox/authorized', returned);
const audit = async (kind: string) =>
  database.db.selectFrom('audit_event').select(['member_id', 'detail']).where('kind', '=', kind).execute();

/** Fails where a secret stands in the database as it is, in base64, or as its SHA-256. */
async function expectNowhere(secrets: readonly string[]): Promise<void> {
  const tables = await database.pool.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const dumped: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await database.pool.query<{ text: string | null }>(
      `SELECT json_agg(one)::text AS text FROM ${name} AS one`,
    );
    dumped.push(`${name} ${rows[0]?.text ?? ''}`);
  }
  const text = dumped.join('\n');
  for (const secret of secrets) {
    const bytes = Buffer.from(secret);
    const sum = createHash('sha256').update(secret).digest();
    const forms = [secret, ...[bytes, sum].flatMap((one) => [one.toString('hex'), one.toString('base64')])];
    expect([secret, forms.filter((form) => text.includes(form))]).toStrictEqual([secret, []]);
  }
}

describe('a consent', () => {
  beforeEach(register);

  test('asks Google for mail, without end, of one address', async () => {
    const { body } = await begin();
    const { origin, pathname, searchParams } = new URL((body as { url: string }).url);
    expect(origin + pathname).toBe('https://accounts.google.com/o/oauth2/v2/auth');
    const { state, code_challenge, ...rest } = Object.fromEntries(searchParams);
    expect(rest).toStrictEqual({
      client_id: OAUTH_CLIENT.id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'https://mail.google.com/ openid email',
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
      login_hint: ADDRESS,
    });
    expect([state?.length, code_challenge?.length]).toStrictEqual([43, 43]);
    const [start] = await database.db.selectFrom('oauth_start').selectAll().execute();
    expect(start?.state_hash).toStrictEqual(
      createHash('sha256')
        .update(state ?? '')
        .digest(),
    );
    expect(start?.expires_at).toStrictEqual(new Date(now + 600_000));
  });

  test('asks one tenant of Microsoft for SMTP and IMAP', async () => {
    await registerOAuthApp(database.db, accountId, 'microsoft');
    await set({ kind: 'microsoft' });
    const { body } = await begin();
    const { origin, pathname, searchParams } = new URL((body as { url: string }).url);
    expect(origin + pathname).toBe('https://login.microsoftonline.com/haru.example/oauth2/v2.0/authorize');
    expect(searchParams.get('scope')?.split(' ')).toStrictEqual([
      'https://outlook.office.com/SMTP.Send',
      'https://outlook.office.com/IMAP.AccessAsUser.All',
      'offline_access',
      'openid',
      'email',
      'profile',
    ]);
    provider.who = { preferred_username: 'Aya@Haru.example', email: 'other@haru.example' };
    const returned = provider.grant((body as { url: string }).url);
    expect(await end(returned)).toMatchObject({ status: 200 });
  });

  test('stores the tokens, sealed; a check is needed before the mailbox sends', async () => {
    await set({ version: 4, state: 'reconnect' });
    await database.db.updateTable('mailbox_state').set({ login_refusals: 1, last_fault: '535', pauses: 2 }).execute();
    const returned = await consent();
    expect(await end(returned)).toStrictEqual({
      status: 200,
      body: { status: 'connected', id, address: ADDRESS, version: 5 },
    });
    expect(provider.asked).toMatchObject([
      { path: '/token', form: { grant_type: 'authorization_code', redirect_uri: REDIRECT, code: returned.code } },
    ]);
    expect(await stored()).toMatchObject({ state: 'unchecked', version: 5, username: ADDRESS });
    const tokens = openMailbox(testSecrets, await stored()) as { refreshToken: string; accessToken: string };
    expect(provider.accepts(tokens.accessToken)).toBe(true);
    const state = await database.db.selectFrom('mailbox_state').selectAll().executeTakeFirst();
    expect(state).toMatchObject({ login_refusals: 0, last_fault: null, pauses: 0 });
    expect(await audit('mailbox_changed')).toStrictEqual([
      { member_id: aya.memberId, detail: { mailbox_id: id, address: ADDRESS, fields: ['consent'] } },
    ]);
    const { refreshToken, accessToken } = tokens;
    await expectNowhere([refreshToken, accessToken, OAUTH_CLIENT.secret, returned.code]);
    expect(await database.db.selectFrom('oauth_start').selectAll().execute()).toStrictEqual([]);
    // As a worker does later.
    await set({ token_expires_at: new Date(0) });
    const services = { secrets: testSecrets, outbound: provider.outbound, now: () => now };
    const login = await mailboxLogIn(services, accountDbOf(database.service.db)(accountId, null), await stored());
    expect(login).toHaveProperty('accessToken');
    await expectNowhere([refreshToken, (login as { accessToken: string }).accessToken, OAUTH_CLIENT.secret]);
  });

  test.each<[string, () => Promise<object> | object, (() => Promise<unknown>)?]>([
    ['an unknown state', () => ({ state: 'x'.repeat(43), code: 'code' })],
    [
      'a state that was used',
      async () => {
        const returned = await consent();
        await end(returned);
        return returned;
      },
    ],
    ['a state of another member', () => consent(asAdmin)],
    [
      'a state of 10 minutes ago',
      async () => {
        const returned = await consent();
        now += 600_000;
        return returned;
      },
    ],
    ['a wrong code', async () => ({ ...(await consent()), code: 'another' })],
    [
      'a consent without mail',
      async () => {
        provider.granted = 'openid email';
        return consent();
      },
    ],
    [
      'an ID token of another client',
      async () => {
        provider.who = { email: ADDRESS, aud: 'somebody else' };
        return consent();
      },
    ],
    [
      'a registration that is gone',
      async () => {
        const returned = await consent();
        await database.db.deleteFrom('oauth_app').execute();
        return returned;
      },
    ],
    [
      'a registration that has changed',
      async () => {
        const returned = await consent();
        provider.instead = async () => {
          await database.db.updateTable('oauth_app').set({ client_id: 'next' }).execute();
          return false;
        };
        return returned;
      },
    ],
  ])('%s is refused in the same words', async (_, given) => {
    const returned = await given();
    const before = await stored();
    expect(codeOf(await end(returned))).toStrictEqual([400, 'consent_failed']);
    expect(await stored()).toStrictEqual(before);
  });

  test.each(['{}', '<html>', '{"access_token":"a","expires_in":3600}', '{"error":"invalid_client"}'])(
    'an answer %s connects nothing',
    async (body) => {
      const returned = await consent();
      provider.instead = (_path, _form, response) => {
        response.end(body);
        return true;
      };
      expect(codeOf(await end(returned))).toStrictEqual([400, 'consent_failed']);
      expect((await stored()).secret).toBeNull();
    },
  );

  test('of another address is refused, and names both', async () => {
    provider.who = { email: 'private@gmail.com' };
    const answer = await end(await consent());
    expect(answer).toMatchObject({ status: 409, body: { code: 'other_address' } });
    expect((answer.body as { message: string }).message).toContain('private@gmail.com');
    expect((await stored()).secret).toBeNull();
  });

  test('a state that another member tries stays for its own', async () => {
    const returned = await consent();
    expect(codeOf(await end(returned, asAdmin))).toStrictEqual([400, 'consent_failed']);
    expect((await end(returned)).status).toBe(200);
  });

  test('is for the owner and admins: the provider is asked for nobody else', async () => {
    const other = { accountId, memberId: await addMember(database.db, accountId, { role: 'sales' }) };
    expect(codeOf(await begin(await sessionOf(other)))).toStrictEqual([403, 'not_allowed']);
    expect((await begin(asAdmin)).status).toBe(200);
    const returned = await consent();
    await set({ owner_id: other.memberId });
    expect(codeOf(await end(returned))).toStrictEqual([403, 'not_allowed']);
    expect(provider.asked).toStrictEqual([]);
  });

  test('needs a mailbox of a provider, its registration, and a way back', async () => {
    const password = await addTestMailbox(database.db, accountId, {
      address: 'b@haru.example',
      owner_id: aya.memberId,
    });
    expect(codeOf(await begin(asAya, password))).toStrictEqual([404, 'not_found']);
    expect(codeOf(await begin(asAya, 999))).toStrictEqual([404, 'not_found']);
    await database.db.deleteFrom('oauth_app').execute();
    expect(codeOf(await begin())).toStrictEqual([409, 'app_missing']);
    const returnTo = async (publicUrl: string) => {
      const hosts = { publicUrl, accountHosts: noAccountHosts(publicUrl) };
      const at = await serve({ ...database, ...hosts }, () => now);
      return begin(clientAt(at, `Bearer ${await openSession(database.login, aya, now)}`));
    };
    await register();
    expect(codeOf(await returnTo('http://kaitaku.haru.example'))).toStrictEqual([409, 'no_https']);
    expect((await returnTo('http://localhost:3000')).status).toBe(200);
  });

  test('without a key nothing begins', async () => {
    const at = await serve({ ...database, secrets: secretsWith({ current: null, old: null }) }, () => now);
    const client = clientAt(at, `Bearer ${await openSession(database.login, aya, now)}`);
    expect(codeOf(await begin(client))).toStrictEqual([503, 'no_secret_key']);
  });

  test('ten begin in a minute; of a member the last twenty are kept, and expired ones are deleted', async () => {
    for (let minute = 0; minute < 3; minute += 1) {
      for (let at = 0; at < 10; at += 1) expect((await begin()).status).toBe(200);
      expect(codeOf(await begin())).toStrictEqual([429, 'too_many_checks']);
      now += 60_000;
    }
    const count = async () => (await database.db.selectFrom('oauth_start').select('expires_at').execute()).length;
    expect(await count()).toBe(20);
    await deleteOldStarts(database.service.db);
    expect(await count()).toBe(20);
    await database.db
      .updateTable('oauth_start')
      .set({ expires_at: new Date(0) })
      .execute();
    await deleteOldStarts(database.service.db);
    expect(await count()).toBe(0);
  });
});

describe('a registration', () => {
  const put = (update_info: object, more: object = {}, client = asAdmin, name = 'google') =>
    client.put(`/oauth_app/${name}`, { update_info, ...more });
  const shown = async (name = 'google') =>
    (await asAdmin.get(`/oauth_app/${name}`)).body as {
      version: string;
      registration: object | null;
      mailboxes: number;
    };

  test('is stored sealed, and shown without its secret', async () => {
    expect(await shown()).toMatchObject({ registration: null, log_in: null, redirect_uri: REDIRECT, mailboxes: 0 });
    expect(await put({ client_id: ' client ', secret: 'the secret of the client' })).toMatchObject({ status: 200 });
    expect(await shown()).toMatchObject({ registration: { client_id: 'client', tenant: null, fault: null } });
    await expectNowhere(['the secret of the client']);
    expect(await audit('oauth_app_changed')).toStrictEqual([
      { member_id: admin.memberId, detail: { provider: 'google', client_id: 'client', secret_changed: true } },
    ]);
    expect((await put({ client_id: 'client' })).status).toBe(200);
    expect(await audit('oauth_app_changed')).toHaveLength(1);
  });

  test('keeps its secret for the same client alone', async () => {
    expect(codeOf(await put({ client_id: 'client' }))).toStrictEqual([400, 'client_secret_needed']);
    await put({ client_id: 'client', secret: 'one' });
    expect(codeOf(await put({ client_id: 'other' }))).toStrictEqual([400, 'client_secret_needed']);
  });

  test.each([
    'common',
    'organizations',
    'consumers',
    'haru',
    '9188040d-6c67-4c5b-b112-36a304b66dad',
    'a/b.example',
    '',
  ])('the tenant %j is not that of one company', async (tenant) => {
    const answer = await put({ client_id: 'client', secret: 'one', tenant }, {}, asAdmin, 'microsoft');
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'update_info.tenant' }] } });
  });

  test.each(['Haru.example', '0F3D0C1E-6c67-4c5b-b112-36a304b66dad'])('the tenant %s is', async (tenant) => {
    expect((await put({ client_id: 'client', secret: 'one', tenant }, {}, asAdmin, 'microsoft')).status).toBe(200);
    expect((await shown('microsoft')).registration).toMatchObject({ tenant: tenant.toLowerCase() });
  });

  test('of Google has no tenant', async () => {
    const answer = await put({ client_id: 'client', secret: 'one', tenant: 'haru.example' });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'update_info.tenant' }] } });
  });

  test('of another client ends the consents, whose mails wait for a new one', async () => {
    await put({ client_id: 'client', secret: 'one' });
    const box = await addOAuthMailbox(database.db, accountId, provider, { kind: 'google', address: 'b@haru.example' });
    const others = await addOAuthMailbox(database.db, accountId, provider, { address: 'c@haru.example' });
    expect((await shown()).mailboxes).toBe(1);
    const { version } = await shown();
    expect((await put({ client_id: 'next', secret: 'two' }, { version })).status).toBe(200);
    const boxes = await database.db.selectFrom('mailbox').select(['id', 'state', 'secret', 'version']).execute();
    expect(boxes.find((one) => one.id === box)).toMatchObject({ state: 'reconnect', secret: null, version: 2 });
    expect(boxes.find((one) => one.id === others)).toMatchObject({ state: 'ok', version: 1 });
    expect(await audit('mailbox_lost')).toMatchObject([{ detail: { mailbox_id: box } }]);
    expect(codeOf(await put({ client_id: 'last', secret: 'three' }, { version }))).toStrictEqual([
      409,
      'oauth_app_changed',
    ]);
  });

  test('with a new secret clears the fault, and its mailboxes ask at once', async () => {
    await put({ client_id: 'client', secret: 'old' });
    const box = await addOAuthMailbox(database.db, accountId, provider, {
      kind: 'google',
      address: 'b@haru.example',
      token_lease_until: new Date(Date.now() + 600_000),
    });
    await database.db.updateTable('oauth_app').set({ fault: 'invalid_client' }).execute();
    expect(await shown()).toMatchObject({ registration: { fault: 'invalid_client' } });
    expect((await put({ client_id: 'client', secret: 'new' })).status).toBe(200);
    expect(await shown()).toMatchObject({ registration: { fault: null } });
    const row = await readMailbox(database.db, { accountId, id: box });
    expect(row).toMatchObject({ state: 'ok', token_lease_until: null, version: 1 });
  });

  test("takes the log-in's, where it is at the same provider", async () => {
    expect(codeOf(await put({ as_log_in: 1 }, {}, asAdmin, 'microsoft'))).toStrictEqual([409, 'company_log_in_off']);
    const tenant = '0f3d0c1e-6c67-4c5b-b112-36a304b66dad';
    const sealed = await database.db
      .transaction()
      .execute((tx) => testSecrets.seal(tx, { accountId, row: accountId, kind: 'oidc' }, Buffer.from('log-in secret')));
    if ('code' in sealed) return expect.unreachable();
    await database.db
      .insertInto('oidc')
      .values({
        account_id: accountId,
        provider: 'microsoft',
        issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
        client_id: 'log-in',
        domains: ['haru.example'],
        link_key: Buffer.alloc(16),
        active: true,
        ...sealed,
      })
      .execute();
    expect(await shown('microsoft')).toMatchObject({ log_in: { client_id: 'log-in', tenant } });
    expect(await shown('google')).toMatchObject({ log_in: null });
    expect(codeOf(await put({ as_log_in: 1 }))).toStrictEqual([409, 'company_log_in_off']);
    expect((await put({ as_log_in: 1 }, {}, asAdmin, 'microsoft')).status).toBe(200);
    expect(await shown('microsoft')).toMatchObject({ registration: { client_id: 'log-in', tenant } });
    await expectNowhere(['log-in secret']);
    const { secret, secret_key } = await database.db.selectFrom('oauth_app').selectAll().executeTakeFirstOrThrow();
    const row = { accountId, row: accountId, kind: 'oauth_microsoft' } as const;
    expect(testSecrets.open(row, { secret, secret_key })).toStrictEqual(Buffer.from('log-in secret'));
    // Neither in another place nor by another key.
    expect(() => testSecrets.open({ ...row, kind: 'oidc' }, { secret, secret_key })).toThrow();
    expect(secretsWith({ current: keyOf(9), old: null }).open(row, { secret, secret_key })).toMatchObject({
      code: 'no_secret_key',
    });
  });

  test('is for admins', async () => {
    expect(codeOf(await put({ client_id: 'client', secret: 'one' }, {}, asAya))).toStrictEqual([403, 'not_allowed']);
    expect(codeOf(await asAya.get('/oauth_app/google'))).toStrictEqual([403, 'not_allowed']);
  });
});

test('a disconnection, and the stop of its owner, end the consent at Google; Microsoft has no such call', async () => {
  const revoked = () => provider.asked.filter(({ path }) => path.endsWith('/revoke')).map(({ form }) => form.token);
  const addBox = async (name: string, kind: string) => {
    const info = { kind, address: `${name}@haru.example`, owner_id: aya.memberId };
    const box = await addOAuthMailbox(database.db, accountId, provider, info);
    const opened = await readMailbox(database.db, { accountId, id: box });
    const secret = opened && openMailbox(testSecrets, opened);
    return { box, token: secret && 'refreshToken' in secret ? secret.refreshToken : '' };
  };
  const [google, microsoft, second] = [
    await addBox('b', 'google'),
    await addBox('c', 'microsoft'),
    await addBox('d', 'google'),
  ];
  const off = { version: 1, update_info: { active: 0 } };
  expect(await asAya.put(`/mailbox/${microsoft.box}`, off)).toMatchObject({ status: 200 });
  expect(await asAya.put(`/mailbox/${google.box}`, off)).toMatchObject({ status: 200 });
  await expect.poll(revoked).toStrictEqual([google.token]);
  const members = (await asAdmin.get('/member/list')).body as { id: number; version: string }[];
  const { version } = members.find((member) => member.id === aya.memberId) ?? {};
  const stop = { version, update_info: { active: 0 } };
  expect(await asAdmin.put(`/member/${aya.memberId}`, stop)).toMatchObject({ status: 200 });
  await expect.poll(revoked).toStrictEqual([google.token, second.token]);
});
