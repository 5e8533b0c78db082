import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { ERRORS } from '#contract/errors.ts';
import { openSessionOf, updateMember } from '#test/accounts.ts';
import { clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { noAccountHosts, PUBLIC_URL } from '#test/mailing.ts';
import { addTenant } from '#test/prospects.ts';
import { testSecrets } from '#test/secrets.ts';
import { discardMail } from '#test/system-mail.ts';
import { Problem } from '../../platform/problem.ts';
import { logIn } from './log-in.command.ts';

// A worker keeps its modules for all files: what is replaced here is loaded again, before and after.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

/** Hashing is counted instead of done: the limits are about how often it is reached. */
const hashing = vi.hoisted(() => ({ count: 0, gate: Promise.resolve() }));
vi.mock(import('./password.ts'), () => ({
  hashPassword: async (password) => `hash of ${password}`,
  isOutdated: () => false,
  verifyPassword: async (phc, password) => {
    hashing.count += 1;
    await hashing.gate;
    return phc === `hash of ${password}`;
  },
}));

const EMAIL = 'owner@example.com';
const PASSWORD = '正しい馬 電池 ホチキス';
const GUESSER = '203.0.113.7';
const OWNER = '198.51.100.20';
const START = Date.UTC(2026, 10, 21);

let database: TestDatabase;
let now: number;
let accountId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  ({ accountId } = await addTenant(database.db));
  await updateMember(database.db, accountId, { email: EMAIL, passwordHash: `hash of ${PASSWORD}` });
  now = START;
  hashing.count = 0;
  hashing.gate = Promise.resolve();
});

const clock = () => now;
const info = vi.fn();

/** @returns the status, and the seconds to wait where it says so */
async function tryLogin(password: string, ip: string, email = EMAIL): Promise<[status: number, seconds?: number]> {
  const parts = { mailer: discardMail, secrets: testSecrets };
  const services = {
    login: database.login,
    now: clock,
    accountHosts: noAccountHosts(PUBLIC_URL),
    log: { info },
    ...parts,
  };
  const answer = await logIn(services, { email, ip, password, host: '' });
  if (!(answer instanceof Problem)) return [200];
  const [status] = ERRORS[answer.code];
  return answer.retryAfter === undefined ? [status] : [status, answer.retryAfter];
}

const guess = (ip = GUESSER, email?: string) => tryLogin('wrong', ip, email);

test('of 1,000 guesses in ten minutes from one address at most 25 are hashed, and the owner gets in 100 of 100 times', async () => {
  let ownerGotIn = 0;
  let ownerHashed = 0;
  for (let n = 0; n < 1000; n += 1) {
    now = START + n * 600;
    await guess();
    if (n % 10 === 9) {
      const before = hashing.count;
      if ((await tryLogin(PASSWORD, OWNER))[0] === 200) ownerGotIn += 1;
      ownerHashed += hashing.count - before;
    }
  }
  expect(ownerGotIn).toBe(100);
  const guessesHashed = hashing.count - ownerHashed;
  expect(guessesHashed).toBeLessThanOrEqual(25);
  expect(guessesHashed).toBeGreaterThan(10);
});

test('of 200 concurrent guesses over two processes five are hashed', async () => {
  const servers = [await serve(database, clock), await serve(database, clock)];
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const { status } = await clientAt(servers[n % 2] ?? '', '').post('/auth/login', {
        email: EMAIL,
        password: `guess ${n}`,
      });
      return status;
    }),
  );
  expect(hashing.count).toBe(5);
  expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429 || status === 503)).toHaveLength(195);
});

