import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { emailOf, setAccounts } from '#test/accounts.ts';
import { addFullTenant, type FullTenant } from '#test/authorization/full-tenant.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { runToEnd } from '#test/program.ts';
import { runCommand } from '#test/run-command.ts';
import { giveTestKey } from '#test/secrets.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { setCell } from '../../platform/database/cell.ts';
import { type Db, openDatabase } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { keepMoveReceipts, restoreMoves } from '../delivery/guard/move-receipts.ts';
import { receiptsOf } from '../delivery/guard/receipt-files.ts';
import { readInstallation } from '../delivery/pauses/installation.queries.ts';
import { NOT_MOVED, readMoved } from './copy-account.command.ts';
import { type MoveParts, type MoveStep, moveAccount } from './move-account.command.ts';
import { diskProblem } from './move-obstacles.queries.ts';
import { moveLockKey } from './moving.queries.ts';
import { thaw } from './thaw.command.ts';

const HOST = 'acme.kaitaku.example.jp';
const CELL = 3;
const URL_OF_HOST = `https://${HOST}`;

let home: TestDatabase;
let target: TestDatabase;
let tenant: FullTenant;

beforeEach(async () => {
  home = await emptyDatabase();
  target = await testDatabase();
  await setCell(target.pool, CELL);
  await giveTestKey(target.db);
  tenant = await addFullTenant(home.db, 'moved');
  await giveHost(home, tenant.accountId, HOST);
  // Held arrivals stay; those of this account would need their bodies.
  await home.db.deleteFrom('held_arrival').execute();
});

const giveHost = ({ db }: TestDatabase, account_id: number, host: string) =>
  db.insertInto('account_host').values({ account_id, host, is_current: true }).execute();

const thawServices = (db: Db) => ({ db, accountDb: accountDbOf(db), takeHeldMail: async () => 'ignored' as const });

const move = (onStep: (step: MoveStep) => void | Promise<void> = () => {}, more: Partial<MoveParts> = {}) =>
  moveAccount(
    { home: home.service, target, url: URL_OF_HOST, lateMailTo: 'b-{key}@new.example', thawServices, onStep, ...more },
    tenant.accountId,
  );

async function refusal() {
  const done = await move(() => expect.unreachable('the move began'));
  if (!(done instanceof Problem)) return expect.unreachable();
  return [done.code, done.message];
}

async function movedTables({ service }: TestDatabase) {
  const client = await service.pool.connect();
  const tables = await readMoved(client);
  client.release();
  return tables;
}

