import { Readable } from 'node:stream';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { DAY_MS } from '#domain/time-units.ts';
import { addMember } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { verifyPassword } from '../../features/auth/password.ts';
import { openSession } from '../../features/auth/session.ts';

const ADMIN = 'tanaka@example.jp';
const SALES = 'suzuki@example.jp';
let database: TestDatabase;
let tenant: Tenant;
let salesId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await database.db.updateTable('member').set({ name: '田中 直樹', email: ADMIN }).execute();
  salesId = await addMember(database.db, tenant.accountId, { role: 'sales', name: '鈴木 彩', email: SALES });
});

const run = (...args: string[]) => runCommand(['member', ...args], { DATABASE_URL: database.url });
const audit = async () =>
  (await database.db.selectFrom('audit_event').select(['kind', 'member_id', 'detail']).orderBy('id').execute()).map(
    ({ kind, member_id, detail }) => [kind, member_id, detail],
  );
const list = async () => (await run('list', '--account', ADMIN)).out.trim().split('\n').slice(1);

test('the list shows each member with role, state and reservations', async () => {
  expect(await list()).toStrictEqual([
    `${tenant.memberId}\t${ADMIN}\t田中 直樹\t管理者\t有効\tすべて\t\t0`,
    `${salesId}\t${SALES}\t鈴木 彩\t営業\t有効\tすべて\t\t0`,
  ]);
});

test('a member is added with a password of the terminal, and replaces an invitation of the address', async () => {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  onTestFinished(() => void Object.defineProperty(process, 'stdin', stdin));
  const type = (line: string) =>
    Object.defineProperty(process, 'stdin', { value: Readable.from([`${line}\n`]), configurable: true });
  await database.db
    .insertInto('invitation')
    .values({
      account_id: tenant.accountId,
      email: 'Sato@example.jp',
      role: 'viewer',
      invited_by: tenant.memberId,
      expires_at: new Date(Date.now() + DAY_MS),
    })
    .execute();
  const add = (password: string, ...more: string[]) => {
    type(password);
    return run('add', '--account', ADMIN, '--email', 'sato@example.jp', '--name', '佐藤 花子', ...more);
  };
  expect(await add('x', '--role', 'owner')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--role は viewer、sales、admin のいずれかにしてください（今の値: owner）。'),
  });
  expect(await add('short', '--role', 'sales')).toMatchObject({ code: 1, err: expect.stringContaining('パスワード') });
  expect(await add('次の馬 電池 ホチキス 橋', '--role', 'sales')).toMatchObject({ code: 0, err: '' });
  const { id, password_hash, role } = await database.db
    .selectFrom('member')
    .select(['id', 'password_hash', 'role'])
    .where('email', '=', 'sato@example.jp')
    .executeTakeFirstOrThrow();
  expect([role, await verifyPassword(password_hash, '次の馬 電池 ホチキス 橋')]).toStrictEqual(['sales', true]);
  const { cancelled_at } = await database.db.selectFrom('invitation').select('cancelled_at').executeTakeFirstOrThrow();
  expect(cancelled_at).not.toBeNull();
  expect(await add('次の馬 電池 ホチキス 橋', '--role', 'sales')).toMatchObject({
    code: 1,
    err: 'sato@example.jp は、すでにメンバーのメールアドレスです。\n',
  });
  expect(await audit()).toStrictEqual([
    ['invitation_cancelled_by_operator', null, { invitation_id: expect.any(Number) }],
    ['member_added_by_operator', null, { member_id: id, email: 'sato@example.jp', role: 'sales' }],
  ]);
});

test('a role is set, but not of the last admin', async () => {
  expect(await run('set-role', '--email', ADMIN, '--role', 'viewer')).toMatchObject({
    code: 1,
    err: '最後の管理者のため、変更できません。先にほかの人を管理者にしてください。\n',
  });
  expect(await run('set-role', '--email', SALES.toUpperCase(), '--role', 'admin')).toMatchObject({ code: 0, err: '' });
  expect(await run('set-role', '--email', ADMIN, '--role', 'viewer')).toMatchObject({ code: 0, err: '' });
  expect(await audit()).toStrictEqual([
    ['role_changed_by_operator', null, { member_id: salesId, from: 'sales', to: 'admin' }],
    ['role_changed_by_operator', null, { member_id: tenant.memberId, from: 'admin', to: 'viewer' }],
  ]);
});