test('five tries are free, then the wait doubles up to a minute', async () => {
  const waits: number[] = [];
  for (let n = 0; n < 5; n += 1) expect(await guess()).toStrictEqual([401]);
  for (let n = 0; n < 8; n += 1) {
    const [status, seconds = 0] = await guess();
    expect(status).toBe(429);
    waits.push(seconds);
    now += seconds * 1000 - 1;
    expect(await guess()).toStrictEqual([429, 0.001]);
    now += 1;
    expect(await guess()).toStrictEqual([401]);
  }
  expect(waits).toStrictEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test('two free tries whose counts reach the database in the other order are both free', async () => {
  now = START + 1;
  expect(await guess()).toStrictEqual([401]);
  now = START;
  expect(await guess()).toStrictEqual([401]);
});

test('a success or an hour without an attempt resets the count', async () => {
  for (let n = 0; n < 5; n += 1) await guess();
  now += 1000;
  expect(await tryLogin(PASSWORD, GUESSER)).toStrictEqual([200]);
  for (let n = 0; n < 5; n += 1) expect(await guess()).toStrictEqual([401]);
  expect((await guess())[0]).toBe(429);
  now += 60 * 60 * 1000 + 1001;
  for (let n = 0; n < 5; n += 1) expect(await guess()).toStrictEqual([401]);
});

test('the right password is refused too while it has to wait: whoever guesses learns nothing', async () => {
  for (let n = 0; n < 5; n += 1) await guess();
  expect(await tryLogin(PASSWORD, GUESSER)).toStrictEqual([429, 1]);
  expect(hashing.count).toBe(5);
});

test('an unknown address gets exactly the same answers', async () => {
  const api = await serve(database, clock);
  const ask = async (email: string) => {
    const response = await fetch(`${api}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'wrong' }),
    });
    const headers = Object.fromEntries(response.headers);
    delete headers.date;
    return { status: response.status, headers, text: await response.text() };
  };
  for (let n = 0; n < 7; n += 1) {
    const known = await ask(EMAIL);
    const hashed = hashing.count;
    expect(await ask('nobody@example.com')).toStrictEqual(known);
    expect(hashing.count - hashed).toBe(known.status === 401 ? 1 : 0);
    expect([n, known.status]).toStrictEqual([n, n < 5 ? 401 : 429]);
    if (n < 5) continue;
    expect(known.headers['retry-after']).toBe('1');
    expect(JSON.parse(known.text)).toStrictEqual({
      code: 'too_many_guesses',
      message: expect.stringContaining('1秒後に、もう一度お試しください'),
    });
  }
});

test('after 100 attempts an hour from all addresses each waits 10 s, and the owner still gets in at once', async () => {
  for (let n = 0; n < 100; n += 1) expect(await guess(`192.0.${n}.1`)).toStrictEqual([401]);
  for (const ip of ['10.0.0.1', '10.0.1.1']) {
    expect(await guess(ip)).toStrictEqual([401]);
    expect(await guess(ip)).toStrictEqual([429, 10]);
    now += 10_000;
    expect(await guess(ip)).toStrictEqual([401]);
    expect(await guess(ip)).toStrictEqual([429, 10]);
  }
  expect(await tryLogin('mistyped', OWNER)).toStrictEqual([401]);
  expect(await tryLogin(PASSWORD, OWNER)).toStrictEqual([429, 10]);
  now += 10_000;
  expect(await tryLogin(PASSWORD, OWNER)).toStrictEqual([200]);
  expect(await tryLogin(PASSWORD, OWNER)).toStrictEqual([200]);
  now += 60 * 60 * 1000;
  expect(await guess('10.0.2.1')).toStrictEqual([401]);
  expect(await guess('10.0.2.1')).toStrictEqual([401]);
});

test.each([
  ['another IPv4 address of the same /24', '203.0.113.8'],
  ['another IPv6 address of the same /64', '2001:db8:0:1::8'],
])(
  'a guesser at one try a second does not keep %s out: the right password gets in 10 of 10 times',
  async (_, owner) => {
    const guesser = owner.replace(/8$/, '7');
    const answers: number[] = [];
    // More tries than the 500 an hour of a network, to which the refused ones do not count.
    for (let second = 0; second < 10 * 60; second += 1) {
      now = START + second * 1000;
      await guess(guesser);
      if (second % 60 === 59) answers.push((await tryLogin(PASSWORD, owner))[0]);
    }
    expect(answers).toStrictEqual(Array.from({ length: 10 }, () => 200));
  },
);

test.each([
  ['203.0.113.7', 'the same', true],
  ['::ffff:203.0.113.7', 'the same, written in IPv6', true],
  ['203.0.113.200', 'another of the /24', false],
  ['203.0.114.7', 'another /24', false],
])('after five failures at 203.0.113.7, %s (%s) has to wait: %s', async (ip, _, waits) => {
  for (let n = 0; n < 5; n += 1) await guess();
  expect((await guess(ip))[0]).toBe(waits ? 429 : 401);
});

test('an IPv6 address counts for itself in each of its forms; capitals are the same e-mail, another e-mail is another count', async () => {
  const forms = [
    '2001:db8:0:1::7',
    '2001:DB8:0:1:0:0:0:7',
    '2001:0db8::1:0:0:0:0007',
    '2001:db8:0:1:0::7',
    '2001:db8:0:1::07',
  ];
  for (const [n, ip] of forms.entries())
    expect(await guess(ip, n % 2 ? EMAIL : EMAIL.toUpperCase())).toStrictEqual([401]);
  expect((await guess('2001:db8:0:1::7'))[0]).toBe(429);
  expect((await guess('2001:db8:0:1::8'))[0]).toBe(401);
  expect((await guess('2001:db8:0:1::7', 'other@example.com'))[0]).toBe(401);
});

test('whoever takes a new IPv6 address for each try gets 500 an hour, then one every 10 s; other networks go on', async () => {
  const fresh = (n: number) => guess(`2001:db8:0:1::${n.toString(16)}`);
  for (let n = 0; n < 500; n += 50) {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => fresh(n + at)));
    expect(answers).toStrictEqual(answers.map(() => [401]));
  }
  expect(await fresh(500)).toStrictEqual([401]);
  expect(await fresh(501)).toStrictEqual([429, 10]);
  const hashed = hashing.count;
  now += 9999;
  expect(await fresh(502)).toStrictEqual([429, 0.001]);
  expect(hashing.count).toBe(hashed);
  now += 1;
  expect(await fresh(502)).toStrictEqual([401]);
  expect(await guess('2001:db8:0:2::1')).toStrictEqual([401]);
  expect(await tryLogin(PASSWORD, OWNER)).toStrictEqual([200]);
  now += 60 * 60 * 1000;
  for (let n = 0; n < 5; n += 1) expect(await fresh(600 + n)).toStrictEqual([401]);
});

test('a wrong current password counts like a failed log-in', async () => {
  const token = await openSessionOf(database.login, accountId, now);
  const client = clientAt(await serve(database, clock), `Bearer ${token}`);
  const change = (current_password: string) =>
    client.put(`/auth/password/${accountId}`, { current_password, new_password: '次の正しい馬 電池 ホチキス' });
  for (let n = 0; n < 3; n += 1) expect(await change('wrong')).toMatchObject({ status: 400 });
  for (let n = 0; n < 2; n += 1) expect(await guess('127.0.0.1')).toStrictEqual([401]);
  expect(await change(PASSWORD)).toMatchObject({ status: 429, body: { code: 'too_many_guesses' } });
  expect(hashing.count).toBe(5);
  now += 1000;
  expect(await change(PASSWORD)).toMatchObject({ status: 200 });
  expect(await guess('127.0.0.1')).toStrictEqual([401]);
});

test('while too many wait for a hash, the next gets 503 and is not counted', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  hashing.gate = promise;
  const waiting = Array.from({ length: 103 }, (_, n) => guess(OWNER, `someone${n}@example.com`));
  expect(await guess()).toStrictEqual([503, 5]);
  resolve();
  expect(await Promise.all(waiting)).toStrictEqual(waiting.map(() => [401]));
  for (let n = 0; n < 5; n += 1) expect(await guess()).toStrictEqual([401]);
});

test('the counters contain no address', async () => {
  await guess();
  const rows = await database.db.selectFrom('rate_limit').selectAll().execute();
  expect(rows).toHaveLength(3);
  expect(JSON.stringify(rows)).not.toMatch(/owner|example|203/);
});
