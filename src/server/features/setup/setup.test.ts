import { beforeEach, describe, expect, test } from 'vitest';
import { setupLine } from '#server/commands/run.ts';
import { createAccount } from '#server/features/account/account.command.ts';
import { type Answer, type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { issueSetupKey, mayPrintSetupLink } from './setup-key.ts';

const HOUR_MS = 60 * 60 * 1000;
const PASSWORD = '朝の電車と青い傘と白い犬';
const FIRST = { company: '株式会社花', name: '山田 花子', email: 'hana@example.jp', new_password: PASSWORD };
const OPEN: Answer = { status: 200, body: { status: 'open' } };
const INVALID = { status: 400, body: { code: 'invalid_key' } };
const DONE: Answer = {
  status: 404,
  body: { code: 'not_found', message: '最初のアカウントは、もう作られています。ログインしてください。' },
};

let database: TestDatabase;
let visitor: Client;
let now: number;

beforeEach(async () => {
  database = await emptyDatabase();
  await database.db.updateTable('installation').set({ setup_key_hash: null, setup_expires_at: null }).execute();
  now = Date.UTC(2026, 10, 24, 3);
  visitor = clientAt(await serve(database, () => now), '');
});

const issue = async () => (await issueSetupKey(database.login, now)) ?? '';
const check = (key: string) => visitor.post('/setup/check', { key });
const setUp = (key: string, more: object = {}) => visitor.post('/setup', { key, ...FIRST, ...more });
const accounts = () => database.db.selectFrom('account').select('company').execute();

test('the printed link makes the first account, which logs in and can send at once', async () => {
  const line = await setupLine(database.login, 'https://kaitaku.example.jp', now);
  const key = /^最初のアカウントを作るリンク.*: https:\/\/kaitaku\.example\.jp\/setup\/([\w-]{43})$/.exec(
    line ?? '',
  )?.[1];
  expect(await check(key ?? '')).toStrictEqual(OPEN);
  const made = await setUp(key ?? '', { company: ' 株式会社花 ', new_password_confirmation: PASSWORD });
  expect(made).toMatchObject({
    status: 200,
    body: { status: 'created', account_id: expect.any(Number), email: FIRST.email },
  });
  const { account_id } = made.body as { account_id: number };
  const entered = await visitor.post('/auth/login', { email: FIRST.email, password: PASSWORD });
  expect(entered).toMatchObject({ status: 200, body: { account_id } });
  const senders = await database.db
    .selectFrom('sender_profile')
    .select(['account_id', 'email', 'person_in_charge'])
    .execute();
  expect(senders).toStrictEqual([{ account_id, email: FIRST.email, person_in_charge: FIRST.name }]);
  const template = await database.db.selectFrom('mail_template').select(['editor', 'text_follows']).executeTakeFirst();
  expect(template).toStrictEqual({ editor: 'rich', text_follows: true });
  const events = await database.db.selectFrom('audit_event').select(['account_id', 'kind', 'detail']).execute();
  const loggedIn = { account_id, kind: 'logged_in', detail: { network: '127.0.0.0/24', way: 'password' } };
  expect(events).toStrictEqual([{ account_id, kind: 'account_created', detail: { email: FIRST.email } }, loggedIn]);
  // The next account of the command line gets another id.
  const next = await createAccount(database.db, { ...FIRST, email: 'next@example.jp', password: PASSWORD });
  expect(next).toBeGreaterThan(account_id);
});

test('sends of the account that the link makes can be undone for 10 s, those of the command line’s cannot', async () => {
  const made = await setUp((await issue()) ?? '');
  await createAccount(database.db, { ...FIRST, email: 'next@example.jp', password: PASSWORD });
  const rules = await database.db.selectFrom('account_rule').select(['account_id', 'undo_seconds']).execute();
  expect(rules).toStrictEqual([{ account_id: (made.body as { account_id: number }).account_id, undo_seconds: 10 }]);
});

test('the first group of a new account is named as its company, made by the link or by the command line', async () => {
  await setUp((await issue()) ?? '', { company: ' 株式会社花 ' });
  await createAccount(database.db, { ...FIRST, company: '株式会社草', email: 'next@example.jp', password: PASSWORD });
  const groups = await database.db.selectFrom('sender_group').select('group_name').orderBy('id').execute();
  expect(groups).toStrictEqual([{ group_name: '株式会社花' }, { group_name: '株式会社草' }]);
});

describe('once there is an account', () => {
  test('both calls answer 404 for every key, and a start prints no link', async () => {
    const key = await issue();
    await setUp(key);
    for (const one of [key, 'A'.repeat(43), '']) {
      expect(await check(one)).toStrictEqual(DONE);
      expect(await setUp(one)).toStrictEqual(DONE);
    }
    expect(await setupLine(database.login, 'http://127.0.0.1:3000', now)).toBeNull();
    expect(await setupLine(database.login, 'http://10.0.0.1', now)).toBeNull();
    expect(await accounts()).toHaveLength(1);
  });

  test('an account of the command line ends the link', async () => {
    await issue();
    await createAccount(database.service.db, { ...FIRST, password: PASSWORD });
    const stored = await database.db.selectFrom('installation').select('setup_key_hash').executeTakeFirstOrThrow();
    expect(stored.setup_key_hash).toBeNull();
  });
});

test('four concurrent set-ups create one account', async () => {
  const key = await issue();
  const answers = await Promise.all([1, 2, 3, 4].map((n) => setUp(key, { email: `hana${n}@example.jp` })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status !== 200)).toStrictEqual([DONE, DONE, DONE]);
  expect(await accounts()).toHaveLength(1);
});

describe('a key is refused', () => {
  test('that is an hour old', async () => {
    const key = await issue();
    now += HOUR_MS;
    expect(await check(key)).toMatchObject(INVALID);
    expect(await setUp(key)).toMatchObject(INVALID);
    now -= 1000;
    expect(await setUp(key)).toMatchObject({ status: 200 });
  });

  test('that a later start has replaced', async () => {
    const [first, second] = [await issue(), await issue()];
    expect(await setUp(first)).toMatchObject(INVALID);
    expect(await check(second)).toStrictEqual(OPEN);
  });

  test.each([
    ['nothing', ''],
    ['a forged one', 'A'.repeat(43)],
    ['10 KB', 'A'.repeat(10_240)],
    ['SQL', "' OR true --"],
  ])('bad-inputs 65: %s', async (_, key) => {
    await issue();
    expect(await check(key)).toMatchObject(INVALID);
    expect(await setUp(key)).toMatchObject(INVALID);
    expect(await accounts()).toStrictEqual([]);
  });
});

test('the key is stored only as a hash', async () => {
  const key = await issue();
  const row = await database.db.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
  expect(key).toHaveLength(43);
  expect(row.setup_key_hash).toHaveLength(32);
  expect(JSON.stringify(row)).not.toContain(key);
});

test.each([
  [{ company: ' ' }, 'company'],
  [{ name: 'あ\nい' }, 'name'],
  [{ email: 'hana' }, 'email'],
  [{ new_password: 'short' }, 'new_password'],
  [{ new_password: '山田 花子hana@example.jp' }, 'new_password'],
  [{ new_password_confirmation: 'other password' }, 'new_password_confirmation'],
])('%j is refused at its field, and the key still works', async (more, path) => {
  const key = await issue();
  expect(await setUp(key, more)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  expect(await setUp(key)).toMatchObject({ status: 200 });
});

test.each([
  ['https://kaitaku.example.jp', true],
  ['http://127.0.0.1:3000', true],
  ['http://localhost:3000', true],
  ['http://[::1]:3000', true],
  ['http://kaitaku.example.jp', false],
  ['http://0.0.0.0:3000', false],
  ['http://127.0.0.1.example.jp', false],
])('a link to %s may be printed: %s', async (url, may) => {
  expect(mayPrintSetupLink(url)).toBe(may);
  const line = await setupLine(database.login, url, now);
  expect(line).toMatch(may ? /\/setup\/[\w-]{43}$/ : /account create/);
});
