import PostalMime from 'postal-mime';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addAccount, openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { eventually, testSink } from '#test/sending.ts';
import { testMailer } from '#test/system-mail.ts';
import { hashPassword } from './password.ts';

const PASSWORD = '正しい馬 電池 ホチキス';
const NEXT = '  次の馬は😀全角ＡＢＣ ';

let database: TestDatabase;
let servers: [string, string];
let passwordHash: string;
let accountId: number;
let email: string;
let mine: Client;
let serial = 0;

beforeAll(async () => {
  database = await emptyDatabase();
  servers = [await serve(database), await serve(database)];
  passwordHash = await hashPassword(PASSWORD);
});

beforeEach(async () => {
  serial += 1;
  email = `hanako${serial}@example.jp`;
  const person = { email, name: '鈴木 花子', company: '株式会社ひまわり商店', passwordHash };
  ({ accountId } = await addAccount(database.db, person));
  mine = await anotherLogin();
});

const anotherLogin = async (server = servers[0]) =>
  clientAt(server, `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`);

const change = (given: object, client = mine) =>
  client.put(`/auth/password/${accountId}`, { current_password: PASSWORD, new_password: NEXT, ...given });
const isAlive = async (client: Client) => (await client.get(`/account/${accountId}`)).status === 200;
/** Returns whether the stored hash is still the first one. A login would cost another hash. */
const isUnchanged = async () => {
  const stored = await database.db
    .selectFrom('member')
    .select('password_hash')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return stored?.password_hash === passwordHash;
};
const canLogIn = async (password: string) =>
  (await clientAt(servers[1], '').post('/auth/login', { email, password })).status === 200;

test('§2.24 bad-inputs 60: the new password opens the account as it was typed, the old one does not any more', async () => {
  expect(await change({ new_password_confirmation: NEXT })).toStrictEqual({ status: 200, body: { status: 'updated' } });
  expect(await canLogIn(NEXT)).toBe(true);
  expect(await canLogIn(NEXT.trim())).toBe(false);
  expect(await canLogIn(NEXT.normalize('NFKC'))).toBe(false);
  expect(await canLogIn(PASSWORD)).toBe(false);
});

test("a password change ends every other session in every process, not the caller's", async () => {
  const others = await Promise.all([anotherLogin(), anotherLogin(servers[1])]);
  for (const other of others) expect(await isAlive(other)).toBe(true);
  expect((await change({})).status).toBe(200);
  for (const other of others) expect(await isAlive(other)).toBe(false);
  expect(await isAlive(mine)).toBe(true);
  const events = await database.db
    .selectFrom('audit_event')
    .select('kind')
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
  expect(events).toStrictEqual([{ kind: 'password_changed' }]);
});

test('a password change ends no session of another account', async () => {
  const { accountId: other } = await addAccount(database.db);
  const client = clientAt(servers[0], `Bearer ${await openSessionOf(database.login, other, Date.now())}`);
  expect((await change({})).status).toBe(200);
  expect((await client.get(`/account/${other}`)).status).toBe(200);
});

test("a password change is mailed to the member's address", async () => {
  const sink = await testSink();
  const server = await serve({ ...database, mailer: testMailer(sink) });
  expect((await change({}, await anotherLogin(server))).status).toBe(200);
  const [mail] = await eventually(
    () => sink.mails,
    (mails) => mails.length > 0,
  );
  expect(mail?.to).toStrictEqual([email]);
  const read = await PostalMime.parse(mail?.source ?? '');
  expect(read.subject).toBe('【Kaitaku】パスワードが変更されました');
  for (const part of [read.text, read.html]) expect(part).toContain('お心当たりがない場合は');
});

describe('refused at its field', () => {
  const field = (path: string, code: string, message: string | RegExp) => ({
    status: 400,
    body: {
      code,
      message: expect.stringMatching(message),
      details: [{ path, message: expect.stringMatching(message) }],
    },
  });

  test.each<[string, object, ReturnType<typeof field>]>([
    [
      'a wrong current password',
      { current_password: 'wrong' },
      field('current_password', 'wrong_password', /^現在のパスワードが違います$/),
    ],
    [
      'the current one again',
      { new_password: PASSWORD },
      field('new_password', 'invalid_input', /^現在のパスワードと新規パスワードは違うものにしてください$/),
    ],
    [
      'another confirmation',
      { new_password_confirmation: NEXT.trim() },
      field('new_password_confirmation', 'invalid_input', /^新規パスワードと確認用のパスワードが違います$/),
    ],
    ['eleven characters', { new_password: 'x9Q!7mK#2vL' }, field('new_password', 'invalid_input', /12〜128文字/)],
    ['129 characters', { new_password: `${'x9Q!7mK#'.repeat(16)}2` }, field('new_password', 'invalid_input', /128/)],
    [
      'one that everybody guesses',
      { new_password: 'Password1234' },
      field('new_password', 'invalid_password', /推測されやすい/),
    ],
    [
      'the own names',
      { new_password: '株式会社ひまわり商店・鈴木 花子' },
      field('new_password', 'invalid_password', /推測されやすい/),
    ],
  ])('%s', async (_, given, answer) => {
    const other = await anotherLogin();
    expect(await change(given)).toMatchObject(answer);
    expect(await isAlive(other)).toBe(true);
    expect(await isUnchanged()).toBe(true);
  });
});

test.each([
  {},
  { current_password: PASSWORD },
  { current_password: PASSWORD, new_password: NEXT, password_hash: 'x' },
  { current_password: PASSWORD, new_password: [NEXT] },
])('the body %o is no request', async (body) => {
  expect(await mine.put(`/auth/password/${accountId}`, body)).toMatchObject({
    status: 400,
    body: { code: 'invalid_input' },
  });
});

test('of two concurrent password changes one succeeds, and the other gets 409', async () => {
  const passwords = ['一つ目の新しいパスワード', '二つ目の新しいパスワード'];
  const other = await anotherLogin(servers[1]);
  const answers = await Promise.all([
    change({ new_password: passwords[0] }),
    change({ new_password: passwords[1] }, other),
  ]);
  const won = answers.findIndex(({ status }) => status === 200);
  // The loser finds the other password in place, or its session ended.
  expect([400, 401, 409]).toContain(answers[1 - won]?.status);
  expect(await canLogIn(passwords[won] ?? '')).toBe(true);
  expect(await canLogIn(passwords[1 - won] ?? '')).toBe(false);
});