test('a member is stopped with a hand-over, and then erased', async () => {
  const [company] = await addProspects(database.db, tenant.accountId, [{ company_name: '甲' }]);
  await addReservation(database.db, tenant, [company ?? 0], { sendAt: new Date(Date.now() + DAY_MS) });
  await database.db.updateTable('reservation').set({ member_id: salesId }).execute();
  await openSession(database.login, { accountId: tenant.accountId, memberId: salesId }, Date.now());
  expect(await run('erase', '--email', SALES)).toMatchObject({
    code: 1,
    err: `${SALES} は利用中です。先に member stop で停止してください。\n`,
  });
  expect(await run('stop', '--email', SALES)).toMatchObject({
    code: 1,
    err: expect.stringContaining('1件あります。引き継ぐ人を選んでください。--hand-over-to で指定します。'),
  });
  expect(await run('stop', '--email', SALES, '--hand-over-to', 'nobody@example.jp')).toMatchObject({
    code: 1,
    err: 'nobody@example.jp のメンバーは、このアカウントにいません。\n',
  });
  expect(await run('stop', '--email', SALES, '--hand-over-to', ADMIN)).toMatchObject({ code: 0, err: '' });
  expect(await database.db.selectFrom('session').select('member_id').execute()).toStrictEqual([]);
  expect(await list()).toStrictEqual([
    expect.stringMatching(/有効\tすべて\t\t1$/),
    expect.stringMatching(/利用停止\tすべて\t\t0$/),
  ]);
  await database.db
    .insertInto('invitation')
    .values({
      account_id: tenant.accountId,
      email: SALES,
      role: 'sales',
      member_id: salesId,
      expires_at: new Date(),
      accepted_at: new Date(),
    })
    .execute();
  expect(await run('erase', '--email', SALES)).toMatchObject({ code: 0, err: '' });
  const erased = await database.db
    .selectFrom('member')
    .select(['name', 'email', 'active'])
    .where('id', '=', salesId)
    .executeTakeFirstOrThrow();
  expect(erased).toStrictEqual({ name: '（消去済み）', email: `erased-${salesId}@invalid`, active: false });
  expect(await database.db.selectFrom('invitation').select('id').execute()).toStrictEqual([]);
  expect(await list()).toHaveLength(1);
  expect(await run('erase', '--email', SALES)).toMatchObject({ code: 1 });
  expect(await audit()).toStrictEqual([
    ['reservation_changed', null, expect.objectContaining({ changes: { taken_over: 1 } })],
    ['member_stopped_by_operator', null, { member_id: salesId, handed_over_to: tenant.memberId, reservations: 1 }],
    ['member_erased_by_operator', null, { member_id: salesId }],
  ]);
});

test('an erased member leaves no sealed second step behind, whether it was on or begun; a colleague keeps his', async () => {
  const { accountId: account_id, memberId } = tenant;
  const [sealed, hash] = [{ secret: Buffer.from('sealed'), secret_key: 1 }, Buffer.from('hash')];
  const tables = ['member_totp', 'recovery_code', 'trusted_device'] as const;
  for (const member_id of [salesId, memberId]) {
    await database.db
      .insertInto('member_totp')
      .values({ account_id, member_id, ...sealed })
      .execute();
    await database.db.insertInto('recovery_code').values({ account_id, member_id, hash }).execute();
    const device = { account_id, member_id, hash, expires_at: new Date(Date.now() + DAY_MS) };
    await database.db.insertInto('trusted_device').values(device).execute();
  }
  const whose = () =>
    Promise.all(
      tables.map(async (table) => (await database.db.selectFrom(table).select('member_id').execute()).length),
    );
  expect(await run('stop', '--email', SALES)).toMatchObject({ code: 0, err: '' });
  // Who is brought back has the second step still, but no trusted browser.
  expect(await whose()).toStrictEqual([2, 2, 1]);
  expect(await run('erase', '--email', SALES)).toMatchObject({ code: 0, err: '' });
  expect(await whose()).toStrictEqual([1, 1, 1]);
});
