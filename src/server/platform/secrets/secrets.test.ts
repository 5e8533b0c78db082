import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { keyOf } from '#test/secrets.ts';
import { Problem } from '../problem.ts';
import { takeSettings } from '../settings.ts';
import { keyFileOf, presentKeys, readSecretKey } from './secret-key.ts';
import { openSecrets, type Sealed, type SealedRow, secretsWith } from './secrets.ts';

const ROW: SealedRow = { accountId: 1, row: 23, kind: 'totp' };
const [first, second] = [keyOf(1), keyOf(2)];
let database: TestDatabase;

beforeEach(async () => {
  database = await emptyDatabase();
});

const seal = async (keys: Parameters<typeof secretsWith>[0], row = ROW): Promise<Sealed> => {
  const sealed = await secretsWith(keys).seal(database.api, row, Buffer.from('秘密'));
  return sealed instanceof Problem ? expect.unreachable(sealed.code) : sealed;
};
const noted = async () =>
  (await database.db.selectFrom('installation').select('secret_key').executeTakeFirstOrThrow()).secret_key;

test('a value opens in its own row alone, and two seals of it differ', async () => {
  const keys = { current: first, old: null };
  const [one, other] = [await seal(keys), await seal(keys)];
  expect(one.secret.equals(other.secret)).toBe(false);
  const { open } = secretsWith(keys);
  expect(open(ROW, one)).toStrictEqual(Buffer.from('秘密'));
  // 1 | 23 and 12 | 3 are different rows.
  for (const row of [{ row: 24 }, { accountId: 2 }, { accountId: 12, row: 3 }, { kind: 'mailbox' as 'totp' }]) {
    expect(() => open({ ...ROW, ...row }, one)).toThrow(/unable to authenticate/i);
  }
});

test.each([0, 12, 28, -1])('a changed byte at %i, or a cut value, does not open', async (at) => {
  const keys = { current: first, old: null };
  const { secret, secret_key } = await seal(keys);
  const { open } = secretsWith(keys);
  const changed = Buffer.from(secret);
  const place = at < 0 ? changed.length - 1 : at;
  changed[place] = (changed[place] ?? 0) ^ 1;
  expect(() => open(ROW, { secret: changed, secret_key })).toThrow();
  expect(() => open(ROW, { secret: secret.subarray(0, place), secret_key })).toThrow();
});

test('under another key a value is refused; the old key opens it, and new seals have the new key', async () => {
  const sealed = await seal({ current: first, old: null });
  expect(secretsWith({ current: second, old: null }).open(ROW, sealed)).toMatchObject({ code: 'no_secret_key' });
  const rotating = { current: second, old: first };
  expect(secretsWith(rotating).open(ROW, sealed)).toStrictEqual(Buffer.from('秘密'));
  expect((await seal(rotating)).secret_key).toBe(second.id);
  // Known to no process, but the tag proves it: a key that only has the same id opens nothing.
  const forged = secretsWith({ current: { ...second, id: first.id }, old: null });
  expect(() => forged.open(ROW, sealed)).toThrow(/unable to authenticate/i);
});

test('the first seal notes its key; a process with another key cannot seal', async () => {
  expect(await noted()).toBeNull();
  const sealed = await Promise.all(
    [first, second].map((current) => secretsWith({ current, old: null }).seal(database.api, ROW, Buffer.from('x'))),
  );
  const refused = sealed.filter((one) => one instanceof Problem);
  expect(refused).toMatchObject([{ code: 'no_secret_key' }]);
  const written = sealed.find((one) => !(one instanceof Problem)) as Sealed;
  expect(await noted()).toBe(written.secret_key);
});

test('without a key nothing is sealed, and nothing is noted', async () => {
  const none = secretsWith({ current: null, old: null });
  expect(none.hasKey).toBe(false);
  expect(await none.seal(database.api, ROW, Buffer.from('x'))).toMatchObject({ code: 'no_secret_key' });
  expect(await noted()).toBeNull();
});

const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'kaitaku-secrets-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
};
const bundled = (dataDir: string) => takeSettings({ DATA_DIR: dataDir });
const text = (byte: number) => Buffer.alloc(32, byte).toString('base64');

test('the bundled database gets a key file at its first start, for its user alone', async () => {
  const settings = bundled(folder());
  const path = keyFileOf(settings.dataDir);
  const { current } = presentKeys(settings, null);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readSecretKey(readFileSync(path, 'utf8').trim())?.id).toBe(current?.id);
  expect(presentKeys(settings, current?.id ?? 0).current?.id).toBe(current?.id);
  rmSync(path);
  // Lost: nobody may take a new one for the old.
  expect(presentKeys(settings, current?.id ?? 0).current).toBeNull();
  const rotated = presentKeys({ ...settings, secretKeys: { current: null, old: current } }, current?.id ?? 0);
  expect(rotated.current?.id).not.toBe(current?.id);
});

