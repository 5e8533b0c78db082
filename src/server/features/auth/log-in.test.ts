import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '#domain/limits.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import { addAccount, openSessionOf } from '#test/accounts.ts';
import { clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { noAccountHosts, PUBLIC_URL } from '#test/mailing.ts';
import { testSecrets } from '#test/secrets.ts';
import { untilBlocked } from '#test/sending.ts';
import { discardMail } from '#test/system-mail.ts';
import { limitKey, takeHourly } from '../../platform/limits/rate-limit.ts';
import { HASH_COST } from './hash-cost.ts';
import { logIn } from './log-in.command.ts';
import { hashPassword } from './password.ts';
import { sweepDead } from './sweep.ts';

const EMAIL = 'kimiko@example.com';
const PASSWORD = '正しい馬 電池 ホチキス';
/** Of the same password, as an older version with 1 MiB would have stored it. */
const OLD_HASH = '$argon2id$v=19$m=1024,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$uAZ02b+zq0xlTGSaEPMqI/htVaWXmuLM6xQK/QjImt0';
const TODAYS = new RegExp(`^\\$argon2id\\$v=19\\$m=${HASH_COST.memory},t=1,p=1\\$`);
const NOW = Date.UTC(2026, 10, 21);

let database: TestDatabase;
let accountId: number;
let passwordHash: string;

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  ({ accountId } = await addAccount(database.db, { email: EMAIL, passwordHash }));
});

const tryLogin = (password = PASSWORD, email = EMAIL) =>
  logIn(
    {
      login: database.login,
      now: () => NOW,
      accountHosts: noAccountHosts(PUBLIC_URL),
      log: { info: () => {} },
      mailer: discardMail,
      secrets: testSecrets,
    },
    { email, ip: '127.0.0.1', password, host: '' },
  );

async function storedHash(): Promise<string> {
  const { rows } = await database.pool.query('SELECT password_hash FROM member WHERE account_id = $1', [accountId]);
  return rows[0].password_hash;
}

const store = (hash: string) =>
  database.pool.query('UPDATE member SET password_hash = $1 WHERE account_id = $2', [hash, accountId]);

const sessions = async () => (await database.pool.query('SELECT FROM session')).rowCount;

test('a hash with older parameters is renewed at a log-in, not at a failure', async () => {
  await store(OLD_HASH);
  expect(await tryLogin('wrong')).toMatchObject({ code: 'wrong_credentials' });
  expect(await storedHash()).toBe(OLD_HASH);
  expect(await tryLogin()).toMatchObject({ account_id: accountId });
  const renewed = await storedHash();
  expect(renewed).toMatch(TODAYS);
  expect(await tryLogin()).toMatchObject({ account_id: accountId });
  expect(await storedHash()).toBe(renewed);
});

test('concurrent log-ins all succeed, though each would renew the hash', async () => {
  await store(OLD_HASH);
  const logins = await Promise.all([1, 2, 3, 4].map(() => tryLogin()));
  expect(logins).toMatchObject(Array(4).fill({ account_id: accountId }));
  expect(await sessions()).toBe(4);
  expect(await storedHash()).toMatch(TODAYS);
});

test('a failed renewal of a hash is neither a log-in nor a wrong password', async () => {
  await store(OLD_HASH);
  await database.pool.query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON member FOR EACH ROW EXECUTE FUNCTION refuse()`);
  onTestFinished(async () => {
    await database.pool.query('DROP FUNCTION refuse CASCADE');
  });
  await expect(tryLogin()).rejects.toThrow('disk full');
  expect(await sessions()).toBe(0);
  expect(await storedHash()).toBe(OLD_HASH);
});

test.each([
  ['of today', () => storedHash()],
  ['of older parameters', () => OLD_HASH],
])('a password changed while its hash %s is verified opens no session and stays changed', async (_, hash) => {
  await store(await hash());
  const changed = OLD_HASH.replace('uAZ', 'vAZ');
  const other = await database.pool.connect();
  await other.query('BEGIN');
  await other.query('UPDATE member SET password_hash = $1 WHERE account_id = $2', [changed, accountId]);
  const login = tryLogin();
  await untilBlocked(database);
  await other.query('COMMIT');
  other.release();
  expect(await login).toMatchObject({ code: 'wrong_credentials' });
  expect(await sessions()).toBe(0);
  expect(await storedHash()).toBe(changed);
});

/** bad-inputs 61 */
test.each(['KIMIKO@EXAMPLE.COM', 'Kimiko@Example.com'])('bad-inputs 61: %s is the same address', async (email) => {
  expect(await tryLogin(PASSWORD, email)).toMatchObject({ account_id: accountId });
});

/** bad-inputs 58, 61 */
test.each([
  ['the Kelvin sign for a k', '\u212Aimiko@example.com'],
  ['a dotless i', 'k\u0131miko@example.com'],
  ['a dotted capital I', 'k\u0130miko@example.com'],
  ['full-width letters', 'ｋｉｍｉｋｏ@example.com'],
  ['a full-width @', 'kimiko＠example.com'],
  ['a zero-width space', 'kimiko\u200b@example.com'],
  ['a space behind', 'kimiko@example.com '],
  ['a quoted local part', '"kimiko"@example.com'],
  ['nothing', ''],
])('bad-inputs 61: %s is another address, nobody has it', async (_, email) => {
  expect(await tryLogin(PASSWORD, email)).toMatchObject({ code: 'wrong_credentials' });
});

test('log-out ends this session in every process, and no other', async () => {
  const servers = [await serve(database), await serve(database)];
  const [mine, other] = [
    await openSessionOf(database.login, accountId, Date.now()),
    await openSessionOf(database.login, accountId, Date.now()),
  ];
  const isAlive = (token: string) =>
    Promise.all(
      servers.map(async (server) => (await clientAt(server, `Bearer ${token}`).get(`/account/${accountId}`)).status),
    );
  expect(await isAlive(mine)).toStrictEqual([200, 200]);
  await clientAt(servers[0] ?? '', `Bearer ${mine}`).post('/auth/logout', {});
  expect(await isAlive(mine)).toStrictEqual([401, 401]);
  expect(await isAlive(other)).toStrictEqual([200, 200]);
});

test('the sweep takes dead sessions and forgotten counters, and nothing that lives', async () => {
  await openSessionOf(database.login, accountId, NOW - SESSION_IDLE_MS - 1);
  const used = await openSessionOf(database.login, accountId, NOW - SESSION_IDLE_MS + 1000);
  await database.pool.query('UPDATE session SET created_at = $1 WHERE last_used_at > $2', [
    new Date(NOW - SESSION_ABSOLUTE_MS + 1000),
    new Date(NOW - SESSION_IDLE_MS),
  ]);
  const limit = { limit: 1 };
  await takeHourly(database.login, { ...limit, key: limitKey('old') }, NOW - 2 * HOUR_MS - 1);
  await takeHourly(database.login, { ...limit, key: limitKey('young') }, NOW - 2 * HOUR_MS + 1000);
  await sweepDead(database.login, NOW);
  expect(await sessions()).toBe(1);
  const server = await serve(database, () => NOW);
  expect((await clientAt(server, `Bearer ${used}`).get(`/account/${accountId}`)).status).toBe(200);
  const counters = await database.db.selectFrom('rate_limit').select('key').execute();
  expect(counters).toStrictEqual([{ key: limitKey('young') }]);
  await sweepDead(database.login, NOW + 2000);
  expect(await sessions()).toBe(0);
});
