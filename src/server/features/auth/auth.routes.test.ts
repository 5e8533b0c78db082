import { beforeAll, describe, expect, test, vi } from 'vitest';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import { serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { createAccount, setPassword } from '../account/account.command.ts';
import { HASH_COST } from './hash-cost.ts';
import { hashPassword, verifyPassword } from './password.ts';

const EMAIL = 'taro@example.com';
const PASSWORD = '正しい馬 電池 ホチキス😀 ';

let database: TestDatabase;
let api: string;
let now = Date.UTC(2026, 10, 21);
let accountId: number;

beforeAll(async () => {
  database = await emptyDatabase();
  accountId = (await createAccount(database.db, {
    email: EMAIL,
    name: '太郎',
    company: '会社',
    password: PASSWORD,
  })) as number;
  api = await serve(database, () => now);
});

async function call(path: string, { token, body }: { token?: string; body?: string | object } = {}) {
  const response = await fetch(api + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token !== undefined && { authorization: token }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text), text, headers: response.headers };
}

const logIn = async () =>
  (await call('/auth/login', { body: { email: EMAIL, password: PASSWORD } })).body.token as string;
const whoAmI = (token?: string) => call(`/account/${accountId}`, token === undefined ? {} : { token });

const ADMIN = { id: expect.any(Number), role: 'admin' };

describe('POST /auth/login', () => {
  test('answers a token and the account; the address is compared without case', async () => {
    const { status, body } = await call('/auth/login', { body: { email: 'Taro@Example.COM', password: PASSWORD } });
    expect(status).toBe(200);
    expect(body).toStrictEqual({ token: expect.stringMatching(/^[\w-]{43}$/), account_id: accountId, member: ADMIN });
  });

  test('a wrong password and an unknown address get the same answer', async () => {
    const wrong = await call('/auth/login', { body: { email: EMAIL, password: 'wrong' } });
    const unknown = await call('/auth/login', { body: { email: 'nobody@example.com', password: PASSWORD } });
    expect(wrong.status).toBe(401);
    expect(wrong.body.message).toBe('メールアドレスまたはパスワードが違います');
    expect([unknown.status, unknown.body]).toStrictEqual([wrong.status, wrong.body]);
    expect((await call('/auth/login', { body: { email: EMAIL, password: PASSWORD.trim() } })).status).toBe(401);
  });

  test.each([
    '',
    'null',
    '[]',
    '"x"',
    '{"email":',
    '{"email":"a@b.jp"}',
    '{"email":"a@b.jp","password":"x","admin":1}',
    '{"email":"a@b.jp","password":"x","__proto__":{"a":1}}',
    '{"email":["a@b.jp"],"password":"x"}',
    '{"email":"a\\u0000@b.jp","password":"x"}',
    '{"email":"a\\ud800@b.jp","password":"x"}',
    `{"email":"${'a'.repeat(321)}","password":"x"}`,
    `{"email":"a@b.jp","password":"${'x'.repeat(129)}"}`,
  ])('bad-inputs 58: refuses the body %s', async (body) => {
    const answer = await call('/auth/login', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/[ぁ-ん]/);
    expect(answer.text.length).toBeLessThan(1000);
    expect(answer.text).not.toMatch(/\bat .*\.ts/);
  });

  test('refuses a body that is too large', async () => {
    expect((await call('/auth/login', { body: JSON.stringify({ email: 'x'.repeat(2_000_000) }) })).status).toBe(413);
  });
});

describe('a token', () => {
  test('opens the own account, and no other', async () => {
    const token = `Bearer ${await logIn()}`;
    const { status, body, headers } = await whoAmI(token);
    expect([status, body]).toStrictEqual([
      200,
      {
        id: accountId,
        email: EMAIL,
        name: '太郎',
        company: '会社',
        email_before_confirmation: null,
        member: {
          ...ADMIN,
          sender_group_ids: null,
          may_export: 1,
          two_factor: 0,
          recovery_codes_left: 0,
          two_factor_required: 0,
        },
        version: expect.any(String),
      },
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect((await call(`/account/${accountId + 1}`, { token })).status).toBe(404);
  });

  test.each([undefined, '', 'Bearer', 'Bearer x', `Bearer ${'x'.repeat(43)}`, `Bearer ${'x'.repeat(8000)}`])(
    '%s is none',
    async (token) => expect((await whoAmI(token)).status).toBe(401),
  );

  test('in the query is none', async () => {
    expect((await call(`/account/${accountId}?token=${await logIn()}`)).status).toBe(401);
  });

  test('is dead after logout', async () => {
    const token = `bearer ${await logIn()}`;
    expect((await call('/auth/logout', { token, body: {} })).body).toStrictEqual({ status: 'logged-out' });
    expect((await whoAmI(token)).status).toBe(401);
  });

  test('is dead after a new password', async () => {
    const token = `Bearer ${await logIn()}`;
    expect(await setPassword(database.db, EMAIL, PASSWORD)).toBeNull();
    expect((await whoAmI(token)).status).toBe(401);
  });

  test('is kept only as a hash', async () => {
    const token = await logIn();
    const { rows } = await database.pool.query('SELECT * FROM session');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(rows.some((row) => Buffer.from(row.token_hash).toString().includes(token))).toBe(false);
  });

  test('dies when it is not used', async () => {
    const token = `Bearer ${await logIn()}`;
    now += SESSION_IDLE_MS - 1000;
    expect((await whoAmI(token)).status).toBe(200);
    now += SESSION_IDLE_MS - 1000;
    expect((await whoAmI(token)).status).toBe(200);
    now += SESSION_IDLE_MS + 1000;
    expect((await whoAmI(token)).status).toBe(401);
  });

  test('dies at last though it is used', async () => {
    const token = `Bearer ${await logIn()}`;
    for (let used = 0; used + SESSION_IDLE_MS / 2 <= SESSION_ABSOLUTE_MS; used += SESSION_IDLE_MS / 2) {
      now += SESSION_IDLE_MS / 2;
      expect((await whoAmI(token)).status).toBe(200);
    }
    now += 1000;
    expect((await whoAmI(token)).status).toBe(401);
  });
});

test("a hash costs OWASP's minimum outside of tests", async () => {
  const real = await vi.importActual<typeof import('./hash-cost.ts')>('./hash-cost.ts');
  expect(real.HASH_COST).toStrictEqual({ memory: 47_104, passes: 1, parallelism: 1 });
});

test('a password hash says how it was made, and two of one password differ', async () => {
  const [one, two] = await Promise.all([hashPassword(PASSWORD), hashPassword(PASSWORD)]);
  expect(one.split('$')[3]).toBe(`m=${HASH_COST.memory},t=1,p=1`);
  expect(one).not.toBe(two);
  expect(await verifyPassword(one, PASSWORD)).toBe(true);
  expect(await verifyPassword(one, `${PASSWORD}x`)).toBe(false);
});
