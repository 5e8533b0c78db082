import { beforeAll, beforeEach, expect, test } from 'vitest';
import { SESSION_IDLE_MS } from '#domain/limits.ts';
import { addAccount, addMember } from '#test/accounts.ts';
import { type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import { hashPassword } from './password.ts';
import { hashOf } from './secret.ts';
import { openSession } from './session.ts';

const PASSWORD = '正しい馬 電池 ホチキス';
const EMAIL = 'hanako@example.jp';
const NEW_EMAIL = 'hanako-new@example.jp';
const DEVICE = 'd'.repeat(43);
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0';

let database: TestDatabase;
let address: string;
let passwordHash: string;
let member: MemberKey;
let now: number;

beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  now = Date.UTC(2026, 10, 29, 3);
  address = await serve(database, () => now);
  member = await addAccount(database.db, { email: EMAIL, passwordHash });
});

const logIn = async (of = member, browser?: Parameters<typeof openSession>[3]): Promise<Client> =>
  clientAt(address, `Bearer ${await openSession(database.login, of, now, browser)}`);
const list = async (client: Client) => (await client.get('/session/list')).body as { id: string; is_current: 0 | 1 }[];
const isOpen = async (client: Client) => (await client.get(`/account/${member.accountId}`)).status === 200;
const audit = () =>
  database.db.selectFrom('audit_event').select(['member_id', 'kind', 'detail']).orderBy('id').execute();
const end = (client: Client, id: string) => client.put(`/session/${id}`, { update_info: { active: 0 } });

test('the list has the own valid sessions with their browsers, the current one first', async () => {
  const response = await fetch(`${address}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': `${AGENT} ${'x'.repeat(500)}` },
    body: JSON.stringify({ email: EMAIL, password: PASSWORD }),
  });
  const { token } = (await response.json()) as { token: string };
  now += 60_000;
  const unknown = await logIn(member, { ip: 'unknown' });
  now += 60_000;
  await logIn(member, { ip: '2001:DB8::1%eth0', agent: AGENT });
  const colleague = await addMember(database.db, member.accountId);
  await logIn({ ...member, memberId: colleague });
  const day = '2026/11/29';
  expect(await list(clientAt(address, `Bearer ${token}`))).toStrictEqual([
    {
      id: expect.any(String),
      created_at: `${day} 12:00:00`,
      last_used_at: expect.stringContaining(day),
      address: '127.0.0.1',
      agent: `${AGENT} ${'x'.repeat(500)}`.slice(0, 300),
      is_current: 1,
    },
    ...[
      { address: '2001:db8::1', agent: AGENT },
      { address: null, agent: null },
    ].map((shown) => expect.objectContaining({ ...shown, is_current: 0 })),
  ]);
  now += SESSION_IDLE_MS + 1;
  expect(await list(await logIn())).toHaveLength(1);
  expect(await isOpen(unknown)).toBe(false);
});

test('one session ends at once, with the trust in its browser; then its id is unknown', async () => {
  const [mine, other] = [await logIn(), await logIn(member, { ip: '192.0.2.7', device: DEVICE })];
  await trust(DEVICE);
  const id = (await list(other)).find(({ is_current }) => is_current)?.id ?? '';
  expect(await end(mine, id)).toStrictEqual({ status: 200, body: { status: 'ended' } });
  expect([await isOpen(mine), await isOpen(other)]).toStrictEqual([true, false]);
  expect(await database.db.selectFrom('trusted_device').selectAll().execute()).toStrictEqual([]);
  expect(await end(mine, id)).toMatchObject({ status: 404 });
  expect(await audit()).toStrictEqual([{ member_id: member.memberId, kind: 'session_ended', detail: { sessions: 1 } }]);
});

const trust = (device: string) =>
  database.db
    .insertInto('trusted_device')
    .values({
      account_id: member.accountId,
      member_id: member.memberId,
      hash: hashOf(device),
      expires_at: new Date(now + 1000),
    })
    .execute();

test("a colleague's session and another account's are not found, and stay", async () => {
  const mine = await logIn();
  const colleague = await logIn({ ...member, memberId: await addMember(database.db, member.accountId) });
  const stranger = await logIn(await addAccount(database.db));
  for (const other of [colleague, stranger]) {
    const [session] = await list(other);
    expect(await end(mine, session?.id ?? '')).toMatchObject({ status: 404 });
    expect(await list(other)).toHaveLength(1);
  }
  for (const id of ['1', 'x', `${crypto.randomUUID()}x`]) expect(await end(mine, id)).toMatchObject({ status: 400 });
  expect(await mine.put(`/session/${crypto.randomUUID()}`, { update_info: { active: 1 } })).toMatchObject({
    status: 400,
  });
});

test('all others end: their sessions, their trusted browsers, an unused reset link; the own browser stays trusted', async () => {
  const mine = await logIn(member, { ip: '192.0.2.7', device: DEVICE });
  const others = [await logIn(), await logIn()];
  await trust(DEVICE);
  await trust('e'.repeat(43));
  const colleague = { ...member, memberId: await addMember(database.db, member.accountId) };
  const theirs = await logIn(colleague);
  expect(await mine.post('/session/end_others', {})).toStrictEqual({
    status: 200,
    body: { status: 'ended', sessions_ended: 2 },
  });
  expect(await Promise.all([mine, ...others].map(isOpen))).toStrictEqual([true, false, false]);
  expect(await list(theirs)).toHaveLength(1);
  const left = await database.db.selectFrom('trusted_device').select('hash').execute();
  expect(left).toStrictEqual([{ hash: hashOf(DEVICE) }]);
  expect(await mine.post('/session/end_others', {})).toMatchObject({ body: { sessions_ended: 0 } });
  expect((await audit()).map(({ detail }) => detail)).toStrictEqual([{ sessions: 2 }]);
});

const move = (client: Client, more: object = {}) =>
  client.put(`/account/${member.accountId}`, { update_info: { email_before_confirmation: NEW_EMAIL }, ...more });
const pending = async () =>
  (await database.db.selectFrom('member').select('email_before_confirmation').executeTakeFirstOrThrow())
    .email_before_confirmation;

test('a new own address needs a log-in of the last 15 minutes or the password: a stolen session cannot move it', async () => {
  const client = await logIn();
  now += 15 * 60_000;
  expect(await move(client)).toMatchObject({
    status: 400,
    body: { code: 'password_needed', message: 'もう一度ログインしてから、変更してください。' },
  });
  expect(await move(client, { current_password: 'wrong password' })).toMatchObject({
    status: 400,
    body: { code: 'wrong_password' },
  });
  expect(await pending()).toBeNull();
  // The session goes on, and the name needs no proof.
  const renamed = await client.put(`/account/${member.accountId}`, { update_info: { name: '佐藤 花子' } });
  expect(renamed).toMatchObject({ status: 200 });
  expect(await move(client, { current_password: PASSWORD })).toMatchObject({ status: 200 });
  expect(await pending()).toBe(NEW_EMAIL);
  await database.db.updateTable('member').set({ email_before_confirmation: null }).execute();
  now += 1000;
  const fresh = await logIn();
  now += 15 * 60_000 - 1;
  expect(await move(fresh)).toMatchObject({ status: 200 });
  expect(await pending()).toBe(NEW_EMAIL);
});

test('guesses by a stolen session at the password are slowed like those of a log-in', async () => {
  const client = await logIn();
  const answers = [];
  for (let n = 0; n < 7; n += 1) answers.push((await move(client, { current_password: `wrong ${n}` })).status);
  expect(answers).toStrictEqual([400, 400, 400, 400, 400, 429, 429]);
});
