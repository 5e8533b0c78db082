import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { keepCell } from '../../platform/database/cell.ts';
import { inClientTransaction } from '../../platform/database/client-transaction.ts';
import { isBeginning, MIGRATION_LOCK, readApplied } from '../../platform/database/migrate.ts';
import { otherClients } from '../../platform/database/other-clients.ts';
import { roleName } from '../../platform/database/roles/database-roles.ts';
import { prefixOfRights } from '../../platform/database/roles/move-rights.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { auditOfAll } from '../audit/record-audit.ts';
import { receiptsOf } from '../delivery/guard/receipt-files.ts';
import { type Head, isBroken, type Manifest, readArchive } from './archive.ts';
import { type Backup, LEFT_OUT } from './backup.command.ts';
import { wholeLines } from './check-backup.ts';
import { copyIn, raiseNumber, readTables, SAME_TEXT, sumOf, type Table } from './tables.ts';

/**
 * Refuses a database that is not empty or is in use.
 * @param pool of the owner role
 * @throws StartupError
 */
export async function refuseUsed(pool: pg.Pool): Promise<void> {
  const clients = await otherClients(pool);
  if (clients.length > 0) {
    const users = clients.map(({ role, address }) => (address === null ? role : `${role}（${address} から）`));
    throw new StartupError(
      `動いているKaitakuが、このデータベースを使っています: ${users.join('、')}。すべて終えてから、もう一度実行してください。`,
    );
  }
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'schema_migration'
       AND ($1::name IS NULL OR NOT has_table_privilege($1::name, oid, 'SELECT'))`,
    [await serviceOf(pool)],
  );
  if (rows.length > 0) {
    throw new StartupError(
      `このデータベースには、Kaitakuのものではない表があります（${rows.map(({ name }) => name).join('、')}）。空のデータベースを DATABASE_URL に指定してください。`,
    );
  }
  await inClientTransaction(pool, async (client) => ({ commit: false, result: await refuseAccounts(client) }));
}

/** Returns the role kaitaku_service of a database; null: it is not Kaitaku's. */
async function serviceOf(db: Pick<pg.Pool, 'query'>): Promise<string | null> {
  const prefix = await prefixOfRights(db);
  return prefix && roleName(prefix, 'service');
}

/** @param client in a transaction that the owner rolls back unless it restores */
async function refuseAccounts(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(`SELECT to_regclass('public.account') IS NOT NULL AS there`);
  if (rows[0]?.there !== true) return;
  // Forced row level security may hide the accounts from the owner role.
  await client.query('ALTER TABLE account NO FORCE ROW LEVEL SECURITY');
  const accounts = await client.query('SELECT FROM account LIMIT 1');
  if (accounts.rowCount === 0) return;
  throw new StartupError(
    'このデータベースには、すでにアカウントがあります。復元できるのは、空のデータベースか、アカウントのないKaitakuのデータベースだけです。' +
      'DATA_DIR か DATABASE_URL に別のものを指定してください。',
  );
}

/**
 * Drops tables and functions of another schema version than the backup's: migrations only lead forward.
 * @param pool of the owner role, for a database that refuseUsed() accepts
 */
export async function dropOther(pool: pg.Pool, { migrations }: Pick<Head, 'migrations'>): Promise<void> {
  const service = await serviceOf(pool);
  if (service === null || isBeginning(await readApplied(pool), migrations)) return;
  const tables = await readTables(pool, service);
  const { rows } = await pool.query<{ statement: string }>(
    `SELECT format('DROP ROUTINE IF EXISTS %s CASCADE', oid::regprocedure) AS statement FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND pg_has_role(proowner, 'USAGE')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')`,
  );
  const drops = [
    ...tables.map(({ name }) => `DROP TABLE IF EXISTS ${name} CASCADE`),
    ...rows.map((row) => row.statement),
  ];
  await inClientTransaction(pool, async (client) => {
    // Another process may have started since and created an account.
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await refuseAccounts(client);
    await client.query(drops.join('; '));
    return { commit: true, result: undefined };
  });
}

interface LoadOptions {
  /** `DATA_DIR/receipts`. */
  readonly root: string;
  /** The setting CELL; null: not set. */
  readonly cell: number | null;
  /** Whether mailboxes are disconnected: a copy would read them beside the original. */
  readonly withoutMailboxes: boolean;
}

/**
 * Loads a checked backup in one transaction, and adds its receipts to this machine's. The restored database has sending
 * paused and no sessions.
 * @param pool of the owner role, for a database without accounts and of the backup's version
 * @throws StartupError when the loaded rows differ from the backup, or the database was used meanwhile; nothing has
 * changed then
 */
export async function loadBackup(
  pool: pg.Pool,
  path: string,
  backup: Backup,
  { root, cell, withoutMailboxes }: LoadOptions,
): Promise<void> {
  const receipts = receiptFolder(receiptsOf(root, backup.head.installation), path);
  let isLoaded = false;
  try {
    await inClientTransaction(pool, async (client) => {
      await client.query(`SET LOCAL idle_in_transaction_session_timeout = 0; ${SAME_TEXT}`);
      // Blocks processes that start now, as a migration does.
      await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      const tables = await readTables(client, (await serviceOf(client)) ?? '');
      const close = await openForLoad(client, tables);
      await refuseAccounts(client);
      const emptied = tables.map(({ name }) => name).filter((name) => name !== 'schema_migration');
      await client.query(`TRUNCATE ${emptied.join(', ')}`);
      await loadParts(client, tables, path, receipts);
      await compare(client, tables, backup.manifest);
      await keepCell(client, cell);
      await raiseNumbers(client, tables, backup.manifest);
      await pause(client, backup);
      if (withoutMailboxes && 'mailbox' in backup.manifest.tables) await disconnectMailboxes(client);
      await close();
      isLoaded = true;
      return { commit: true, result: undefined };
    });
  } catch (error) {
    // A commit whose answer was lost may have succeeded.
    if (!isLoaded) receipts.remove();
    throw isOfRows(error) ? unfit(path, error) : error;
  }
}

