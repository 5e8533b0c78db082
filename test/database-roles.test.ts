import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { createAccount } from '#server/features/account/account.command.ts';
import { openDatabase } from '#server/platform/database/db.ts';
import { migrate } from '#server/platform/database/migrate.ts';
import { type DatabaseAccess, databaseAccess } from '#server/platform/database/roles/database-access.ts';
import { passwordOf, ROLES, type Role } from '#server/platform/database/roles/database-roles.ts';
import { ROLE_SETTINGS } from '#server/platform/database/roles/role-state.ts';
import { clientOf } from './client.ts';
import { testDatabase } from './db.ts';
import { asAdmin, ask, type Installation, makeInstallation } from './installation.ts';
import { accessTo } from './open-as.ts';
import { startProgram } from './program.ts';

/** Creates the roles on a shared server: each test has its own owner, database and prefix. */

/** Creates an installation for one test. */
async function installation(rights?: 'NOCREATEROLE'): Promise<Installation> {
  const made = await makeInstallation(rights);
  onTestFinished(made.drop);
  return made;
}

const PERSON = { email: 'taro@example.com', name: '太郎', company: '会社', password: '正しい馬 電池 ホチキス' };

/** Creates an account and reads it by the API, through pools of the three roles. */
async function expectServed(access: DatabaseAccess): Promise<void> {
  const [api, login, service] = ROLES.map((role) => openDatabase(access.urlOf(role), { role }));
  onTestFinished(async () => {
    for (const opened of [api, login, service]) await opened?.close();
  });
  if (!api || !login || !service) throw new Error('three roles');
  const id = (await createAccount(service.db, PERSON)) as number;
  const client = await clientOf({ api: api.db, login: login.db }, id);
  expect(await client.get(`/account/${id}`)).toMatchObject({ status: 200, body: { email: PERSON.email } });
}

