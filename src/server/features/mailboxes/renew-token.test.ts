import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { addAccount } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addOAuthMailbox, registerOAuthApp } from '#test/mailboxes.ts';
import { OAUTH_CLIENT, type OAuthStub, serveOAuth } from '#test/oauth-provider.ts';
import { keyOf, testSecrets } from '#test/secrets.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { secretsWith } from '../../platform/secrets/secrets.ts';
import { openMailbox, readMailbox } from './mailbox.queries.ts';
import { mailboxLogIn } from './mailbox-log-in.ts';

let database: TestDatabase;
let provider: OAuthStub;
let accountId: number;
let id: number;

beforeEach(async () => {
  database = await emptyDatabase();
  provider = await serveOAuth();
  ({ accountId } = await addAccount(database.db));
  await registerOAuthApp(database.db, accountId, 'microsoft');
  id = await addOAuthMailbox(database.db, accountId, provider);
});

const stored = async () => {
  const mailbox = await readMailbox(database.db, { accountId, id });
  return mailbox ?? expect.unreachable();
};
const tokens = async () => openMailbox(testSecrets, await stored());

/** Logs in as a worker does. */
async function logIn(secrets = testSecrets, outbound = provider.outbound) {
  const account = accountDbOf(database.service.db)(accountId, null);
  return mailboxLogIn({ secrets, outbound, now: Date.now }, account, await stored());
}
const set = (values: object) => database.db.updateTable('mailbox').set(values).where('id', '=', id).execute();
/** Leaves the token so many seconds. */
const leave = (seconds: number) => set({ token_expires_at: new Date(Date.now() + seconds * 1000) });
const answerWith = (status: number, body: string) => {
  provider.instead = (_path, _form, response) => {
    response.writeHead(status).end(body);
    return true;
  };
};
const refuse = (error: string, description = '') =>
  answerWith(400, JSON.stringify({ error, error_description: description }));

test('a token is used until five minutes, of short lives a third, before its end', async () => {
  const { accessToken } = (await tokens()) as { accessToken: string };
  expect(await logIn()).toStrictEqual({ user: 'aya@haru.example', accessToken });
  await leave(310);
  expect(await logIn()).toMatchObject({ accessToken });
  expect(provider.asked).toHaveLength(0);
  await leave(290);
  const renewed = (await logIn()) as { accessToken: string };
  expect(renewed.accessToken).not.toBe(accessToken);
  expect(provider.accepts(renewed.accessToken)).toBe(true);

  provider.seconds = 20;
  await leave(0);
  const short = (await logIn()) as { accessToken: string };
  await leave(8);
  expect(await logIn()).toMatchObject(short);
  await leave(6);
  expect(await logIn()).not.toMatchObject(short);
  expect(provider.asked).toHaveLength(3);
});

test('a renewal sends the secret of the registration, and its life counts from the request', async () => {
  await leave(-1);
  provider.instead = async () => {
    await sleep(1200);
    return false;
  };
  const { rows } = await database.pool.query<{ at: Date }>('SELECT now() AS at');
  await logIn();
  expect(provider.asked[0]).toMatchObject({
    path: '/haru.example/oauth2/v2.0/token',
    form: { grant_type: 'refresh_token', client_id: OAUTH_CLIENT.id, client_secret: OAUTH_CLIENT.secret },
  });
  const { token_expires_at, token_lease, token_lease_until } = await stored();
  const life = (token_expires_at?.getTime() ?? 0) - (rows[0]?.at.getTime() ?? 0);
  expect(life).toBeGreaterThanOrEqual(3_600_000);
  expect(life).toBeLessThan(3_601_000);
  expect([token_lease, token_lease_until]).toStrictEqual([null, null]);
});

test("this machine's clock may be wrong by an hour: the database's counts", async () => {
  const { accessToken } = (await tokens()) as { accessToken: string };
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  expect(await logIn()).toMatchObject({ accessToken });
  vi.mocked(Date.now).mockReturnValue(Date.now() - 7_200_000);
  await database.pool.query(`UPDATE mailbox SET token_expires_at = now() - interval '1 s'`);
  vi.mocked(Date.now).mockRestore();
  expect(await logIn()).not.toMatchObject({ accessToken });
});

