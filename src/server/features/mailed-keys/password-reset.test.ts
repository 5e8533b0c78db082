import PostalMime from 'postal-mime';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setEmail, setPassword } from '#server/features/account/account.command.ts';
import { addAccount, openSessionOf } from '#test/accounts.ts';
import { type Answer, type Client, clientAt, PUBLIC_URL, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { eventually, testSink } from '#test/sending.ts';
import type { SmtpSink } from '#test/smtp-sink.ts';
import { testMailer } from '#test/system-mail.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { hashPassword } from '../auth/password.ts';
import { sendResetLink } from './password-reset.command.ts';

const MINUTE_MS = 60_000;
const EMAIL = 'Taro@example.jp';
const OLD = '朝の電車と青い傘と白い犬';
const NEW = '夜の灯台と三匹の黒い子猫';
const ACCEPTED: Answer = { status: 200, body: { status: 'accepted' } };
const UPDATED: Answer = { status: 200, body: { status: 'updated' } };
const INVALID: Answer = {
  status: 400,
  body: { code: 'invalid_key', message: 'このリンクは使えません。もう一度、再設定のメールを送ってください。' },
};

let database: TestDatabase;
let accountId: number;
let sink: SmtpSink;
let visitor: Client;
let api: string;
let now: number;
let passwordHash: string;

beforeAll(async () => {
  passwordHash = await hashPassword(OLD);
});

beforeEach(async () => {
  database = await emptyDatabase();
  sink = await testSink();
  now = Date.UTC(2026, 10, 24, 3);
  const person = { email: EMAIL, name: '山田 太郎', company: '株式会社山田', passwordHash };
  ({ accountId } = await addAccount(database.db, person));
  api = (await serveApp({ ...database, mailer: testMailer(sink) }, () => now)).address;
  visitor = clientAt(api, '');
});

const mails = () => Promise.all(sink.mails.map(({ source }) => PostalMime.parse(source)));
const ask = (email = EMAIL) => visitor.post('/auth/password_reset', { email });
const reset = (key: string, new_password = NEW) =>
  visitor.post('/auth/password_reset/confirm', { key, new_password, new_password_confirmation: new_password });
const logIn = (password: string) => visitor.post('/auth/login', { email: EMAIL, password });

/** Sends a link as the call does after its answer, and waits for it. */
const sendLink = (email: string, mailer = testMailer(sink)) =>
  sendResetLink(
    {
      login: database.login,
      now: () => now,
      mailer,
      urlOf: () => PUBLIC_URL,
      accountDb: accountDbOf(database.api),
    },
    email,
  );

/** Returns the key in the last mail. */
async function keyFor(email = EMAIL): Promise<string> {
  await sendLink(email);
  const mail = (await mails()).at(-1);
  return /^https:\/\/kaitaku\.example\.jp\/password-reset\/([\w-]{43})$/m.exec(mail?.text ?? '')?.[1] ?? '';
}

test('a mailed link sets a new password, ends every session and every wait, and a notice is mailed', async () => {
  const session = clientAt(api, `Bearer ${await openSessionOf(database.login, accountId, now)}`);
  expect(await ask('taro@EXAMPLE.jp')).toStrictEqual(ACCEPTED);
  const [link] = await eventually(mails, ({ length }) => length === 1);
  expect(link).toMatchObject({ subject: '【Kaitaku】パスワードの再設定', to: [{ address: EMAIL }] });
  const key = /password-reset\/([\w-]{43})$/m.exec(link?.text ?? '')?.[1] ?? '';
  // Until the form is sent the old password holds, but its guesses have to wait by now.
  for (let n = 0; n < 5; n += 1) await logIn('ちがうパスワードです！！');
  expect(await logIn(OLD)).toMatchObject({ status: 429 });
  expect(await session.get(`/account/${accountId}`)).toMatchObject({ status: 200 });

  expect(await reset(key)).toStrictEqual(UPDATED);
  expect(await session.get(`/account/${accountId}`)).toMatchObject({ status: 401 });
  expect(await logIn(NEW)).toMatchObject({ status: 200, body: { account_id: accountId } });
  expect(await logIn(OLD)).toMatchObject({ status: 401 });
  const [, notice] = await eventually(mails, ({ length }) => length === 2);
  expect(notice).toMatchObject({ subject: '【Kaitaku】パスワードが再設定されました', to: [{ address: EMAIL }] });
  expect(notice?.text).not.toMatch(/https?:/);
});

test('the request and the new password are audited', async () => {
  await reset(await keyFor());
  const member = await database.db.selectFrom('member').select('id').executeTakeFirstOrThrow();
  const rows = await database.db
    .selectFrom('audit_event')
    .select(['kind', 'member_id', 'detail'])
    .orderBy('id')
    .execute();
  expect(rows).toStrictEqual([
    { kind: 'password_reset_requested', member_id: null, detail: { member_id: member.id } },
    { kind: 'password_reset', member_id: member.id, detail: {} },
  ]);
});

test('the key is stored only as a hash', async () => {
  const key = await keyFor();
  const row = await database.db.selectFrom('password_reset').selectAll().executeTakeFirstOrThrow();
  expect(key).toHaveLength(43);
  expect(row.secret_hash).toHaveLength(32);
  expect(JSON.stringify(row)).not.toContain(key);
});

describe('an address', () => {
  test('that nobody has gets the same answer and no mail', async () => {
    expect(await ask('nobody@example.jp')).toStrictEqual(await ask());
    await eventually(mails, ({ length }) => length === 1);
    await sendLink('nobody@example.jp');
    expect(await mails()).toHaveLength(1);
  });

  test('of a member who is not active gets no mail, and a link that is there no longer works', async () => {
    const key = await keyFor();
    await database.db.updateTable('member').set({ active: false }).execute();
    await sendLink(EMAIL);
    expect(await mails()).toHaveLength(1);
    expect(await reset(key)).toStrictEqual(INVALID);
  });

  test('gets three mails an hour, whether a member has it or not; the owner is not locked out', async () => {
    for (const email of [EMAIL, 'nobody@example.jp']) {
      for (let n = 0; n < 3; n += 1) expect(await ask(email)).toStrictEqual(ACCEPTED);
      expect(await ask(email)).toMatchObject({ status: 429, body: { code: 'too_many_mails' } });
    }
    expect(await logIn(OLD)).toMatchObject({ status: 200 });
    now += 60 * MINUTE_MS;
    expect(await ask()).toStrictEqual(ACCEPTED);
  });

  test('is refused at its field where it is none', async () => {
    expect(await ask('taro')).toMatchObject({ status: 400, body: { details: [{ path: 'email' }] } });
  });
});

test('a network asks for 20 mails an hour, and cannot use up the mails of further addresses', async () => {
  for (let n = 0; n < 20; n += 1) expect(await ask(`nobody${n}@example.jp`)).toStrictEqual(ACCEPTED);
  for (let n = 0; n < 4; n += 1) expect(await ask()).toMatchObject({ status: 429, body: { code: 'too_many_mails' } });
  const counters = await database.db.selectFrom('rate_limit').select('points').where('points', '>', 1).execute();
  expect(counters).toStrictEqual([{ points: 20 }]);
});

describe('a link is refused', () => {
  test('that was used, also by ten at once', async () => {
    const key = await keyFor();
    const answers = await Promise.all(Array.from({ length: 10 }, () => reset(key)));
    expect(answers.filter(({ status }) => status === 200)).toStrictEqual([UPDATED]);
    expect(answers.filter(({ status }) => status !== 200)).toStrictEqual(Array.from({ length: 9 }, () => INVALID));
    expect(await reset(key)).toStrictEqual(INVALID);
  });

  test('that is 60 minutes old', async () => {
    const key = await keyFor();
    now += 60 * MINUTE_MS;
    expect(await reset(key)).toStrictEqual(INVALID);
    now -= 1000;
    expect(await reset(key)).toStrictEqual(UPDATED);
  });

  test('that a newer one has replaced', async () => {
    const [first, second] = [await keyFor(), await keyFor()];
    expect(await reset(first)).toStrictEqual(INVALID);
    expect(await reset(second)).toStrictEqual(UPDATED);
  });

  test('after another change of the password or the address', async () => {
    const first = await keyFor();
    await setPassword(database.service.db, EMAIL, '昼の噴水と七本の赤い風船');
    expect(await reset(first)).toStrictEqual(INVALID);
    const second = await keyFor();
    await setEmail(database.service.db, EMAIL, 'new@example.jp');
    expect(await reset(second)).toStrictEqual(INVALID);
  });

  test('whose mail no server took', async () => {
    await sink.close();
    await sendLink(EMAIL);
    expect(await database.db.selectFrom('password_reset').select('member_id').execute()).toStrictEqual([]);
  });

  test('whose account is frozen, before its password is judged; it works after the thaw', async () => {
    const key = await keyFor();
    const setFrozen = (frozen_at: Date | null) => database.db.updateTable('account').set({ frozen_at }).execute();
    await setFrozen(new Date(now));
    for (const password of [NEW, 'Taro@example.jp山田 太郎'])
      expect(await reset(key, password)).toMatchObject({ status: 503 });
    await setFrozen(null);
    expect(await reset(key)).toStrictEqual(UPDATED);
  });

  test.each([
    ['nothing', ''],
    ['a forged one', 'A'.repeat(43)],
    ['10 KB', 'A'.repeat(10_240)],
    ['a path', '../../account/1'],
    ['SQL', "' OR secret_hash IS NOT NULL --"],
  ])('bad-inputs 65: %s', async (_, key) => {
    await keyFor();
    expect(await reset(key)).toStrictEqual(INVALID);
    const stored = await database.db.selectFrom('member').select('password_hash').executeTakeFirst();
    expect(stored).toStrictEqual({ password_hash: passwordHash });
  });
});

test('a mail that fails late revokes only its own key, not that of a newer mail', async () => {
  let newer = '';
  await sendLink(EMAIL, async () => {
    newer = await keyFor();
    return { kind: 'transport', reply: 'no answer' };
  });
  expect(await reset(newer)).toStrictEqual(UPDATED);
});

test.each([
  ['short', 'パスワードは12〜128文字で入力してください'],
  ['Taro@example.jp山田 太郎', '推測されやすいパスワードです'],
])('the password %j is refused at its field, and the link still works', async (password, message) => {
  const key = await keyFor();
  expect(await reset(key, password)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'new_password', message: expect.stringContaining(message) }] },
  });
  expect(await reset(key)).toStrictEqual(UPDATED);
});

test('two different passwords are refused at the second, and a key in a URL is no call', async () => {
  const key = await keyFor();
  const body = { key, new_password: NEW, new_password_confirmation: OLD };
  expect(await visitor.post('/auth/password_reset/confirm', body)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'new_password_confirmation', message: '新規パスワードと確認用のパスワードが違います' }] },
  });
  expect(await visitor.get(`/auth/password_reset/confirm/${key}`)).toMatchObject({ status: 404 });
  expect(await reset(key)).toStrictEqual(UPDATED);
});
