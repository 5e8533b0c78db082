import pg from 'pg';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { prepareDatabase } from '#server/commands/open-database.ts';
import { createAccount } from '#server/features/account/account.command.ts';
import { openSession } from '#server/features/auth/session.ts';
import { accountDbOf } from '#server/platform/account-db.ts';
import { openDatabase, type Role } from '#server/platform/db.ts';
import { addFullTenant, type FullTenant, tenantTables } from './authorization/full-tenant.ts';
import { clientOf } from './client.ts';
import { createTestDatabase, type TestDatabase, testDatabase } from './db.ts';

/** Row level security, the second belt, on its own: what the database shows each role, whatever the query. */

let database: TestDatabase;
let tables: string[];
let ours: FullTenant;
let theirs: FullTenant;

/** A row of the account in every tenant table. */
async function fill(marker: string): Promise<FullTenant> {
  const tenant = await addFullTenant(database.db, marker);
  await openSession(database.login, tenant.accountId, Date.now());
  return tenant;
}

beforeAll(async () => {
  database = await createTestDatabase();
  tables = await tenantTables(database.db);
  ours = await fill('ours');
  theirs = await fill('theirs');
  return () => database.drop();
});

/** The accounts whose rows a role sees in a table, asking for all of it. */
async function accountsSeen(table: string, role: Role, accountId?: number): Promise<number[]> {
  const client = new pg.Client({ connectionString: database.url, options: `-c role=${role}` });
  await client.connect();
  try {
    if (accountId !== undefined) await client.query(`SELECT set_config('app.account_id', $1, false)`, [accountId]);
    const key = table === 'account' ? 'id' : 'account_id';
    const { rows } = await client.query<{ id: string }>(`SELECT DISTINCT ${key} AS id FROM ${table} ORDER BY 1`);
    return rows.map(({ id }) => Number(id));
  } finally {
    await client.end();
  }
}

describe('every table of an account', () => {
  test('was seen, and holds rows of both accounts', async () => {
    expect(tables.length).toBeGreaterThanOrEqual(20);
    for (const table of tables) {
      const seen = await accountsSeen(table, 'kaitaku_service');
      expect([table, seen]).toStrictEqual([table, [ours.accountId, theirs.accountId]]);
    }
  });

  test('has row level security enabled and forced', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relrowsecurity AND relforcerowsecurity ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).toStrictEqual(tables);
  });

  test('shows a request nothing before its account is set', async () => {
    for (const table of tables) expect([table, await accountsSeen(table, 'kaitaku_api')]).toStrictEqual([table, []]);
  });

  test('shows a request its own rows alone', async () => {
    for (const table of tables) {
      expect([table, await accountsSeen(table, 'kaitaku_api', ours.accountId)]).toStrictEqual([
        table,
        [ours.accountId],
      ]);
    }
  });

  test('takes no row for another account', async () => {
    const account = database.account(ours.accountId);
    const event = { account_id: theirs.accountId, kind: 'forged' };
    await expect(account.transaction((tx) => tx.insertInto('audit_event').values(event).execute())).rejects.toThrow(
      /row-level security/,
    );
    const moved = account.transaction((tx) =>
      tx.updateTable('suppression').set({ account_id: theirs.accountId }).execute(),
    );
    await expect(moved).rejects.toThrow(/row-level security/);
    const deleted = await account.transaction((tx) => tx.deleteFrom('suppression').executeTakeFirst());
    expect(deleted.numDeletedRows).toBe(1n);
    expect(await accountsSeen('suppression', 'kaitaku_service')).toStrictEqual([theirs.accountId]);
  });

  test('cannot point into another account', async () => {
    const account = database.account(ours.accountId);
    const row = { account_id: ours.accountId, sender_group_id: theirs.senderGroupId, prospect_id: 1 };
    await expect(account.transaction((tx) => tx.insertInto('active_prospect').values(row).execute())).rejects.toThrow(
      /foreign key/,
    );
  });
});

test('every foreign key holds the account of both sides to be the same', async () => {
  const { rows } = await database.pool.query<{ name: string; joins: boolean }>(`
    SELECT conname AS name, EXISTS (
      SELECT FROM unnest(conkey, confkey) AS pair (here, there)
      JOIN pg_attribute h ON h.attrelid = conrelid AND h.attnum = here
      JOIN pg_attribute t ON t.attrelid = confrelid AND t.attnum = there
      WHERE h.attname = 'account_id'
        AND t.attname = CASE confrelid WHEN 'account'::regclass THEN 'id' ELSE 'account_id' END
    ) AS joins
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`);
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter(({ joins }) => !joins)).toStrictEqual([]);
});