test('of many at once one asks; while the former token is valid, the others use it', async () => {
  const { accessToken } = (await tokens()) as { accessToken: string };
  await leave(100);
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  provider.instead = async () => {
    asked.resolve();
    await answer.promise;
    return false;
  };
  const first = logIn();
  await asked.promise;
  const others = await Promise.all(Array.from({ length: 7 }, () => logIn()));
  expect(others).toStrictEqual(others.map(() => ({ user: 'aya@haru.example', accessToken })));
  answer.resolve();
  expect(await first).not.toMatchObject({ accessToken });
  expect(provider.asked).toHaveLength(1);
});

test('of many at once one asks; without a valid token, the others wait for the new one', async () => {
  await leave(-1);
  const all = Array.from({ length: 8 }, () => logIn());
  const used = new Set((await Promise.all(all)).map((one) => (one as { accessToken: string }).accessToken));
  expect(used.size).toBe(1);
  expect(provider.accepts([...used][0] ?? '')).toBe(true);
  expect(provider.asked).toHaveLength(1);
});

test('two processes at once never lose a mailbox at a provider that ends each refresh token with its use', async () => {
  provider.rotates = 'once';
  const used = new Set<string>();
  for (let round = 1; round <= 10; round += 1) {
    await leave(-1);
    const all = await Promise.all(Array.from({ length: 6 }, () => logIn()));
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
    used.add((all[0] as { accessToken: string }).accessToken);
    expect([used.size, provider.asked.length]).toStrictEqual([round, round]);
  }
  expect(await stored()).toMatchObject({ state: 'ok' });
});

test('a dead process holds the lease for 30 seconds; who has waited 15 lets its mails wait', async () => {
  await leave(-1);
  await set({ token_lease: randomUUID(), token_lease_until: new Date(Date.now() + 29_000) });
  const began = Date.now();
  expect(await logIn()).toBe('wait');
  expect(Date.now() - began).toBeGreaterThan(14_000);
  expect(provider.asked).toHaveLength(0);
  await set({ token_lease_until: new Date(Date.now() - 1) });
  expect(await logIn()).toHaveProperty('accessToken');
}, 40_000);

test('a lease that another process has taken since the look began is waited for', async () => {
  await leave(-1);
  // The look's transaction began earlier: for it the lease lasts longer than a whole one.
  await set({ token_lease: randomUUID(), token_lease_until: new Date(Date.now() + 31_000) });
  const waiting = logIn();
  await sleep(500);
  await set({ token_lease: null, token_lease_until: null });
  expect(await waiting).toHaveProperty('accessToken');
});

test('a new refresh token replaces the former one, also when the lease has ended meanwhile', async () => {
  provider.rotates = true;
  const before = (await tokens()) as { refreshToken: string };
  await leave(-1);
  await logIn();
  const after = (await tokens()) as { refreshToken: string };
  expect(after.refreshToken).not.toBe(before.refreshToken);

  await leave(-1);
  provider.instead = async () => {
    await set({ token_lease: randomUUID() });
    return false;
  };
  expect(await logIn()).toHaveProperty('accessToken');
  expect(((await tokens()) as { refreshToken: string }).refreshToken).not.toBe(after.refreshToken);
});

test('tokens of a version that has changed meanwhile are not stored', async () => {
  provider.rotates = true;
  await leave(-1);
  const before = await tokens();
  provider.instead = async () => {
    await set({ version: 2 });
    return false;
  };
  expect(await logIn()).toBe('wait');
  expect(await tokens()).toStrictEqual(before);
  await set({ secret: null, secret_key: null });
  expect(await logIn()).toBe('lost');
});