describe('the one URL of an ordinary owner with CREATEROLE', () => {
  let one: Installation;
  let other: Installation;

  beforeAll(async () => {
    [one, other] = [await makeInstallation(), await makeInstallation()];
    // In parallel: roles belong to the server, and a lock of one database does not cover them.
    await Promise.all([one, one, one, other].map(({ access }) => prepareDatabase(access)));
    return async () => {
      await one.drop();
      await other.drop();
    };
  });

  test('is enough: the roles log in by themselves, with their settings', async () => {
    const rows = await ask<{ name: string; value: string }>(
      one.access.urlOf('service'),
      `SELECT name, current_setting(name) AS value FROM unnest('{${Object.keys(ROLE_SETTINGS).join(',')}}'::text[]) AS name`,
    );
    expect(Object.fromEntries(rows.map(({ name, value }) => [name, value]))).toStrictEqual(ROLE_SETTINGS);
    await expectServed(one.access);
  });

  test('serves two installations of one server, which do not see each other', async () => {
    await expectServed(other.access);
    const across = new URL(one.access.urlOf('service'));
    across.pathname = `/${other.owner}`;
    await expect(ask(across.href, 'SELECT FROM account')).rejects.toThrow(/permission denied/);
  });

  test('does not take the roles of another owner', async () => {
    const roles = ROLES.map((role) => `${one.prefix}_${role}`).join(', ');
    const third = await installation();
    await asAdmin(`GRANT ${roles} TO ${third.owner} WITH ADMIN OPTION`);
    await expect(prepareDatabase(accessTo(third.url, ROLES, one.prefix))).rejects.toThrow(/DATABASE_ROLE_PREFIX/);
    expect(await ask(one.access.urlOf('api'), 'SELECT 1 AS n')).toStrictEqual([{ n: 1 }]);
  });

  test('sets new passwords for the roles after that of the owner has changed', async () => {
    await asAdmin(`ALTER ROLE ${one.owner} PASSWORD 'another-secret'`);
    const changed = accessTo(Object.assign(new URL(one.url), { password: 'another-secret' }).href, ROLES, one.prefix);
    await expect(ask(changed.urlOf('api'), 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    await prepareDatabase(changed);
    expect(await ask(changed.urlOf('api'), 'SELECT 1 AS n')).toStrictEqual([{ n: 1 }]);
  });

  test('takes over a database whose roles could not log in', async () => {
    const { url, access, prefix } = await installation();
    const before = openDatabase(url, { connections: 1 });
    await migrate(before.pool, { rolePrefix: prefix });
    const canLogIn = `SELECT rolname FROM pg_roles WHERE rolname LIKE '${prefix}\\_%' AND rolcanlogin`;
    expect((await before.pool.query(canLogIn)).rowCount).toBe(0);
    await before.close();
    await prepareDatabase(access);
    await expectServed(access);
  });
});

test('an owner without CREATEROLE gets the SQL for an administrator, without a secret', async () => {
  const { access } = await installation('NOCREATEROLE');
  await expect(prepareDatabase(access)).rejects.toThrow(/migrate を実行すると.*SQL/);
  const message = await prepareDatabase(access, { isMigrate: true }).catch((error: Error) => error.message);
  if (typeof message !== 'string') throw new Error('not refused');
  for (const secret of ['secret-of-', ...ROLES.map((role) => passwordOf(access.urlOf(role)) ?? '')]) {
    expect(message).not.toContain(secret);
  }
  await asAdmin(message.slice(message.indexOf('\n\n')));
  await prepareDatabase(access);
  await expectServed(access);
});

test('another prefix is refused at a start, and takes the rights over by migrate', async () => {
  const { url, prefix, access } = await installation();
  await prepareDatabase(access);
  const service = `${prefix}_service`;
  const rights = () =>
    ask<{ n: number }>(url, `SELECT count(*) AS n FROM pg_shdepend WHERE refobjid = '${service}'::regrole`);
  const [before] = await rights();
  const moved = accessTo(url, ROLES, `${prefix}_moved`);
  await expect(prepareDatabase(moved)).rejects.toThrow(`DATABASE_ROLE_PREFIX=${prefix}`);
  await prepareDatabase(moved, { isMigrate: true });
  await expectServed(moved);
  expect(before?.n).toBeGreaterThan(40);
  expect(await rights()).toStrictEqual([{ n: 0 }]);
});

describe('with URLs of their own', () => {
  let place: Installation;
  beforeAll(async () => {
    place = await makeInstallation();
    return () => place.drop();
  });

  /** Returns the database access of `migrate` for roles with their own passwords, with the owner's URL. */
  const withOwn = (owner: string | null, needed: readonly Role[] = ROLES) => {
    const { url, prefix, access } = place;
    const own = (role: Role) => {
      const theirs = new URL(access.urlOf(role));
      theirs.password = `own-${role}`;
      return theirs.href;
    };
    const roles = { api: own('api'), login: own('login'), service: own('service') };
    return databaseAccess({ owner: owner && url, rolePrefix: prefix, roles }, needed);
  };

  test('processes start without the URL of the owner, after a migrate that gave the roles these passwords', async () => {
    const [web, worker] = [withOwn(null, ['api', 'login']), withOwn(null, ['service'])];
    await expect(prepareDatabase(web)).rejects.toThrow(/migrate を実行したか/);
    await prepareDatabase(withOwn(place.owner), { isMigrate: true });
    await prepareDatabase(web);
    await prepareDatabase(worker);
    await expectServed(withOwn(null));
  });

  test('they wait for a migration, and then refuse an older schema', async () => {
    const worker = withOwn(null, ['login']);
    await ask(place.url, 'CREATE TABLE later AS SELECT * FROM schema_migration ORDER BY version DESC LIMIT 1');
    await ask(place.url, 'DELETE FROM schema_migration WHERE version = (SELECT version FROM later)');
    await expect(prepareDatabase(worker, { onWait: () => {}, schemaWaitMs: 0 })).rejects.toThrow(/古いまま.*migrate/);
    const add = 'INSERT INTO schema_migration SELECT * FROM later';
    await prepareDatabase(worker, { onWait: () => void ask(place.url, add) });
    await ask(place.url, `INSERT INTO schema_migration (version, name) VALUES (9999, 'newer')`);
    await expect(prepareDatabase(worker)).rejects.toThrow('データベース 9999');
    await ask(place.url, 'DELETE FROM schema_migration WHERE version = 9999');
  });

  test('they refuse a database from before the first release at once, whatever its version', async () => {
    const rename = (name: string) => ask(place.url, `UPDATE schema_migration SET name = '${name}' WHERE version = 1`);
    await rename('accounts');
    for (const newest of [1, 9999]) {
      const add = `INSERT INTO schema_migration (version, name) VALUES (${newest}, 'newer') ON CONFLICT DO NOTHING`;
      await ask(place.url, add);
      const started = prepareDatabase(withOwn(null, ['login']), { onWait: () => expect.unreachable() });
      await expect(started).rejects.toThrow(/最初の公開より前.*DATA_DIR/);
    }
    await ask(place.url, 'DELETE FROM schema_migration WHERE version = 9999');
    await rename('baseline');
  });

  test('a role with too many rights, or of another installation, is refused', async () => {
    await asAdmin(`GRANT ${place.prefix}_service TO ${place.prefix}_api`);
    await expect(prepareDatabase(withOwn(null))).rejects.toThrow(`${place.prefix}_api: ${place.prefix}_service`);
    const roles = { api: place.url, login: place.url, service: place.url };
    const owner = databaseAccess({ owner: null, rolePrefix: place.prefix, roles }, ['service']);
    await expect(prepareDatabase(owner)).rejects.toThrow(`${place.owner} ≠ ${place.prefix}_service`);
  });
});

test('a URL without a password needs the others', () => {
  const roles = { api: null, login: 'postgres://me@db/k', service: null };
  const access = (owner: string | null) => () => databaseAccess({ owner, rolePrefix: 'kaitaku', roles }, ['service']);
  expect(access('postgres://kaitaku@db/k')).toThrow(/パスワードがない.*DATABASE_API_URL、DATABASE_SERVICE_URL/);
  expect(access(null)).toThrow(/^データベースの接続先が足りません。DATABASE_SERVICE_URL か、DATABASE_URL/);
});

test.each(['owner', 'api'] as const)(
  'a URL of %s without a password ends the start, where the server wants one',
  async (name) => {
    const { url, access, prefix } = await installation();
    await prepareDatabase(access);
    const without = (given: string) => given.replace(/:[^:@/]+@/, '@');
    const urls = Object.fromEntries(ROLES.map((role) => [`DATABASE_${role.toUpperCase()}_URL`, access.urlOf(role)]));
    const setting = name === 'owner' ? 'DATABASE_URL' : 'DATABASE_API_URL';
    const env = { ...urls, DATABASE_ROLE_PREFIX: prefix, SMTP_URL: 'smtp://127.0.0.1:1' };
    const web = startProgram(['web'], { ...env, [setting]: without(name === 'owner' ? url : access.urlOf(name)) });
    onTestFinished(() => void web.child.kill('SIGKILL'));
    expect(await web.ended).toBe(1);
    expect(web.output()).toMatch(new RegExp(`（接続先のURLにパスワードがありません）。${setting}`));
  },
);

test('the parameters of a URL, such as TLS and hosts, apply to the roles too', () => {
  const url =
    'postgres://kaitaku:p%40ss@db.example.com:6432/k?sslmode=verify-full&user=x&password=y&options=-c%20a%3Db';
  const role = new URL(accessTo(url).urlOf('api'));
  expect([role.host, role.pathname, role.search, role.username]).toStrictEqual([
    'db.example.com:6432',
    '/k',
    '?sslmode=verify-full&options=-c+a%3Db',
    'kaitaku_api',
  ]);
  expect(role.password).toMatch(/^[\w-]{43}$/);
});

test('a start on a database that is ready changes nothing on the server', async () => {
  const { url } = await testDatabase();
  const stamps = () =>
    ask<{ xmin: string }>(
      url,
      `SELECT xmin::text FROM (
        SELECT xmin, rolname AS name FROM pg_authid WHERE rolname LIKE 'kaitaku\\_%'
        UNION ALL SELECT xmin, datname FROM pg_database WHERE datname = current_database()
        UNION ALL SELECT xmin, setrole::regrole::text FROM pg_db_role_setting
          WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
        UNION ALL SELECT xmin, oid::regprocedure::text FROM pg_proc WHERE prosrc LIKE 'be\\_lo%'
      ) AS stamp ORDER BY name, xmin::text`,
    );
  await prepareDatabase(accessTo(url));
  const before = await stamps();
  await prepareDatabase(accessTo(url));
  expect(await stamps()).toStrictEqual(before);
  expect(before.length).toBeGreaterThan(20);
});
