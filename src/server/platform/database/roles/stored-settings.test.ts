import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { addHealthRoutes } from '#server/features/health/health.routes.ts';
import { httpApp } from '#server/platform/http/http-app.ts';
import { asAdmin, ask, type Installation, makeInstallation } from '#test/installation.ts';
import { startProgram } from '#test/program.ts';
import { runCommand } from '#test/run-command.ts';
import { openDatabase } from '../db.ts';
import { databaseAccess } from './database-access.ts';
import { ROLES, type Role } from './database-roles.ts';
import { ROLE_SETTINGS } from './role-state.ts';
import type { StoredSetting } from './stored-settings.ts';

/** Roles with settings that an injected statement has stored with them. */

let place: Installation;
beforeEach(async () => {
  place = await makeInstallation();
  onTestFinished(place.drop);
  await prepareDatabase(place.access);
});

const nameOf = (role: Role) => `${place.prefix}_${role}`;

/** Stores a setting as the role itself, as an injected statement does. @param here in this database alone */
const inject = (role: Role, setting: string, here = false) =>
  ask(place.access.urlOf(role), `ALTER ROLE CURRENT_USER ${here ? `IN DATABASE ${place.owner}` : ''} SET ${setting}`);

const asOwner = async () => {
  const reset: StoredSetting[] = [];
  await prepareDatabase(place.access, { onReset: (setting) => void reset.push(setting) });
  return reset;
};

/** The access of processes that do not know the owner. */
const withoutOwner = (roles: readonly Role[]) => {
  const urls = Object.fromEntries(ROLES.map((role) => [role, place.access.urlOf(role)])) as Record<Role, string>;
  return databaseAccess({ owner: null, rolePrefix: place.prefix, roles: urls }, roles);
};

const stored = () =>
  asAdmin(
    `SELECT setrole::regrole || ' ' || setdatabase || ' ' || setconfig::text AS it FROM pg_db_role_setting
     WHERE setrole::regrole::text LIKE '${place.prefix}\\_%' ORDER BY 1`,
  );

test('a start with the owner resets what roles have stored with themselves, in both places, and names each', async () => {
  const before = await stored();
  await inject('api', 'search_path = nowhere');
  await inject('api', 'search_path = "also; nowhere"', true);
  await inject('api', 'statement_timeout = 10000');
  await inject('login', 'row_security = off');
  await inject('login', 'default_transaction_read_only = on', true);
  await inject('service', 'search_path = pg_temp, public');
  await inject('service', 'search_path = pg_temp, public', true);
  // Ours hold for all databases: a weaker place is written anew by every start, a stronger one is reset.
  await inject('service', `work_mem = '64kB'`);
  await inject('service', `work_mem = '64kB'`, true);
  await inject('service', 'JIT = on', true);
  const setting = (role: Role, name: string, value: string) => ({ role: nameOf(role), name, value });
  const reset = await asOwner();
  expect(reset.map(({ role, name, value }) => ({ role, name, value })).toSorted(byText)).toStrictEqual(
    [
      setting('api', 'search_path', 'nowhere'),
      setting('api', 'search_path', '"also; nowhere"'),
      setting('api', 'statement_timeout', '10000'),
      setting('login', 'default_transaction_read_only', 'on'),
      setting('login', 'row_security', 'off'),
      setting('service', 'search_path', 'pg_temp, public'),
      setting('service', 'search_path', 'pg_temp, public'),
      setting('service', 'work_mem', '64kB'),
      setting('service', 'jit', 'on'),
    ].toSorted(byText),
  );
  expect(await stored()).toStrictEqual(before);
  expect(await asOwner()).toStrictEqual([]);
  const values = await ask<{ name: string; value: string }>(
    place.access.urlOf('service'),
    `SELECT name, current_setting(name) AS value FROM unnest('{${Object.keys(ROLE_SETTINGS).join(',')}}'::text[]) AS name`,
  );
  expect(Object.fromEntries(values.map(({ name, value }) => [name, value]))).toStrictEqual(ROLE_SETTINGS);
});

const byText = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);

test('what an administrator may choose stays, as do the settings of other databases', async () => {
  const other = await makeInstallation();
  onTestFinished(other.drop);
  const name = nameOf('api');
  const kept = [
    `ALTER ROLE ${name} SET log_min_duration_statement = 500`,
    `ALTER ROLE ${name} IN DATABASE ${place.owner} SET log_statement = 'all'`,
    `ALTER ROLE ${name} SET lock_timeout = 5000`,
    `ALTER ROLE ${name} SET temp_file_limit = 1000000`,
    `ALTER ROLE ${name} IN DATABASE ${other.owner} SET search_path = theirs`,
  ];
  for (const statement of kept) await asAdmin(statement);
  const before = await stored();
  expect(await asOwner()).toStrictEqual([]);
  expect(await stored()).toStrictEqual(before);
  await prepareDatabase(withoutOwner(ROLES));
});

