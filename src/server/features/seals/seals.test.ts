import { Readable } from 'node:stream';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { addAccount, setAccounts } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addTestMailbox, registerOAuthApp } from '#test/mailboxes.ts';
import { OAUTH_CLIENT } from '#test/oauth-provider.ts';
import { runCommand } from '#test/run-command.ts';
import { keyOf } from '#test/secrets.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { secretsWith } from '../../platform/secrets/secrets.ts';
import { openMailbox, readMailbox } from '../mailboxes/mailbox.queries.ts';
import { openOAuthApp, readOAuthApp } from '../mailboxes/oauth-app.queries.ts';
import { opens, readSeals } from './sealed-rows.queries.ts';
import { reconnectLost, resetSeals, rotateSeals } from './seals.command.ts';

const [first, second, third] = [keyOf(1), keyOf(2), keyOf(3)];
let database: TestDatabase;
let members: MemberKey[];

beforeEach(async () => {
  database = await emptyDatabase();
  members = [await addAccount(database.db), await addAccount(database.db)];
  for (const member of members) await addSeal(member, first);
});

async function addSeal({ accountId, memberId }: MemberKey, current: ReturnType<typeof keyOf>): Promise<void> {
  const row = { accountId, row: memberId, kind: 'totp' } as const;
  const sealed = await secretsWith({ current, old: first }).seal(database.db, row, Buffer.from(`secret ${memberId}`));
  if (sealed instanceof Problem) return expect.unreachable(sealed.code);
  await database.db
    .insertInto('member_totp')
    .values({ account_id: accountId, member_id: memberId, ...sealed })
    .execute();
}

const noted = async () =>
  (await database.db.selectFrom('installation').select('secret_key').executeTakeFirstOrThrow()).secret_key;
const keysOfRows = async () => (await readSeals(database.service.db)).map(({ secret_key }) => secret_key);
const audit = () =>
  database.db.selectFrom('audit_event').select(['account_id', 'member_id', 'kind', 'detail']).orderBy('id').execute();

test('rotate seals all anew, keeps what they hold, and can be repeated', async () => {
  const rotating = { current: second, old: first };
  expect(await rotateSeals(database.service.db, rotating)).toStrictEqual({ done: 2, lost: 0, frozen: 0 });
  expect(await keysOfRows()).toStrictEqual([second.id, second.id]);
  expect(await noted()).toBe(second.id);
  const secrets = secretsWith({ current: second, old: null });
  const values = (await readSeals(database.service.db)).map((seal) => secrets.open(seal, seal));
  expect(values).toStrictEqual(members.map(({ memberId }) => Buffer.from(`secret ${memberId}`)));
  expect(await rotateSeals(database.service.db, rotating)).toStrictEqual({ done: 0, lost: 0, frozen: 0 });
});

test('rotate halfway: rows of both keys open until it ends, and the database keeps the old key until then', async () => {
  await setAccounts(database.db, { frozen_at: new Date() });
  const rotating = { current: second, old: first };
  expect(await rotateSeals(database.service.db, rotating)).toStrictEqual({ done: 0, lost: 0, frozen: 2 });
  expect([await keysOfRows(), await noted()]).toStrictEqual([[first.id, first.id], first.id]);
  await database.db
    .updateTable('account')
    .set({ frozen_at: null })
    .where('id', '=', members[0]?.accountId ?? 0)
    .execute();
  expect(await rotateSeals(database.service.db, rotating)).toStrictEqual({ done: 1, lost: 0, frozen: 1 });
  expect([await keysOfRows(), await noted()]).toStrictEqual([[second.id, first.id], first.id]);
  const secrets = secretsWith(rotating);
  expect((await readSeals(database.service.db)).every((seal) => opens(secrets, seal))).toBe(true);
});

test('rotate with a wrong old key changes nothing', async () => {
  expect(await rotateSeals(database.service.db, { current: second, old: third })).toStrictEqual({
    done: 0,
    lost: 2,
    frozen: 0,
  });
  expect([await keysOfRows(), await noted()]).toStrictEqual([[first.id, first.id], first.id]);
});

test('reset deletes only what no key opens, and leaves a row in the audit of its account', async () => {
  await database.db
    .deleteFrom('member_totp')
    .where('member_id', '=', members[1]?.memberId ?? 0)
    .execute();
  await addSeal(members[1] as MemberKey, second);
  expect(await resetSeals(database.service.db, { current: second, old: null })).toStrictEqual({
    done: 1,
    lost: 0,
    frozen: 0,
  });
  expect([await keysOfRows(), await noted()]).toStrictEqual([[second.id], second.id]);
  expect(await audit()).toStrictEqual([
    {
      account_id: members[0]?.accountId,
      member_id: null,
      kind: 'secrets_reset_by_operator',
      detail: { member_ids: [members[0]?.memberId] },
    },
  ]);
});

test('a value that was copied into another row does not open, so that reset deletes it', async () => {
  const [copied] = await readSeals(database.service.db);
  await database.db
    .updateTable('member_totp')
    .set({ secret: copied?.secret ?? Buffer.of() })
    .execute();
  expect(await resetSeals(database.service.db, { current: first, old: null })).toMatchObject({ done: 1 });
});

