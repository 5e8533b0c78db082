import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ERRORS } from '#contract/errors.ts';
import { addAccount } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { noAccountHosts, PUBLIC_URL } from '#test/mailing.ts';
import { testSecrets } from '#test/secrets.ts';
import { discardMail } from '#test/system-mail.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { logIn } from './log-in.command.ts';
import { hashPassword } from './password.ts';

const EMAIL = 'kimiko@example.com';
const PASSWORD = '正しい馬 電池 ホチキス';

let database: TestDatabase;
let member: MemberKey;
let passwordHash: string;
let now: number;
const info = vi.fn();

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  member = await addAccount(database.db, { email: EMAIL, passwordHash });
  now = Date.UTC(2026, 10, 28);
});

afterEach(() => void info.mockReset());

/** @returns the status */
async function tryLogin(password: string, { email = EMAIL, ip = '203.0.113.7' } = {}): Promise<number> {
  const accountHosts = noAccountHosts(PUBLIC_URL);
  const parts = { mailer: discardMail, secrets: testSecrets };
  const services = { login: database.login, now: () => now, accountHosts, log: { info }, ...parts };
  const answer = await logIn(services, { email, ip, password, host: '' });
  return answer instanceof Problem ? ERRORS[answer.code][0] : 200;
}

const events = () =>
  database.db
    .selectFrom('audit_event')
    .select(['account_id as accountId', 'member_id as memberId', 'kind', 'detail'])
    .orderBy('id')
    .execute();

const refused = (refusals: number, network = '203.0.113.0/24', reason = 'password') => ({
  ...member,
  kind: 'log_in_refused',
  detail: { network, reason, refusals },
});

test('a log-in is audited with the member and the network, not the IP address', async () => {
  expect(await tryLogin(PASSWORD)).toBe(200);
  expect(await tryLogin(PASSWORD, { email: 'KIMIKO@example.com', ip: '2001:db8:1:2::3' })).toBe(200);
  const row = (network: string) => ({ ...member, kind: 'logged_in', detail: { network, way: 'password' } });
  expect(await events()).toStrictEqual([row('203.0.113.0/24'), row('2001:db8:1::/48')]);
});

test('log-ins of an hour from one network are written down once, those of an hour from all networks 20 times', async () => {
  const networks = async () => (await events()).map(({ detail }) => (detail as { network: string }).network);
  for (let n = 0; n < 3; n += 1) expect(await tryLogin(PASSWORD)).toBe(200);
  expect(await networks()).toStrictEqual(['203.0.113.0/24']);
  for (let n = 0; n < 25; n += 1) expect(await tryLogin(PASSWORD, { ip: `198.51.${n}.1` })).toBe(200);
  expect(await networks()).toHaveLength(20);
  expect((await networks()).at(-1)).toBe('198.51.18.0/24');
  const other = await addAccount(database.db, { email: 'other@example.com', passwordHash });
  await tryLogin(PASSWORD, { email: 'other@example.com' });
  expect((await events()).at(-1)).toMatchObject(other);
  now += 3_600_000;
  await tryLogin(PASSWORD);
  await tryLogin(PASSWORD);
  expect((await events()).slice(21)).toMatchObject([member]);
});

test('a session whose audit row cannot be written is not opened', async () => {
  await database.pool.query('REVOKE INSERT ON audit_event FROM kaitaku_login');
  try {
    await expect(tryLogin(PASSWORD)).rejects.toThrow(/permission denied/);
  } finally {
    await database.pool.query('GRANT INSERT (account_id, member_id, kind, detail) ON audit_event TO kaitaku_login');
  }
  expect(await database.db.selectFrom('session').select('account_id').execute()).toStrictEqual([]);
});

test('refusals are written down at the 1st, 10th and 100th of an hour, from everywhere, also where a try must wait', async () => {
  for (let n = 0; n < 120; n += 1) await tryLogin('wrong', { ip: `203.0.${113 + (n % 2)}.7` });
  expect(await events()).toStrictEqual([
    refused(1),
    refused(10, '203.0.114.0/24'),
    refused(100, '203.0.114.0/24', 'wait'),
  ]);
  // The right password that must wait is refused too.
  now += 3_600_000;
  for (let n = 0; n < 5; n += 1) await tryLogin('wrong');
  expect(await tryLogin(PASSWORD)).toBe(429);
  expect((await events()).slice(3)).toStrictEqual([refused(1)]);
  expect(info).not.toHaveBeenCalled();
});

test('concurrent refusals are each counted once', async () => {
  await Promise.all(Array.from({ length: 25 }, (_, n) => tryLogin('wrong', { ip: `198.51.${n}.1` })));
  const counts = (await events()).map(({ detail }) => (detail as { refusals: number }).refusals);
  expect(counts.toSorted((a, b) => a - b)).toStrictEqual([1, 10]);
});

test('refused log-ins of an unknown address are only logged, by a hash that is equal for equal addresses', async () => {
  for (let n = 0; n < 11; n += 1) await tryLogin('wrong', { email: 'Nobody@example.com' });
  await tryLogin('wrong', { email: 'nobody@example.net' });
  expect(await events()).toStrictEqual([]);
  const logged = info.mock.calls.map(([fields]) => fields as { address_hash: string; refusals: number });
  expect(logged.map(({ refusals }) => refusals)).toStrictEqual([1, 10, 1]);
  expect(new Set(logged.map((one) => one.address_hash)).size).toBe(2);
  expect(JSON.stringify(info.mock.calls)).not.toMatch(/nobody@|203\.0\.113\.7/i);
});

test('refused log-ins of a frozen account are logged, not audited', async () => {
  await database.pool.query('UPDATE account SET frozen_at = now() WHERE id = $1', [member.accountId]);
  expect(await tryLogin('wrong')).toBe(401);
  expect(await tryLogin(PASSWORD)).toBe(503);
  expect(await events()).toStrictEqual([]);
  expect(info).toHaveBeenCalledOnce();
});

test('refused log-ins of an inactive member are audited', async () => {
  await database.pool.query('UPDATE member SET active = false');
  expect(await tryLogin(PASSWORD)).toBe(401);
  expect(await events()).toStrictEqual([refused(1)]);
});