test('the account of a transaction does not outlive it on its connection', async () => {
  const one = openDatabase(database.url, { role: 'kaitaku_api', connections: 1 });
  const seen = await accountDbOf(one.db)(ours.accountId).transaction((tx) =>
    tx.selectFrom('sender').select('id').execute(),
  );
  expect(seen).toHaveLength(1);
  expect(await one.db.selectFrom('sender').select('id').execute()).toStrictEqual([]);
  await one.close();
});

test('a login sees addresses, password hashes and sessions, and nothing else', async () => {
  const { login } = database;
  expect(await login.selectFrom('account').select(['id', 'email', 'password_hash']).execute()).toHaveLength(2);
  await expect(login.selectFrom('account').select('name').execute()).rejects.toThrow(/permission denied/);
  for (const table of tables.filter((name) => !['account', 'session'].includes(name))) {
    await expect(accountsSeen(table, 'kaitaku_login')).rejects.toThrow(/permission denied/);
  }
});

test('no role owns a table or may get around row level security', async () => {
  const { rows } = await database.pool.query(
    `SELECT rolname FROM pg_roles WHERE rolname LIKE 'kaitaku\\_%' AND (rolsuper OR rolbypassrls OR rolcanlogin)
     UNION ALL SELECT tableowner FROM pg_tables WHERE schemaname = 'public' AND tableowner LIKE 'kaitaku\\_%'`,
  );
  expect(rows).toStrictEqual([]);
});

/** A managed PostgreSQL gives its users no superuser. */
test('an ordinary user that owns its database can migrate and serve it', async () => {
  const owner = `owner_${process.pid}`;
  const admin = new pg.Client({ connectionString: inject('adminUrl') });
  await admin.connect();
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${owner}`;
  url.username = owner;
  url.password = 'secret';
  await admin.query(`CREATE ROLE ${owner} LOGIN CREATEROLE PASSWORD 'secret'`);
  // Made by another database of this server before: an administrator grants what this user may not grant itself.
  for (const role of ['kaitaku_api', 'kaitaku_login', 'kaitaku_service'])
    await admin.query(`GRANT ${role} TO ${owner}`);
  await admin.query(`CREATE DATABASE ${owner} OWNER ${owner}`);
  try {
    await prepareDatabase(url.href);
    const as = (role: Role) => openDatabase(url.href, { role });
    const [service, api, login] = [as('kaitaku_service'), as('kaitaku_api'), as('kaitaku_login')];
    const person = { email: 'taro@example.com', name: '太郎', company: '会社', password: '正しい馬 電池 ホチキス' };
    const id = (await createAccount(service.db, person)) as number;
    const client = await clientOf({ api: api.db, login: login.db }, id);
    expect(await client.get(`/account/${id}`)).toMatchObject({ status: 200, body: { email: person.email } });
    for (const opened of [service, api, login]) await opened.close();
  } finally {
    await admin.query(`DROP DATABASE ${owner} WITH (FORCE)`);
    await admin.query(`DROP OWNED BY ${owner}`);
    await admin.query(`DROP ROLE ${owner}`);
    await admin.end();
  }
});

test('a user who may not take the roles is told who can help', async () => {
  const { pool } = await testDatabase();
  const stranger = `stranger_${process.pid}`;
  await pool.query(`CREATE ROLE ${stranger} LOGIN PASSWORD 'secret'`);
  const name = (await pool.query<{ name: string }>('SELECT current_database() AS name')).rows[0]?.name;
  await pool.query(`ALTER DATABASE ${name} OWNER TO ${stranger}`);
  await pool.query(`GRANT ALL ON schema_migration TO ${stranger}`);
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${name}`;
  url.username = stranger;
  url.password = 'secret';
  try {
    await expect(prepareDatabase(url.href)).rejects.toThrow(/kaitaku_api.*管理者/);
  } finally {
    await pool.query(`ALTER DATABASE ${name} OWNER TO CURRENT_USER`);
    await pool.query(`DROP OWNED BY ${stranger}; DROP ROLE ${stranger}`);
  }
});

test('a connection that loses the role on its way is not used', async () => {
  const { url } = await testDatabase();
  await expect(prepareDatabase(`${url}?options=-c%20jit%3Doff`)).rejects.toThrow(/options/);
});