test('SECRET_KEY goes before the file', () => {
  const settings = takeSettings({ DATA_DIR: folder(), SECRET_KEY: text(1) });
  expect(presentKeys(settings, null).current?.id).toBe(first.id);
  expect(() => statSync(keyFileOf(settings.dataDir))).toThrow(/ENOENT/);
});

test('with a database of the operator only `all` makes the file, which the other processes then read', () => {
  const dataDir = join(folder(), 'made');
  const own = takeSettings({ DATA_DIR: dataDir, DATABASE_URL: 'postgres://me:secret@db.example/kaitaku' });
  expect(presentKeys(own, null)).toStrictEqual({ current: null, old: null });
  expect(() => statSync(keyFileOf(dataDir))).toThrow(/ENOENT/);
  const { current } = presentKeys(own, null, { makesFile: true });
  expect(current).not.toBeNull();
  expect(presentKeys(own, null).current?.id).toBe(current?.id);
  rmSync(keyFileOf(dataDir));
  expect(presentKeys(own, current?.id ?? 0, { makesFile: true }).current).toBeNull();
});

test('a folder that nobody may write to is named, with what to do', () => {
  const file = join(folder(), 'a file');
  writeFileSync(file, '');
  const settings = takeSettings({ DATA_DIR: file, DATABASE_URL: 'postgres://me:secret@db.example/kaitaku' });
  expect(() => presentKeys(settings, null, { makesFile: true })).toThrow(/を作れません.*SECRET_KEY を設定してください/);
});

test.each(['', 'short', 'x'.repeat(44)])('a key file with %j is refused', (content) => {
  const settings = bundled(folder());
  writeFileSync(keyFileOf(settings.dataDir), content);
  expect(() => presentKeys(settings, null)).toThrow(/鍵のファイル .* を使えません/);
});

test.each([
  ['empty', ''],
  ['31 bytes', Buffer.alloc(31, 1).toString('base64')],
  ['33 bytes', Buffer.alloc(33, 1).toString('base64')],
  ['a password', '秘密のパスワードです'],
  ['a line', `${text(1)}\n`],
  ['hexadecimal digits', 'ab'.repeat(32)],
])('SECRET_KEY with %s is refused, and the message does not repeat it', (_name, SECRET_KEY) => {
  for (const name of ['SECRET_KEY', 'SECRET_KEY_OLD']) {
    const fault = () => takeSettings({ [name]: SECRET_KEY });
    expect(fault).toThrow(`${name} は、32バイトの乱数をbase64で`);
    if (SECRET_KEY !== '') expect(fault).not.toThrow(SECRET_KEY);
  }
});

test('all secrets leave the environment once read, and are named', () => {
  const secrets = {
    SMTP_URL: 'smtp://user@mail.example.com',
    SMTP_PASSWORD: 'pass',
    INBOX_PASSWORD: 'pass',
  };
  const others = { INBOX_URL: 'imaps://user@mail.example.com/INBOX', PORT: '4000' };
  const env: NodeJS.ProcessEnv = { ...secrets, ...others };
  expect(takeSettings(env).named.toSorted()).toStrictEqual(Object.keys({ ...secrets, ...others }).toSorted());
  expect(env).toStrictEqual(others);
  const sendGrid: NodeJS.ProcessEnv = { SENDGRID_API_KEY: 'SG.x', DKIM_PRIVATE_KEY: 'no key', PORT: 'x' };
  expect(() => takeSettings(sendGrid)).toThrow(/PORT/);
  expect(sendGrid).toStrictEqual({ PORT: 'x' });
});

test('the keys leave the environment once read, also of a start that fails, and print as nothing', () => {
  const env: NodeJS.ProcessEnv = { SECRET_KEY: text(1), SECRET_KEY_OLD: text(2), PORT: '4000' };
  const { secretKeys } = takeSettings(env);
  expect(env).toStrictEqual({ PORT: '4000' });
  expect(secretKeys).toMatchObject({ current: { id: first.id }, old: { id: second.id } });
  expect(JSON.stringify(secretKeys)).not.toContain(text(1).slice(0, 8));
  const failing: NodeJS.ProcessEnv = { SECRET_KEY: text(1), PORT: 'x' };
  expect(() => takeSettings(failing)).toThrow(/PORT/);
  expect(failing).toStrictEqual({ PORT: 'x' });
});

test('a start without the key of the sealed rows ends, and names the ways back', async () => {
  const dataDir = folder();
  const own = (keys: object) =>
    takeSettings({ DATA_DIR: dataDir, DATABASE_URL: 'postgres://me:secret@db.example/kaitaku', ...keys });
  // Nothing was sealed: any key will do, and none.
  await openSecrets(own({}), database.login);
  await seal({ current: first, old: null });
  for (const keys of [{}, { SECRET_KEY: text(2) }]) {
    await expect(openSecrets(own(keys), database.login)).rejects.toThrow(/SECRET_KEY を元の鍵に戻して.*secrets reset/s);
  }
  await openSecrets(own({ SECRET_KEY: text(1) }), database.login);
  await openSecrets(own({ SECRET_KEY: text(2), SECRET_KEY_OLD: text(1) }), database.login);
});