/** Hashes the rows of the account by table, but for what a thaw changes. */
async function hashes(database: TestDatabase): Promise<Record<string, string>> {
  const tables = await movedTables(database);
  const { rows } = await database.pool.query<{ name: string; hash: string }>(
    tables
      .filter(({ name }) => name !== 'audit_event')
      .map(({ name, account }) => {
        const row = `(to_jsonb(t) - '{frozen_at,settled_at,moves,move_number,moved_to,moved_at,late_mail_to}'::text[])::text`;
        return `SELECT '${name}' AS name, count(*) || md5(coalesce(string_agg(${row}, E'\\n' ORDER BY ${row}), '')) AS hash
          FROM ${name} AS t WHERE ${account} = ${tenant.accountId}`;
      })
      .join(' UNION ALL '),
  );
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

const stateIn = async ({ db }: TestDatabase) => {
  const row = await db
    .selectFrom('account')
    .select(['frozen_at', 'moved_to', 'is_arriving', 'moves'])
    .where('id', '=', tenant.accountId)
    .executeTakeFirst();
  return row && { ...row, frozen_at: row.frozen_at !== null };
};

const HERE = { frozen_at: false, moved_to: null, is_arriving: false };
/** Of a database in the state of before the move. */
const NOT_MOVED_YET = { frozen_at: null, settled_at: null, moved_to: null, moved_at: null };
const GONE = { frozen_at: true, moved_to: URL_OF_HOST, is_arriving: false, moves: 0 };

test('each table of the catalogue is moved, or named with why it is not', async () => {
  const { rows } = await home.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class t WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
      AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = t.oid AND attname = 'account_id')`,
  );
  const left = rows.map(({ name }) => name).filter((name) => name !== 'account');
  expect([...left, 'held_arrival', 'oidc_start', 'oauth_start'].toSorted()).toStrictEqual(
    Object.keys(NOT_MOVED).toSorted(),
  );
});

test('an account moves whole: rows, numbers and sessions; its home refuses to thaw it', async () => {
  await addFullTenant(target.db, 'other');
  let before = {};
  const steps: string[] = [];
  const moved = await move(async (step) => {
    steps.push(step);
    if (step === 'copy') before = await hashes(home);
  });
  expect(moved).toMatchObject({ cell: CELL, rows: expect.any(Number) });
  expect(steps).toStrictEqual(['freeze', 'copy', 'decide', 'thaw']);
  expect(await hashes(target)).toStrictEqual(before);
  expect([await stateIn(home), await stateIn(target)]).toStrictEqual([GONE, { ...HERE, moves: 1 }]);
  const { rows } = await target.pool.query<{ last: number; is: boolean }>(
    `SELECT pg_sequence_last_value(pg_get_serial_sequence('delivery', 'id'))::integer AS last,
      pg_sequence_last_value(pg_get_serial_sequence('delivery', 'id')) >= max(id) AS is FROM delivery`,
  );
  expect(rows[0]?.is).toBe(true);
  expect(await thaw(thawServices(home.service.db), tenant.accountId)).toMatchObject({ code: 'moved' });
  // Again it changes nothing.
  expect(await move()).toMatchObject({ frozen: null });
  expect(await stateIn(target)).toStrictEqual({ ...HERE, moves: 1 });
});

test('an interrupted move is run again; a thaw at home before the decision makes the copy worthless', async () => {
  for (const [step, isThawed] of [
    ['freeze', false],
    ['copy', true],
    ['decide', true],
    ['decide', false],
  ] as const) {
    await expect(
      move((at) => {
        if (at === step) throw new Error('killed');
      }),
    ).rejects.toThrow('killed');
    expect((await stateIn(target))?.frozen_at ?? true).toBe(true);
    const there = await thaw(thawServices(target.db), tenant.accountId).catch((error: Error) => error.message);
    expect(step === 'decide' ? there : { code: 'arriving' }).toMatchObject({ code: 'arriving' });
    if (!isThawed) continue;
    expect(await thaw(thawServices(home.service.db), tenant.accountId)).toBe(0);
    await home.db
      .updateTable('account')
      .set({ company: `変更後 ${step}` })
      .where('id', '=', tenant.accountId)
      .execute();
  }
  await expect(
    move((at) => {
      if (at === 'thaw') throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  expect([await stateIn(home), await stateIn(target)]).toMatchObject([GONE, { is_arriving: true }]);
  expect(await move()).toMatchObject({ frozen: null });
  expect(await stateIn(target)).toStrictEqual({ ...HERE, moves: 1 });
  const { company } = await target.db
    .selectFrom('account')
    .select('company')
    .where('id', '=', tenant.accountId)
    .executeTakeFirstOrThrow();
  expect(company).toBe('変更後 decide');
});

test('thawed between the copy and the decision, it stays at home', async () => {
  const moved = await move(async (step) => {
    if (step === 'decide') expect(await thaw(thawServices(home.service.db), tenant.accountId)).toBe(0);
  });
  expect(moved).toMatchObject({ code: 'thawed_meanwhile' });
  expect(await stateIn(home)).toMatchObject({ moved_to: null });
});

test('a target set back to before the move gets the account again when an operator says so, and pauses', async () => {
  expect(await move()).toMatchObject({ cell: CELL });
  const { moved_at } = await home.db.selectFrom('account').select('moved_at').executeTakeFirstOrThrow();
  const tables = await movedTables(home);
  for (const lose of [
    `UPDATE account SET is_arriving = true, frozen_at = now(), settled_at = now(), move_number = 0, moves = 0
      WHERE id = ${tenant.accountId}`,
    tables.map(({ name, account }) => `DELETE FROM ${name} WHERE ${account} = ${tenant.accountId}`).join('; '),
  ]) {
    await target.pool.query(`SET session_replication_role = replica; ${lose};
      RESET session_replication_role; UPDATE installation SET rewound_at = NULL, restored_from = '2026-01-01'`);
    expect(await move()).toMatchObject({ code: 'not_there', message: expect.stringContaining('--target-restored') });
    expect([await stateIn(home), (await stateIn(target))?.frozen_at ?? true]).toStrictEqual([GONE, true]);
    expect(await move(undefined, { isTargetRestored: true })).toMatchObject({ frozen: null, cell: CELL });
    expect([await stateIn(home), await stateIn(target)]).toStrictEqual([GONE, { ...HERE, moves: 1 }]);
    const paused = ['rewound_at', 'restored_from', 'receipts_until'] as const;
    expect(await target.db.selectFrom('installation').select(paused).executeTakeFirst()).toStrictEqual({
      rewound_at: expect.any(Date),
      restored_from: moved_at,
      receipts_until: moved_at,
    });
  }
  // While it lives at its home, which answers.
  const answers = createServer((_, answer) => answer.end(JSON.stringify({ status: 'ok', account: tenant.accountId })));
  await new Promise<void>((done) => answers.listen(0, '127.0.0.1', done));
  onTestFinished(() => void answers.close());
  const moved_to = `http://127.0.0.1:${(answers.address() as AddressInfo).port}`;
  await setAccounts(home.db, { moved_to });
  expect(await move(undefined, { isTargetRestored: true })).toMatchObject({ code: 'lives_on' });
  await setAccounts(home.db, { moved_to: URL_OF_HOST });
  // Where it lives it is not replaced.
  const again = await move(undefined, { isTargetRestored: true });
  expect(again).toMatchObject({ code: 'lives_there' });
});

