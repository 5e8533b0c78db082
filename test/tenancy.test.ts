import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import type { Role } from '#server/platform/database/roles/database-roles.ts';
import { agePastMoves, openSessionOf } from './accounts.ts';
import { addFullTenant, type FullTenant, tenantTables } from './authorization/full-tenant.ts';
import { emptyDatabase, type TestDatabase } from './db.ts';
import { accessTo, openAs } from './open-as.ts';

/** Row level security, the second guard, on its own: what the database shows each role, whatever the query. */

let database: TestDatabase;
let tables: string[];
let ours: FullTenant;
let theirs: FullTenant;

/** Creates an account with a row in every tenant table. */
async function fill(marker: string): Promise<FullTenant> {
  const tenant = await addFullTenant(database.db, marker);
  await openSessionOf(database.login, tenant.accountId, Date.now());
  return tenant;
}

beforeAll(async () => {
  database = await emptyDatabase();
  tables = await tenantTables(database.db);
  ours = await fill('ours');
  theirs = await fill('theirs');
});

/** Returns the accounts whose rows a role sees in a table without any condition. */
async function accountsSeen(table: string, role: Role, accountId?: number): Promise<number[]> {
  const client = new pg.Client({ connectionString: accessTo(database.url).urlOf(role) });
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

/** Log-ins on their way are the log-in's alone: no request of a member needs them. */
const ofRequests = () => tables.filter((table) => table !== 'oidc_start');

describe('every table of an account', () => {
  test('was found, and contains rows of both accounts', async () => {
    expect(tables.length).toBeGreaterThanOrEqual(20);
    for (const table of tables) {
      const seen = await accountsSeen(table, 'service');
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
    for (const table of ofRequests()) expect([table, await accountsSeen(table, 'api')]).toStrictEqual([table, []]);
  });

  test('shows a request only its own rows', async () => {
    await expect(accountsSeen('oidc_start', 'api', ours.accountId)).rejects.toThrow(/permission denied/);
    for (const table of ofRequests()) {
      expect([table, await accountsSeen(table, 'api', ours.accountId)]).toStrictEqual([table, [ours.accountId]]);
    }
  });

  test('accepts no row for another account', async () => {
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
    expect(await accountsSeen('suppression', 'service')).toStrictEqual([theirs.accountId]);
  });

  test('cannot reference another account', async () => {
    const account = database.account(ours.accountId);
    const row = { account_id: ours.accountId, sender_group_id: theirs.senderGroupId, prospect_id: 1 };
    await expect(account.transaction((tx) => tx.insertInto('active_prospect').values(row).execute())).rejects.toThrow(
      /foreign key/,
    );
  });
});

test('every foreign key requires both sides to have the same account', async () => {
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
  const one = openAs('api', database.url, 1);
  const seen = await accountDbOf(one.db)(ours.accountId, null).transaction((tx) =>
    tx.selectFrom('sender').select('id').execute(),
  );
  expect(seen).toHaveLength(2);
  expect(await one.db.selectFrom('sender').select('id').execute()).toStrictEqual([]);
  await one.close();
});

test('a login sees addresses, roles, hashes of passwords and of mailed secrets, sessions, keys of mails, sizes of files, and nothing else', async () => {
  const { login } = database;
  const seen = ['account_id', 'id', 'email', 'password_hash', 'active', 'role'] as const;
  expect(await login.selectFrom('member').select(seen).execute()).toHaveLength(2);
  for (const hidden of ['name', 'email_before_confirmation'] as const) {
    await expect(login.selectFrom('member').select(hidden).execute(), hidden).rejects.toThrow(/permission denied/);
  }
  await expect(login.selectFrom('account_rule').select('undo_seconds').execute()).rejects.toThrow(/permission denied/);
  for (const change of [{ secret: Buffer.of(1) }, { confirmed_at: null }]) {
    await expect(login.updateTable('member_totp').set(change).execute()).rejects.toThrow(/permission denied/);
  }
  await expect(login.deleteFrom('member_totp').execute()).rejects.toThrow(/permission denied/);
  await expect(login.deleteFrom('recovery_code').execute()).rejects.toThrow(/permission denied/);
  await expect(login.updateTable('oidc').set({ active: true }).execute()).rejects.toThrow(/permission denied/);
  await expect(login.deleteFrom('oidc').execute()).rejects.toThrow(/permission denied/);
  await expect(login.updateTable('oidc_start').set({ nonce: 'x' }).execute()).rejects.toThrow(/permission denied/);
  const moved = login.updateTable('member').set({ email: 'thief@example.com' }).execute();
  await expect(moved).rejects.toThrow(/permission denied/);
  expect(await login.selectFrom('sender_confirmation').select(['account_id', 'secret_hash']).execute()).toHaveLength(2);
  for (const hidden of ['email', 'sender_id', 'expires_at'] as const) {
    const read = login.selectFrom('sender_confirmation').select(hidden).execute();
    await expect(read, hidden).rejects.toThrow(/permission denied/);
  }
  expect(await login.selectFrom('password_reset').select('secret_hash').execute()).toHaveLength(2);
  await expect(login.deleteFrom('password_reset').execute()).rejects.toThrow(/permission denied/);
  expect(await login.selectFrom('delivery').select(['account_id', 'id', 'mail_key']).limit(1).execute()).toHaveLength(
    1,
  );
  await expect(login.selectFrom('delivery').select('mail_to').execute()).rejects.toThrow(/permission denied/);
  await expect(login.updateTable('delivery').set({ mail_key: sql`gen_random_uuid()` }).execute()).rejects.toThrow(
    /permission denied/,
  );
  expect(await login.selectFrom('stored_file').select(['account_id', 'bytes']).execute()).not.toStrictEqual([]);
  for (const hidden of ['name', 'job_id', 'media_type'] as const) {
    await expect(login.selectFrom('stored_file').select(hidden).execute(), hidden).rejects.toThrow(/permission denied/);
  }
  await expect(login.selectFrom('account').select('company').execute()).rejects.toThrow(/permission denied/);
  for (const hidden of ['email', 'role', 'invited_by'] as const) {
    await expect(login.selectFrom('invitation').select(hidden).execute(), hidden).rejects.toThrow(/permission denied/);
  }
  const seenByLogin = [
    'account',
    'account_host',
    'account_rule',
    'delivery',
    'invitation',
    'member',
    'member_totp',
    'moved_mail',
    'oidc',
    'oidc_start',
    'password_reset',
    'recovery_code',
    'sender_confirmation',
    'session',
    'trusted_device',
  ];
  for (const table of tables.filter((name) => ![...seenByLogin, 'stored_file'].includes(name))) {
    await expect(accountsSeen(table, 'login')).rejects.toThrow(/permission denied/);
  }
});

describe('rows of an account that nobody may delete', () => {
  let service: TestDatabase['service']['pool'];
  beforeAll(() => {
    const { pool, close } = openAs('service', database.url, 1);
    service = pool;
    return close;
  });

  const KEPT = ['address_rejection', 'audit_event', 'erased_address', 'member'];
  /** Tries to delete all events. @returns the accounts with remaining events */
  const left = async () => {
    for (const table of KEPT) await service.query(`DELETE FROM ${table}`);
    return accountsSeen('audit_event', 'service');
  };
  const denied = (statement: string) =>
    expect(service.query(statement), statement).rejects.toMatchObject({ code: '42501' });
  const movedTo = `frozen_at = now(), settled_at = now(), moved_to = 'https://there.example'`;

  test('stay, even if the account or its members are deleted', async () => {
    expect(await left()).toStrictEqual([ours.accountId, theirs.accountId]);
    await denied('DELETE FROM account');
    const { rows } = await service.query('SELECT FROM audit_event WHERE member_id IS NULL');
    expect(rows).toStrictEqual([]);
    for (const table of KEPT.slice(0, 3)) await denied(`TRUNCATE ${table}`);
    await denied('UPDATE audit_event SET detail = DEFAULT');
  });

  test('stay for five years; then the audit may be deleted, by no role of requests', async () => {
    const ages = { young: `interval '5 years' - interval '1 minute'`, old: `interval '5 years' + interval '1 minute'` };
    for (const [kind, age] of Object.entries(ages)) {
      await database.pool.query(
        `INSERT INTO audit_event (account_id, kind, at) VALUES ($1, '${kind}', now() - (${age}))`,
        [theirs.accountId],
      );
    }
    const kinds = async () =>
      (await database.pool.query(`SELECT kind FROM audit_event WHERE kind IN ('young', 'old') ORDER BY 1`)).rows;
    const ofRequests = database.account(theirs.accountId);
    for (const statement of ['DELETE FROM audit_event', `UPDATE audit_event SET at = now() - interval '9 years'`]) {
      const byRequest = ofRequests.transaction((tx) => sql.raw(statement).execute(tx));
      await expect(byRequest, statement).rejects.toThrow(/permission denied/);
      await expect(sql.raw(statement).execute(database.login), statement).rejects.toThrow(/permission denied/);
    }
    await denied(`UPDATE audit_event SET at = now() - interval '9 years'`);
    expect(await kinds()).toStrictEqual([{ kind: 'old' }, { kind: 'young' }]);
    expect(await left()).toStrictEqual([ours.accountId, theirs.accountId]);
    expect(await kinds()).toStrictEqual([{ kind: 'young' }]);
  });

  test('stay for a week after a move, whose time no role can choose', async () => {
    await service.query(`UPDATE account SET ${movedTo}, moved_at = '2020-01-01' WHERE id = $1`, [theirs.accountId]);
    await service.query(
      `INSERT INTO account (company, frozen_at, settled_at, moved_to, moved_at)
       VALUES ('x', now(), now(), 'https://there.example', '2020-01-01')`,
    );
    const { rows } = await service.query<{ lately: boolean }>(
      `SELECT moved_at > now() - interval '1 minute' AS lately FROM account WHERE moved_to IS NOT NULL`,
    );
    expect(rows).toStrictEqual([{ lately: true }, { lately: true }]);
    for (const change of [
      `moved_at = '2020-01-01'`,
      'moved_at = NULL, moved_to = NULL',
      `moved_to = 'https://elsewhere.example'`,
      `moved_to = 'https://elsewhere.example', moved_at = '2020-01-01'`,
    ])
      await denied(`UPDATE account SET ${change} WHERE id = ${theirs.accountId}`);
    await denied('SET session_replication_role = replica');
    await denied('ALTER TABLE account DISABLE TRIGGER date_move');
    expect(await left()).toStrictEqual([ours.accountId, theirs.accountId]);
    await agePastMoves(database.db, 6.9);
    expect(await left()).toStrictEqual([ours.accountId, theirs.accountId]);
    await agePastMoves(database.db, 0.2);
    expect(await left()).toStrictEqual([ours.accountId]);
  });

  test('a move in a long transaction has the time of its statement', async () => {
    await service.query('BEGIN');
    await service.query('SELECT pg_sleep(0.05)');
    await service.query(`UPDATE account SET ${movedTo} WHERE id = $1`, [ours.accountId]);
    const { rows } = await service.query(
      `SELECT moved_at - now() > interval '40 ms' AS is FROM account WHERE id = $1`,
      [ours.accountId],
    );
    await service.query('ROLLBACK');
    expect(rows).toStrictEqual([{ is: true }]);
  });
});

test('a login adds to the audit only that a member has logged in or was refused', async () => {
  const { accountId, memberId } = ours;
  const event = { account_id: accountId, member_id: memberId, detail: '{}' };
  const write = (row: object) =>
    database.login
      .insertInto('audit_event')
      .values({ ...event, kind: 'logged_in', ...row })
      .execute();
  for (const kind of ['logged_in', 'log_in_refused']) await write({ kind });
  for (const row of [{ kind: 'run_accepted' }, { member_id: null }, { account_id: theirs.accountId, member_id: null }])
    await expect(write(row), JSON.stringify(row)).rejects.toThrow(/row-level security/);
  await expect(write({ account_id: theirs.accountId })).rejects.toThrow(/foreign key/);
  await expect(write({ at: new Date(0) })).rejects.toThrow(/permission denied/);
  await expect(database.login.selectFrom('audit_event').select('kind').execute()).rejects.toThrow(/permission denied/);
});

test('no role owns a table or can bypass row level security', async () => {
  const { rows } = await database.pool.query(
    `SELECT rolname FROM pg_roles WHERE rolname LIKE 'kaitaku\\_%' AND (rolsuper OR rolbypassrls OR rolcreaterole)
     UNION ALL SELECT tableowner FROM pg_tables WHERE schemaname = 'public' AND tableowner LIKE 'kaitaku\\_%'
     UNION ALL SELECT member::regrole::text FROM pg_auth_members WHERE member::regrole::text LIKE 'kaitaku\\_%'`,
  );
  expect(rows).toStrictEqual([]);
});

describe('from the connection of a request', () => {
  const ask = (statement: string) =>
    database.account(ours.accountId).transaction((tx) => sql<{ id: number }>`${sql.raw(statement)}`.execute(tx));

  test('nobody creates an account or member except that of its own transaction', async () => {
    for (const statement of [
      `INSERT INTO account (id, company) OVERRIDING SYSTEM VALUE VALUES (${theirs.accountId + 1000}, 'x')`,
      `INSERT INTO account (company) VALUES ('x')`,
      `INSERT INTO member (account_id, email, name, password_hash, role)
       VALUES (${theirs.accountId}, 'thief@example.com', 'x', 'x', 'admin')`,
    ]) {
      await expect(ask(statement), statement).rejects.toThrow(/row-level security/);
    }
  });

  test('nobody becomes another role', async () => {
    const { rows } = await database.pool.query<{ owner: string }>('SELECT current_user AS owner');
    const others = [rows[0]?.owner, 'kaitaku_login', 'kaitaku_service'];
    for (const other of others) {
      for (const statement of [
        `SET ROLE ${other}`,
        `SELECT set_config('role', '${other}', false)`,
        `SET SESSION AUTHORIZATION ${other}`,
        `SELECT set_config('session_authorization', '${other}', false)`,
      ]) {
        await expect(ask(statement), statement).rejects.toThrow(/permission denied/);
      }
    }
  });

  test.each([`SELECT set_config('role', 'none', false)`, 'RESET ROLE', 'RESET SESSION AUTHORIZATION', 'SET ROLE NONE'])(
    '%s leaves the rows of the account, no file and no program',
    async (statement) => {
      const account = database.account(ours.accountId);
      const seen = await account.transaction(async (tx) => {
        await sql.raw(statement).execute(tx);
        return tx.selectFrom('account').select('id').execute();
      });
      expect(seen).toStrictEqual([{ id: ours.accountId }]);
      for (const wayOut of [`SELECT pg_read_file('PG_VERSION')`, `COPY (SELECT 1) TO PROGRAM 'true'`]) {
        await expect(ask(`${statement}; ${wayOut}`), wayOut).rejects.toMatchObject({ code: '42501' });
      }
    },
  );
});

test('a function that runs with the rights of its owner is for one role only', async () => {
  const { rows } = await database.pool.query<{ may: string }>(`
    SELECT proname || ' as ' || role AS may FROM pg_proc, unnest('{api,login,service}'::text[]) AS role
    WHERE pronamespace = 'public'::regnamespace AND prosecdef
      AND has_function_privilege('kaitaku_' || role, pg_proc.oid, 'EXECUTE') ORDER BY may`);
  expect(rows.map(({ may }) => may)).toStrictEqual(['analyze_companies as service', 'next_account_id as login']);
});