describe('an answer that is none', () => {
  test.each([
    ['HTML', 200, '<html>sign in</html>'],
    ['no token', 200, '{}'],
    ['no JSON object', 200, '"token"'],
    ['broken JSON', 200, '{"access_token":'],
    ['a token of the wrong kind', 200, '{"access_token":1}'],
    ['a failure of the provider', 503, '{"error":"temporarily_unavailable"}'],
  ])('%s is asked three times, and changes nothing', async (_, status, body) => {
    await leave(-1);
    const before = await stored();
    answerWith(status, body);
    expect(await logIn()).toBe('wait');
    expect(provider.asked).toHaveLength(3);
    expect(await stored()).toMatchObject({ state: 'ok', secret: before.secret, version: before.version });
    // The lease stays: the next tries come after it.
    expect((await stored()).token_lease).not.toBeNull();
  });

  test('leaves the former token in use while it is valid', async () => {
    const { accessToken } = (await tokens()) as { accessToken: string };
    await leave(60);
    answerWith(200, '<html>');
    expect(await logIn()).toMatchObject({ accessToken });
    expect(await logIn()).toMatchObject({ accessToken });
    expect(provider.asked).toHaveLength(3);
  });

  test('without a life, the token counts for five minutes', async () => {
    await leave(-1);
    answerWith(200, '{"access_token":"short","expires_in":"soon"}');
    expect(await logIn()).toMatchObject({ accessToken: 'short' });
    const left = ((await stored()).token_expires_at?.getTime() ?? 0) - Date.now();
    expect(left).toBeLessThanOrEqual(300_000);
    expect(left).toBeGreaterThan(280_000);
  });
});

test.each(['invalid_grant', 'interaction_required', 'consent_required'])(
  '%s loses the mailbox, at once',
  async (error) => {
    await leave(-1);
    refuse(error, 'AADSTS50173: The grant of suzuki has expired, refresh-token-text');
    expect(await logIn()).toBe('lost');
    expect(provider.asked).toHaveLength(1);
    expect((await stored()).state).toBe('reconnect');
    const [event] = await database.db
      .selectFrom('audit_event')
      .select('detail')
      .where('kind', '=', 'mailbox_lost')
      .execute();
    expect(event?.detail).toMatchObject({ mailbox_id: id, reply: `${error} AADSTS50173` });
  },
);

test('a revoked consent loses the mailbox, but not one that was consented anew meanwhile', async () => {
  await leave(-1);
  provider.instead = async () => {
    provider.revoke();
    provider.instead = () => false;
    await set({ version: 2 });
    return false;
  };
  expect(await logIn()).toBe('wait');
  expect((await stored()).state).toBe('ok');
  await set({ token_lease_until: null });
  expect(await logIn()).toBe('lost');
  expect((await stored()).state).toBe('reconnect');
});

test('a refused registration keeps the mailbox, says why once, and rests the questions', async () => {
  await leave(-1);
  answerWith(401, '{"error":"invalid_client","error_description":"AADSTS7000222: The secret keys have expired."}');
  expect(await logIn()).toBe('wait');
  const began = Date.now();
  expect(await logIn()).toBe('wait');
  expect(Date.now() - began).toBeLessThan(10_000);
  expect(((await stored()).token_lease_until?.getTime() ?? 0) - began).toBeGreaterThan(500_000);
  expect(provider.asked).toHaveLength(1);
  const fault = async () => (await database.db.selectFrom('oauth_app').select('fault').executeTakeFirst())?.fault;
  expect([await fault(), (await stored()).state]).toStrictEqual(['invalid_client AADSTS7000222', 'ok']);
  provider.instead = () => false;
  await set({ token_lease_until: null });
  expect(await logIn()).toHaveProperty('accessToken');
  expect(await fault()).toBeNull();
});

test('without the registration nothing is asked; without the key nothing is opened', async () => {
  await leave(-1);
  expect(await logIn(secretsWith({ current: keyOf(9), old: null }))).toBe('unknown_key');
  await database.db.deleteFrom('oauth_app').execute();
  expect(await logIn()).toBe('lost');
  expect((await stored()).state).toBe('reconnect');
  expect(provider.asked).toHaveLength(0);
});

test('a frozen account asks for no token: its new home does', async () => {
  await leave(-1);
  await database.db.updateTable('account').set({ frozen_at: new Date() }).execute();
  expect(await logIn()).toBe('wait');
  expect(provider.asked).toHaveLength(0);
});
