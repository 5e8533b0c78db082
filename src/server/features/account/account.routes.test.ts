import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addAccount, openSessionOf } from '#test/accounts.ts';
import { type Client, clientAt, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';

let database: TestDatabase;
let api: string;
let email: string;
let accountId: number;
let client: Client;
let serial = 0;

beforeAll(async () => {
  database = await emptyDatabase();
  api = await serve(database);
});

beforeEach(async () => {
  serial += 1;
  email = `Hanako.Suzuki${serial}@example.jp`;
  accountId = await addPerson(email);
  client = clientAt(api, `Bearer ${await openSessionOf(database.login, accountId, Date.now())}`);
});

const addPerson = async (address: string) =>
  (await addAccount(database.db, { email: address, name: '鈴木 花子', company: '株式会社花' })).accountId;

const update = (update_info: unknown) => client.put(`/account/${accountId}`, { update_info });
const updated = () => ({ status: 200, body: { status: 'updated', id: accountId } });
const stored = async () => (await client.get(`/account/${accountId}`)).body;

test('§2.23 one field at a time: name, company, pending address', async () => {
  expect(await update({ name: '　佐藤 花子 ' })).toStrictEqual(updated());
  expect(await update({ company: '株式会社𠮷野 & 娘' })).toStrictEqual(updated());
  expect(await update({ email_before_confirmation: ' Sato＠Example.JP' })).toStrictEqual(updated());
  expect(await stored()).toMatchObject({
    id: accountId,
    email,
    name: '佐藤 花子',
    company: '株式会社𠮷野 & 娘',
    email_before_confirmation: 'Sato@example.jp',
  });
});

/** bad-inputs 43–46 and the confirmation's fields out of place. */
test.each<[unknown, string]>([
  [{}, 'update_info'],
  [undefined, 'update_info'],
  [null, 'update_info'],
  [[], 'update_info'],
  ['name', 'update_info'],
  [{ name: '佐藤', company: '株式会社佐藤' }, 'update_info'],
  [{ name: '佐藤', email_before_confirmation: 'a@example.jp' }, 'update_info'],
  [{ email: 'a@example.jp' }, 'update_info'],
  [{ hashed_confirmation_token: '' }, 'update_info'],
  [{ email: 'a@example.jp', hashed_confirmation_token: '' }, 'update_info'],
  [{ email: 'a@example.jp', email_before_confirmation: '' }, 'update_info'],
  [
    { email: 'a@example.jp', email_before_confirmation: '', hashed_confirmation_token: '', name: '佐藤' },
    'update_info',
  ],
  [
    { email: 'a@example.jp', email_before_confirmation: 'a@example.jp', hashed_confirmation_token: '' },
    'update_info.email_before_confirmation',
  ],
  [
    { email: 'a@example.jp', email_before_confirmation: '', hashed_confirmation_token: 'x' },
    'update_info.hashed_confirmation_token',
  ],
  [{ id: 1 }, 'update_info'],
  [{ name: '佐藤', id: 1 }, 'update_info'],
  [{ name: '佐藤', account_id: 1 }, 'update_info'],
  [{ password_hash: 'x' }, 'update_info'],
  [{ name: 1 }, 'update_info.name'],
  [{ name: null }, 'update_info.name'],
  [{ name: ['佐藤'] }, 'update_info.name'],
])('update_info %j is refused at %s', async (info, path) => {
  const before = await stored();
  expect(await update(info)).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_input',
      details: expect.arrayContaining([{ path, message: expect.stringMatching(/[ぁ-ん]/) }]),
    },
  });
  expect(await stored()).toStrictEqual(before);
});

test.each(['\u200B\u2060', '\u0301', '\u0301佐藤', '佐\uFEFF藤', '佐\u202E藤'])(
  'bad-inputs 211: %j is neither a name nor a company',
  async (written) => {
    for (const field of ['name', 'company']) {
      expect(await update({ [field]: written })).toMatchObject({
        status: 400,
        body: {
          code: 'invalid_input',
          details: [{ path: `update_info.${field}`, message: expect.stringMatching(/[ぁ-ん]/) }],
        },
      });
    }
  },
);

test('a field beside update_info is refused', async () => {
  const answer = await client.put(`/account/${accountId}`, { update_info: { name: '佐藤' }, name: '佐藤' });
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
});

/** bad-inputs 64 */
describe.each(['name', 'company'])('%s', (field) => {
  test.each([
    ['', '1〜100文字で入力してください'],
    [' 　\t', '1〜100文字で入力してください'],
    ['あ'.repeat(5000), '1〜100文字で入力してください'],
    ['\u200b\u2060', '1〜100文字で入力してください'],
    ['花子\u202E子花', '使えない文字（改行や、文字の向きを変える記号など）が含まれています'],
    ['花子\r\nBcc: evil@example.com', '使えない文字（改行や、文字の向きを変える記号など）が含まれています'],
  ])('bad-inputs 64: %j is refused at its field', async (value, message) => {
    expect(await update({ [field]: value })).toStrictEqual({
      status: 400,
      body: { code: 'invalid_input', message, details: [{ path: `update_info.${field}`, message }] },
    });
  });
});

/** bad-inputs 66, 58 */
describe('a pending address', () => {
  test.each([
    '',
    ' ',
    'x',
    'a@localhost',
    'a@x.jp,b@x.jp',
    'a@x.jp; b@x.jp',
    '花子 <a@x.jp>',
    'a@x.jp\r\nBcc: b@x.jp',
    'g:a@x.jp;',
    'a@[127.0.0.1]',
    `${'a'.repeat(321)}@x.jp`,
    '例え@x.jp',
  ])('bad-inputs 66: %j is none', async (address) => {
    expect(await update({ email_before_confirmation: address })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_input',
        message: expect.stringMatching(/[ぁ-ん]/),
        details: [{ path: 'update_info.email_before_confirmation' }],
      },
    });
    expect(await stored()).toMatchObject({ email_before_confirmation: null });
  });

  test('bad-inputs 66: is not the present one, however it is written', async () => {
    for (const address of [email, email.toUpperCase(), ` ${email.toLowerCase().replace('@', '＠')}`]) {
      expect(await update({ email_before_confirmation: address })).toMatchObject({
        status: 400,
        body: { code: 'same_email', details: [{ path: 'update_info.email_before_confirmation' }] },
      });
    }
  });

  test.each(['info@example.jp', 'postmaster@example.jp', 'a+b@example.jp'])(
    'bad-inputs 66: may be a role: %s',
    async (address) => {
      expect(await update({ email_before_confirmation: address })).toStrictEqual(updated());
    },
  );

  test("bad-inputs 66: may be another account's, as far as the answer tells", async () => {
    await addPerson('taken@example.jp');
    expect(await update({ email_before_confirmation: 'Taken@example.jp' })).toStrictEqual(updated());
    expect(await update({ email_before_confirmation: 'free@example.jp' })).toStrictEqual(updated());
  });
});