test('the commands ask before they delete, and say what is left', async () => {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  onTestFinished(() => void Object.defineProperty(process, 'stdin', stdin));
  const text = (byte: number) => Buffer.alloc(32, byte).toString('base64');
  const run = (action: string, keys: Record<string, string>, typed = '') => {
    Object.defineProperty(process, 'stdin', { value: Readable.from([`${typed}\n`]), configurable: true });
    return runCommand(['secrets', action], { DATABASE_URL: database.url, ...keys });
  };
  expect(await run('rotate', {})).toMatchObject({
    code: 1,
    err: 'SECRET_KEY がありません。新しい鍵を設定してください。\n',
  });
  expect(await run('rotate', { SECRET_KEY: text(2) })).toMatchObject({
    code: 1,
    out: '暗号化した値 0件を、今の鍵で暗号化し直しました。\n',
    err: expect.stringContaining('暗号化した値 2件は、今の鍵でも SECRET_KEY_OLD でも読めません。'),
  });
  expect(await run('reset', { SECRET_KEY: text(2) }, 'yes')).toMatchObject({ code: 1 });
  expect(await keysOfRows()).toHaveLength(2);
  expect(await run('rotate', { SECRET_KEY: text(2), SECRET_KEY_OLD: text(1) })).toStrictEqual({
    code: 0,
    out: '暗号化した値 2件を、今の鍵で暗号化し直しました。\nSECRET_KEY_OLD は、もう要りません。\n',
    err: '',
  });
  expect(await run('reset', { SECRET_KEY: text(1) }, 'reset')).toMatchObject({
    code: 0,
    out: '暗号化した値 2件を削除しました。\n',
  });
  expect([await keysOfRows(), await noted()]).toStrictEqual([[], null]);
});

test('the secret of a company’s log-in is sealed anew and deleted alike, and is no member’s', async () => {
  const { accountId, memberId } = members[0] as MemberKey;
  const row = { accountId, row: accountId, kind: 'oidc' } as const;
  const sealed = await secretsWith({ current: first, old: null }).seal(database.db, row, Buffer.from('client secret'));
  if (sealed instanceof Problem) return expect.unreachable(sealed.code);
  const client = { provider: 'other', issuer: 'https://idp.example', client_id: 'client', domains: ['haru.example'] };
  await database.db
    .insertInto('oidc')
    .values({ account_id: accountId, ...client, ...sealed, link_key: Buffer.of(1), active: true })
    .execute();
  const rotating = { current: second, old: first };
  expect(await rotateSeals(database.service.db, rotating)).toStrictEqual({ done: 3, lost: 0, frozen: 0 });
  expect(await keysOfRows()).toStrictEqual([second.id, second.id, second.id]);
  const ofCompany = (await readSeals(database.service.db, accountId)).filter(({ kind }) => kind === 'oidc');
  const secrets = secretsWith({ current: second, old: null });
  expect(ofCompany.map((seal) => secrets.open(seal, seal))).toStrictEqual([Buffer.from('client secret')]);
  // Swapped with the value of a member.
  await database.db
    .updateTable('member_totp')
    .set({ secret: ofCompany[0]?.secret ?? Buffer.of() })
    .where('account_id', '=', accountId)
    .execute();
  expect((await readSeals(database.service.db, accountId)).map((seal) => opens(secrets, seal))).toStrictEqual([
    false,
    true,
  ]);
  expect(await resetSeals(database.service.db, { current: third, old: null })).toMatchObject({ done: 3 });
  expect(await database.db.selectFrom('oidc').select('account_id').execute()).toStrictEqual([]);
  expect(await audit()).toMatchObject([
    { detail: { member_ids: [memberId], oidc: true } },
    { account_id: expect.any(Number) },
  ]);
});

test('mailboxes and their registrations are sealed anew, and without their key deleted: a mailbox stays, unconnected', async () => {
  const { accountId } = members[0] as MemberKey;
  await database.db.deleteFrom('member_totp').execute();
  await database.db
    .updateTable('installation')
    .set({ secret_key: keyOf(7).id })
    .execute();
  const id = await addTestMailbox(database.db, accountId, { password: 'the password' });
  await registerOAuthApp(database.db, accountId, 'google');
  const rotating = { current: second, old: keyOf(7) };
  expect(await rotateSeals(database.service.db, rotating)).toStrictEqual({ done: 2, lost: 0, frozen: 0 });
  const secrets = secretsWith({ current: second, old: null });
  const box = await readMailbox(database.db, { accountId, id });
  expect(box && openMailbox(secrets, box)).toStrictEqual({ password: 'the password' });
  expect(box).toMatchObject({ state: 'ok', version: 1 });
  const app = await readOAuthApp(database.db, { accountId, provider: 'google' });
  expect(app && openOAuthApp(secrets, app)).toMatchObject({ clientSecret: OAUTH_CLIENT.secret });

  expect(await reconnectLost(database.service.db, { current: second, old: null })).toBe(0);
  expect(await resetSeals(database.service.db, { current: third, old: null })).toMatchObject({ done: 2 });
  expect(await readMailbox(database.db, { accountId, id })).toMatchObject({ state: 'reconnect', secret: null });
  expect(await readOAuthApp(database.db, { accountId, provider: 'google' })).toBeUndefined();
  expect(await audit()).toMatchObject([{ kind: 'secrets_reset_by_operator', detail: { mailbox_ids: [id] } }]);
});