const movesIn = ({ db }: TestDatabase) =>
  db
    .selectFrom('audit_event')
    .select(['kind', 'member_id', 'detail'])
    .where('kind', 'in', ['account_moved', 'account_arrived'])
    .orderBy('id')
    .execute();

test('stands in the audit of both homes, once each however often it was killed', async () => {
  for (const at of ['decide', 'thaw'] as const) {
    const killed = move((step) => {
      if (step === at) throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await movesIn(target)).toStrictEqual([]);
  }
  for (const _ of ['completes it', 'changes nothing']) await move();
  const moved = { kind: 'account_moved', member_id: null, detail: { to: URL_OF_HOST, moves: 0 } };
  expect(await movesIn(home)).toStrictEqual([moved]);
  const arrived = { kind: 'account_arrived', member_id: null, detail: { from_cell: 0, moves: 1 } };
  expect(await movesIn(target)).toStrictEqual([arrived]);
});

test.each([
  ['goes on, as what it had open was asked about', { rewound_at: null, held_at: new Date(0) }, expect.any(Date)],
  ['goes on, and nobody has noticed', { rewound_at: null, held_at: null }, null],
  ['goes on in an older state', { rewound_at: null, held_at: new Date(0), server: 'before' }, null],
  ['is paused, and is not held yet', { rewound_at: new Date(0), held_at: null }, null],
  ['is paused, and is held', { rewound_at: new Date(0), held_at: new Date(1) }, new Date(1)],
])('what was open at the move waits for its members in a target set back, which %s', async (_, state, held_at) => {
  const open = `UPDATE delivery SET state = 'queued', lease_until = NULL, finished_at = NULL
    WHERE id = (SELECT min(id) FROM delivery)`;
  await home.pool.query(`${open}; UPDATE reservation SET is_sent = false, active = true`);
  const held = async ({ pool }: TestDatabase) => {
    const { rows } = await pool.query<{ runs: number; reservations: number; events: number }>(`SELECT
      (SELECT count(*)::integer FROM send_log WHERE paused_by = 'restored') AS runs,
      (SELECT count(*)::integer FROM reservation WHERE held_by_restore AND missed_at IS NOT NULL) AS reservations,
      (SELECT count(*)::integer FROM notice_event WHERE kind = 'restored') AS events`);
    return rows[0];
  };
  await move();
  const none = { runs: 0, reservations: 0, events: 0 };
  expect([await held(home), await held(target)]).toStrictEqual([none, none]);
  const tables = await movedTables(home);
  const lose = tables.map(({ name, account }) => `DELETE FROM ${name} WHERE ${account} = ${tenant.accountId}`);
  await target.pool.query(`SET session_replication_role = replica; ${lose.join('; ')}; RESET session_replication_role`);
  await addFullTenant(target.db, 'beside');
  await target.db.updateTable('installation').set(state).execute();
  expect(await move(undefined, { isTargetRestored: true })).toMatchObject({ cell: CELL });
  // Its own alone: what the others have open is not of that time.
  expect([await held(home), await held(target)]).toStrictEqual([none, { runs: 2, reservations: 1, events: 1 }]);
  expect(await target.db.selectFrom('installation').select('held_at').execute()).toStrictEqual([{ held_at }]);
});

test('a home set back to before the move, and that has no receipt of it, learns of it from the target', async () => {
  expect(await move()).toMatchObject({ cell: CELL });
  const setBack = (moves: number) =>
    setAccounts(home.db, { ...NOT_MOVED_YET, late_mail_to: null, move_number: 0, moves });
  await home.pool.query('UPDATE installation SET rewound_at = now()');
  const before = await hashes(target);
  await setBack(0);
  expect(await move()).toMatchObject({ frozen: null, rows: 0, cell: CELL });
  expect([await stateIn(home), await stateIn(target)]).toStrictEqual([GONE, { ...HERE, moves: 1 }]);
  expect(await hashes(target)).toStrictEqual(before);
  await home.pool.query('UPDATE installation SET rewound_at = NULL');
  // What has come back from there since is no such home.
  await setBack(2);
  expect(await move()).toMatchObject({ code: 'lives_there' });
  // Nor is the one that the account left for yet another.
  await setBack(0);
  await target.db
    .updateTable('account')
    .set({ frozen_at: new Date(), settled_at: new Date(), moved_to: 'https://third.example' })
    .execute();
  expect(await move()).toMatchObject({ code: 'left_later' });
});

test('a move that was killed before the thaw is completed at a home that was set back and knows it by its receipt', async () => {
  const root = mkdtempSync(join(tmpdir(), 'kaitaku-move-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const killed = move((step) => {
    if (step === 'thaw') throw new Error('killed');
  });
  await expect(killed).rejects.toThrow('killed');
  await keepMoveReceipts(home.db, receiptsOf(root, (await readInstallation(home.db)).id));
  await setAccounts(home.db, { ...NOT_MOVED_YET, move_number: 0 });
  await home.db.deleteFrom('audit_event').execute();
  expect(await restoreMoves(home.db, root)).toHaveLength(1);
  expect(await movesIn(home)).toMatchObject([{ kind: 'account_moved', detail: { to: URL_OF_HOST, moves: 0 } }]);
  expect(await move()).toMatchObject({ frozen: null, cell: CELL });
  expect([await stateIn(home), await stateIn(target)]).toStrictEqual([GONE, { ...HERE, moves: 1 }]);
});

test('while what stayed at the target is deleted, nothing is frozen', async () => {
  const client = await target.pool.connect();
  onTestFinished(() => client.release());
  await client.query('SELECT pg_advisory_lock($1::integer, $2::integer)', [...moveLockKey(tenant.accountId)]);
  expect(await refusal()).toMatchObject(['moving', expect.any(String)]);
  expect(await stateIn(home)).toMatchObject({ frozen_at: false });
  await client.query('SELECT pg_advisory_unlock_all()');
});

test('a copy that differs is undone, and of two moves one runs', async () => {
  await target.pool.query(`CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.company := NEW.company || '!'; RETURN NEW; END $$;
    CREATE TRIGGER change BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION change();
    ALTER TABLE account ENABLE ALWAYS TRIGGER change`);
  let second: unknown;
  const first = await move(async (step) => {
    if (step === 'copy') second = await move();
  });
  expect([first, second]).toMatchObject([
    { code: 'copy_differs', message: expect.stringContaining('（account）') },
    { code: 'moving' },
  ]);
  expect([await stateIn(home), await stateIn(target)]).toMatchObject([{ moved_to: null }, undefined]);
});

test('what keeps an account from moving is named before anything begins', async () => {
  expect(
    await moveAccount({ home: home.service, target: home, url: '', lateMailTo: null, thawServices }, tenant.accountId),
  ).toMatchObject({ code: 'same_database' });
  const others = await addFullTenant(target.db, 'others');
  const email = await emailOf(home.db, tenant.accountId);
  await target.db.updateTable('member').set({ email }).where('account_id', '=', others.accountId).execute();
  await giveHost(target, others.accountId, HOST);
  expect(await refusal()).toStrictEqual(['taken_there', expect.stringContaining(`${email}、${HOST}`)]);
  await target.pool.query(`INSERT INTO account (id, company) OVERRIDING SYSTEM VALUE VALUES ($1, '他社')`, [
    tenant.accountId,
  ]);
  expect((await refusal())[0]).toBe('lives_there');
  await target.pool.query(`UPDATE schema_migration SET name = 'other' WHERE version = 1`);
  expect((await refusal())[0]).toBe('other_schema');
  await home.db.deleteFrom('account_host').execute();
  expect((await refusal())[0]).toBe('no_host');
  await home.pool.query('UPDATE installation SET rewound_at = now()');
  expect((await refusal())[0]).toBe('rewound');
  expect(await stateIn(home)).toMatchObject({ frozen_at: false });
});

/** Of each: more than a disk holds. */
const FILE_BYTES = 10 ** 15;
const growFile = () =>
  home.db.updateTable('stored_file').set({ bytes: FILE_BYTES }).where('account_id', '=', tenant.accountId).execute();

test('a target on this machine whose disk has too little room is refused, with both sizes', async () => {
  expect([diskProblem(5_000_000, 5_000_000), diskProblem(5_000_000, null)]).toStrictEqual([null, null]);
  expect(diskProblem(5_000_001, 4_999_999)?.message).toMatch(/空き（5 MB）.*約 6 MB/);
  await growFile();
  expect(await refusal()).toStrictEqual(['target_full', expect.stringMatching(/約 4,000,000,\d{3} MB/)]);
});

test('the rights that the target lacks are named as SQL, and with them an ordinary role moves the account', async () => {
  const role = `mover_${crypto.randomUUID().slice(0, 8)}`;
  await target.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'geheim'`);
  await target.pool.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
  onTestFinished(async () => {
    await target.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });
  const url = new URL(target.url);
  url.username = role;
  url.password = 'geheim';
  const limited = openDatabase(url.href, { connections: 2 });
  onTestFinished(() => limited.close());
  const parts = { home: home.service, target: limited, url: URL_OF_HOST, lateMailTo: null, thawServices };
  const refused = await moveAccount(parts, tenant.accountId);
  expect(refused).toMatchObject({ code: 'missing_rights' });
  const { message } = refused as Problem;
  for (const part of [`ALTER ROLE ${role} BYPASSRLS`, `SET ON PARAMETER session_replication_role TO ${role}`])
    expect(message).toContain(part);
  const statements = message.slice(message.lastIndexOf(': ') + 2);
  await target.pool.query(statements);
  onTestFinished(async () => {
    await target.pool.query(`REVOKE SET ON PARAMETER session_replication_role FROM ${role}`);
  });
  // It may not know where the server's disk is: an unknown room keeps nothing from being moved.
  await growFile();
  expect(await moveAccount(parts, tenant.accountId)).toMatchObject({ cell: CELL });
});

test('the command moves an account, and prints the line of the map', async () => {
  const email = await emailOf(home.db, tenant.accountId);
  const run = (...args: string[]) =>
    runCommand(['account', 'move', '--email', email, '--to', target.url, ...args], {
      DATABASE_URL: home.url,
      PUBLIC_URL: 'https://kaitaku.example.jp',
      RETURN_ADDRESS: 'b-{key}@old.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
    });
  expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('--return-address') });
  expect(await run('--return-address', 'b@new.example')).toMatchObject({ code: 2 });
  const { code, out, err } = await run('--return-address', 'b-{key}@new.example');
  expect([code, err]).toStrictEqual([0, expect.stringContaining('4/4')]);
  expect(out).toContain(`\n${HOST} cell3\n`);
  expect(await stateIn(home)).toStrictEqual(GONE);
});

test('the URL of the target is read from standard input, and its password from .pgpass', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kaitaku-pgpass-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const PGPASSFILE = join(folder, 'pgpass');
  const url = new URL(target.url);
  const password = decodeURIComponent(url.password);
  url.password = '';
  const email = await emailOf(home.db, tenant.accountId);
  const run = (written: string) => {
    const { hostname, port, pathname, username } = url;
    writeFileSync(PGPASSFILE, `${hostname}:${port}:${pathname.slice(1)}:${username}:${written}\n`, { mode: 0o600 });
    return runToEnd(
      ['account', 'move', '--email', email, '--to', '-', '--without-late-mail'],
      { DATABASE_URL: home.url, PUBLIC_URL: 'https://kaitaku.example.jp', PGPASSFILE },
      `${url.href}\n`,
    );
  };
  await expect(run('wrong')).rejects.toThrow('データベースに接続できませんでした');
  const printed = await run(password);
  expect(printed).toContain(`\n${HOST} cell3\n`);
  expect(printed).not.toContain('DeprecationWarning');
  expect(await stateIn(home)).toStrictEqual(GONE);
});

test('an account with a second step moves only to a cell that is known to have its key', async () => {
  for (const secret_key of [null, 1]) {
    await target.db.updateTable('installation').set({ secret_key }).execute();
    expect(await refusal()).toStrictEqual(['other_secret_key', expect.stringContaining('secrets rotate')]);
  }
  await giveTestKey(target.db);
  await home.db.updateTable('member_totp').set({ secret_key: 1 }).execute();
  expect(await refusal()).toMatchObject({ 0: 'other_secret_key' });
  await home.db.deleteFrom('member_totp').execute();
  // Set up between the check and the freeze: the copy asks again.
  const late = await move(async (step) => {
    if (step !== 'copy') return;
    const row = { secret: Buffer.of(), secret_key: 1 };
    await home.db
      .insertInto('member_totp')
      .values({ account_id: tenant.accountId, member_id: tenant.memberId, ...row })
      .execute();
  });
  expect(late).toMatchObject({ code: 'other_secret_key' });
  await home.db.deleteFrom('member_totp').execute();
  expect(await move()).toMatchObject({ cell: CELL });
});