test.each([
  ['api', 'search_path = nowhere', false],
  ['api', `role = 'none'`, true],
  ['login', 'row_security = off', false],
  ['login', 'default_transaction_read_only = on', true],
  ['service', 'search_path = pg_temp, public', false],
  ['service', 'search_path = nowhere', true],
  ['service', `search_path = 'public, nowhere'`, true],
  ['service', 'Default_Transaction_Read_Only = on', false],
] as const)('a start without the owner refuses that %s has stored %s', async (role, setting, here) => {
  await inject(role, setting, here);
  const name = setting.split(' ')[0]?.toLowerCase() ?? '';
  const pattern = new RegExp(`${nameOf(role)} の ${name}.*所有者の DATABASE_URL で .* migrate`);
  await expect(prepareDatabase(withoutOwner(ROLES))).rejects.toThrow(pattern);
  // Those of a role that the process does not use are left to the others.
  const others = role === 'service' ? (['api', 'login'] as const) : (['service'] as const);
  await prepareDatabase(withoutOwner(others));
  const migrated = await runCommand(['migrate'], { DATABASE_URL: place.url, DATABASE_ROLE_PREFIX: place.prefix });
  expect(migrated).toMatchObject({ code: 0, err: expect.stringContaining(`${nameOf(role)} の設定 ${name} = "`) });
  await prepareDatabase(withoutOwner(ROLES));
});

test('a path of service that leads past the tables is refused before anything is awaited, and replaced once', async () => {
  await inject('service', 'search_path = nowhere', true);
  const onWait = () => expect.unreachable('waits for a schema that is there');
  const start = () => prepareDatabase(withoutOwner(['service']), { onWait });
  await expect(start()).rejects.toThrow(`${nameOf('service')} の search_path`);
  expect(await asOwner()).toMatchObject([{ role: nameOf('service'), name: 'search_path', value: 'nowhere' }]);
  await start();
  // With it the tables are found, so that the process itself puts it right.
  await inject('service', 'search_path = pg_temp, public', true);
  await start();
  expect(await asOwner()).toStrictEqual([]);
});

test.each(ROLES)(
  'the account that an administrator has stored with %s is refused, and named with the SQL',
  async (role) => {
    // The role itself, and the owner, may not store or reset it: to PostgreSQL it is nobody's setting.
    await asAdmin(`ALTER ROLE ${nameOf(role)} IN DATABASE ${place.owner} SET app.account_id = 1`);
    await expect(prepareDatabase(withoutOwner([role]))).rejects.toThrow(`${nameOf(role)} の app.account_id`);
    const message = await prepareDatabase(place.access).then(String, ({ message: text }: Error) => text);
    expect(message).toContain(`${nameOf(role)} の app.account_id`);
    const [reset] = /ALTER ROLE .*(?=;)/.exec(message) ?? [''];
    const admin = openDatabase(place.adminUrl, { connections: 1 });
    onTestFinished(admin.close);
    await admin.pool.query(reset);
    await prepareDatabase(place.access);
  },
);

test('other settings do not keep a process without the owner from starting', async () => {
  await inject('login', `statement_timeout = '20s'`);
  await prepareDatabase(withoutOwner(['api', 'login']));
});

test('an owner who may not reset a setting names it with the SQL for an administrator', async () => {
  await asAdmin(`ALTER ROLE ${nameOf('api')} SET session_replication_role = replica`);
  await asAdmin(`ALTER ROLE ${nameOf('service')} SET session_replication_role = replica`);
  const message = await prepareDatabase(place.access).then(String, ({ message: text }: Error) => text);
  expect(message).toContain(`${nameOf('api')} の session_replication_role、${nameOf('service')} の session_`);
  await asAdmin(message.slice(message.indexOf('ALTER ROLE')));
  await prepareDatabase(place.access);
});

test('the value is printed so that a terminal carries nothing out', async () => {
  await inject('api', `search_path = E'\\x1b[2J\\n'`);
  const env = { DATABASE_URL: place.url, DATABASE_ROLE_PREFIX: place.prefix };
  const { err } = await runCommand(['account', 'list'], env);
  const printed = String.raw`ロール ${nameOf('api')} の設定 search_path = "\"\u001b[2J\n\"" を取り消しました。`;
  expect(err).toBe(`${printed}\n`);
});

test('the log of a process names the setting and its value', async () => {
  await inject('api', 'search_path = nowhere');
  const env = { DATABASE_URL: place.url, DATABASE_ROLE_PREFIX: place.prefix, SMTP_URL: 'smtp://127.0.0.1:1' };
  const worker = startProgram(['worker'], { ...env, DATA_DIR: '/nowhere' });
  onTestFinished(() => void worker.child.kill('SIGKILL'));
  await worker.until('worker started');
  const lines = worker
    .output()
    .split('\n')
    .filter((line) => line.includes('nowhere') && line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 40, role: nameOf('api'), setting: 'search_path', value: 'nowhere' },
  ]);
});

test('ready says no where requests would not find the tables, could not write, or would see rows of an account', async () => {
  const ready = async () => {
    const { db, close } = openDatabase(place.access.urlOf('api'), { role: 'api', connections: 1 });
    const app = await httpApp({});
    const accountHosts = { livesAt: () => null };
    addHealthRoutes(app, { db, stopping: () => false, accountHosts, guessRate: () => null });
    const { statusCode } = await app.inject('/health/ready');
    await app.close();
    await close();
    return statusCode;
  };
  expect(await ready()).toBe(200);
  for (const setting of ['search_path = nowhere', 'default_transaction_read_only = on']) {
    await inject('api', setting);
    expect([setting, await ready()]).toStrictEqual([setting, 503]);
    await asOwner();
    expect(await ready()).toBe(200);
  }
  const [account] = await ask<{ id: number }>(
    place.adminUrl,
    `INSERT INTO account (company) VALUES ('x') RETURNING id`,
  );
  await asAdmin(`ALTER ROLE ${nameOf('api')} SET app.account_id = '${account?.id}'`);
  expect(await ready()).toBe(503);
});