/** Checks whether the rows caused an error: by their text (class 22), keys and rules (23), or size (54). */
const isOfRows = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && /^(?:22|23|54)/.test(error.code ?? '');

/** The server's own message quotes the rows, which could send escape sequences to a terminal. */
const unfit = (path: string, { code, table, constraint }: pg.DatabaseError) =>
  new StartupError(
    `${path} の行がデータベースの規則に合わないため、取り消しました（${[code, table, constraint].filter(Boolean).join(' ')}）。別のバックアップを使ってください。`,
  );

/**
 * Disables what would refuse or change rows loaded table by table: forced row security, triggers, foreign keys.
 * @returns the statements that enable it again
 */
async function openForLoad(client: pg.ClientBase, tables: readonly Table[]): Promise<() => Promise<void>> {
  const forced = await statements(
    client,
    `SELECT format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', oid::regclass) AS statement FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relforcerowsecurity`,
  );
  const keys = `FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'f'`;
  const made = await statements(
    client,
    `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
       AS statement ${keys}`,
  );
  const dropped = await statements(
    client,
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS statement ${keys}`,
  );
  const each = (change: string) => tables.map(({ name }) => `ALTER TABLE ${name} ${change}`);
  const run = (...lists: string[][]) => client.query(lists.flat().join('; '));
  await run(each('NO FORCE ROW LEVEL SECURITY'), each('DISABLE TRIGGER USER'), dropped);
  return async () => void (await run(made, each('ENABLE TRIGGER USER'), forced));
}

const statements = async (client: pg.ClientBase, query: string): Promise<string[]> =>
  (await client.query<{ statement: string }>(query)).rows.map(({ statement }) => statement);

async function loadParts(
  client: pg.ClientBase,
  tables: readonly Table[],
  path: string,
  receipts: ReturnType<typeof receiptFolder>,
): Promise<void> {
  const byName = new Map(tables.map((table) => [table.name, table]));
  for await (const part of readArchive(path)) {
    if (part.kind === 'table') {
      const table = byName.get(part.table);
      // The names go into SQL, so only those of the catalog pass. Sessions are not restored: each would be a log-in.
      if (table?.columns.join() !== part.columns.join() || part.table in LEFT_OUT) throw isBroken(path);
      await copyIn(client, table, part.rows, { isEmptied: true });
    } else if (part.kind === 'receipts') await receipts.add(part.rows);
  }
}

/** Sets identity sequences after the backup's numbers. Runs last, because no rollback undoes it. */
async function raiseNumbers(client: pg.ClientBase, tables: readonly Table[], { tables: of }: Manifest): Promise<void> {
  for (const table of tables) await raiseNumber(client, table, of[table.name]?.last ?? null);
}

/** Compares each table with the manifest. @throws StartupError */
async function compare(client: pg.ClientBase, tables: readonly Table[], { tables: expected }: Manifest): Promise<void> {
  const differing: string[] = [];
  const loaded = tables.filter(({ name }) => !(name in LEFT_OUT));
  for (const table of loaded) {
    const { rows, sha256 } = await sumOf(client, table);
    if (rows !== expected[table.name]?.rows || sha256 !== expected[table.name]?.sha256) differing.push(table.name);
  }
  if (differing.length === 0 && loaded.length === Object.keys(expected).length) return;
  throw new StartupError(
    `読み込んだ内容がバックアップと一致しないため、取り消しました（${differing.join('、') || '表の数'}）。この結果を開発元に知らせてください。`,
  );
}

/**
 * Pauses sending, invalidates mailed links, and records the restore.
 * The next server process that answers adopts this state: it must not look like another set-back (recordServer).
 */
async function pause(client: pg.ClientBase, { head, manifest }: Backup): Promise<void> {
  await client.query(
    `UPDATE installation SET rewound_at = now(), restored_from = $1, receipts_until = $2, server = NULL,
       setup_key_hash = NULL, setup_expires_at = NULL`,
    [head.at, manifest.receiptsUntil],
  );
  await client.query('UPDATE member SET email_before_confirmation = NULL WHERE email_before_confirmation IS NOT NULL');
  // Older backups have no such table. An expired invitation can be sent again.
  if ('invitation' in manifest.tables) {
    await client.query(
      `UPDATE invitation SET secret_hash = NULL, expires_at = least(expires_at, now())
       WHERE accepted_at IS NULL AND cancelled_at IS NULL`,
    );
  }
  await client.query(auditOfAll('restored', { backup_at: head.at }));
}

/** Before the commit, so that no reader of the copy finds a mailbox, even if this process is killed. */
const disconnectMailboxes = (client: pg.ClientBase): Promise<unknown> =>
  client.query(`UPDATE mailbox SET state = 'off', secret = NULL, secret_key = NULL, token_expires_at = NULL`);

/** Adds a backup's receipts to a folder as new files. Workers merge them like those of a dead worker. */
function receiptFolder(folder: string, backup: string) {
  const written: string[] = [];
  const isNew = !existsSync(folder);

  async function write(lines: Buffer): Promise<void> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, randomUUID());
    const file = await open(path, 'wx', 0o600);
    written.push(path);
    try {
      await file.writeFile(lines);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  return {
    async add(rows: AsyncIterable<Buffer>): Promise<void> {
      for await (const lines of wholeLines(rows, backup)) await write(lines);
    },
    /** Removes the added files. */
    remove(): void {
      for (const path of written) rmSync(path, { force: true });
      if (isNew && existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
    },
  };
}
