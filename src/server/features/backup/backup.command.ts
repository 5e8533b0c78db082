import type pg from 'pg';
import { BEGIN_SNAPSHOT, inClientTransaction } from '../../platform/database/client-transaction.ts';
import { readApplied } from '../../platform/database/migrate.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { COMMAND, VERSION } from '../../platform/package.ts';
import { StartupError } from '../../platform/startup-error.ts';
import { allFiles, receiptsOf } from '../delivery/guard/receipt-files.ts';
import { linesOf } from '../delivery/guard/receipt-lines.ts';
import { FORMAT, type Head, lineOf, type Manifest, ROWS_END, writeArchive } from './archive.ts';
import { copyOut, lastNumber, readTables, SAME_TEXT } from './tables.ts';

/** Tables that start empty in a restored database. A backup has all others. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  schema_migration: 'the migrations write it',
  session: 'a restore ends all sessions',
  trusted_device: 'and the trust in browsers',
  oidc_start: 'and log-ins on their way',
  oauth_start: 'and consents on their way',
  email_change: 'and all mailed links',
  password_reset: 'and all mailed links',
  sender_confirmation: 'and all mailed links',
  rate_limit: 'attempts of the last hours',
  receipt_worker: 'living workers write it',
  task_run: 'running processes write it',
};

/** The first schema version that records a restore. */
const FIRST_VERSION = 8;

export interface Backup {
  readonly head: Head;
  readonly manifest: Manifest;
}

export interface BackupOptions {
  readonly root: string;
  readonly onFault: (error: unknown) => void;
}

/**
 * Writes all accounts of one snapshot, then this machine's receipts, to a new file.
 * @param pool of the role kaitaku_service
 * @param options root: `DATA_DIR/receipts`; onFault: called for each unreadable receipt, which is left out; unfinished:
 * see writeArchive()
 * @throws StartupError when there is nothing to back up, or the file cannot be written
 */
export async function writeBackup(
  pool: pg.Pool,
  path: string,
  options: BackupOptions & { readonly unfinished?: string },
): Promise<Backup> {
  return inClientTransaction(
    pool,
    async (client) => {
      await client.query(SAME_TEXT);
      const { service, ...head } = await readHead(client);
      const written = { head, manifest: EMPTY };
      async function* parts() {
        yield lineOf(head);
        const tables: Manifest['tables'] = {};
        for (const table of await readTables(client, service)) {
          if (table.name in LEFT_OUT) continue;
          yield lineOf({ table: table.name, columns: [...table.columns] });
          tables[table.name] = { ...(yield* copyOut(client, table)), last: await lastNumber(client, table) };
          yield ROWS_END;
        }
        yield lineOf('receipts');
        // Read after the snapshot: each mail sent before it has a mark in the snapshot or a receipt here.
        const receipts = yield* receiptLines(receiptsOf(options.root, head.installation), options.onFault);
        yield ROWS_END;
        written.manifest = { tables, receipts, receiptsUntil: await clock(client) };
        yield lineOf(written.manifest);
      }
      await writeArchive(path, parts(), options.unfinished);
      return { commit: true, result: written };
    },
    BEGIN_SNAPSHOT,
  );
}

const EMPTY: Manifest = { tables: {}, receipts: 0, receiptsUntil: '' };

/** Refuses an empty database: with a wrong DATA_DIR each night would back up nothing. */
const NO_ACCOUNT =
  'データベースにアカウントが1つもないため、バックアップを作りませんでした。DATA_DIR か DATABASE_URL を確認してください。';

/** @returns the head, and the role that reads */
async function readHead(client: pg.ClientBase): Promise<Head & { readonly service: string }> {
  const at = await clock(client);
  const migrations = [...(await readApplied(client))];
  const version = migrations.at(-1)?.version ?? 0;
  if (version === 0) throw new StartupError(NO_ACCOUNT);
  if (version < FIRST_VERSION) {
    throw new StartupError(
      `データベースは版 ${version} です。バックアップは版 ${FIRST_VERSION} から作れます。先に ${COMMAND} migrate を実行してください。`,
    );
  }
  const { rows } = await client.query<{ id: string; service: string; has: boolean }>(
    'SELECT id, current_user AS service, EXISTS (SELECT FROM account) AS has FROM installation',
  );
  const { id, service, has } = onlyRow(rows);
  if (!has) throw new StartupError(NO_ACCOUNT);
  return { kaitaku: 'backup', format: FORMAT, program: VERSION, migrations, at, installation: id, service };
}

/** Returns the database's clock. The first call takes the snapshot, which has nothing younger. */
async function clock(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ now: string }>(
    `SELECT to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS now`,
  );
  return onlyRow(rows).now;
}

/** Yields the receipts of a folder, one a line. A file moved meanwhile may be read twice. @returns how many */
async function* receiptLines(folder: string, onFault: (error: unknown) => void): AsyncGenerator<Buffer, number> {
  let count = 0;
  const read = new Map<string, number>();
  for (let hasMoved = true; hasMoved; ) {
    hasMoved = false;
    for (const { path, bytes } of allFiles(folder).filter((file) => read.get(file.path) !== file.bytes)) {
      const lines = linesOf(path, onFault);
      if (lines === null) hasMoved = true;
      else read.set(path, bytes);
      const receipts = (lines ?? []).flatMap(({ receipt }) => receipt ?? []);
      count += receipts.length;
      yield Buffer.from(receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join(''));
    }
  }
  return count;
}
