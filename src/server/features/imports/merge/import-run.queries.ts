import { sql } from 'kysely';
import type pg from 'pg';
import { type Db, dbOn, type Tx } from '../../../platform/database/db.ts';
import { ACCOUNT_LOCKS, lockKeyOf } from '../../../platform/database/lock-account.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import { auditInsert } from '../../audit/record-audit.ts';
import { recallNewHashes } from '../../suppressions/suppression-hash.queries.ts';
import type { ImportAnswer } from './import-report.ts';

/** The importing member, and the row of import_run. */
export interface ImportSource {
  readonly accountId: number;
  /** null: the operator. */
  readonly memberId: number | null;
  readonly importRunId: number;
  /** The sender group that gets the file's remarks; null: they are not imported. */
  readonly remarksGroupId: number | null;
}

/**
 * The account as a subquery, so that the planner does not know its value. For a known account without statistics the
 * planner expects one company, and may read all of the account's companies for each row of the file.
 */
export const ACCOUNT = '(SELECT $1::bigint)';

const { imports: IMPORT_LOCK } = ACCOUNT_LOCKS;

/** Locks the account's imports, so that they run one after the other, until the transaction ends. */
export async function lockImports(client: pg.PoolClient, accountId: number): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1, $2)', [IMPORT_LOCK, lockKeyOf(accountId)]);
}

/** Prevents imports into an account from starting, until the transaction ends. @returns false while one is running */
export async function tryLockImports(tx: Tx, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    SELECT pg_try_advisory_xact_lock_shared(${IMPORT_LOCK}::integer, ${lockKeyOf(accountId)}::integer)
      AS "isLocked"`.execute(tx);
  return rows[0]?.isLocked ?? false;
}

/**
 * Growth in rows after which the list is analyzed. Sessions keep plans for a short list, and would scan the grown list
 * once for each row (decisions/database-connections).
 */
const ANALYZE_AFTER_ROWS = 1000;

interface ImportedFile {
  readonly accountId: number;
  readonly memberId?: number | null;
  readonly fileName?: string;
  readonly remarksGroupId?: number | null;
}

/** Adds the row of import_run, to which the history of the companies refers. */
export async function addRun(
  client: pg.PoolClient,
  encoding: ImportAnswer['encoding'],
  { accountId, memberId = null, fileName = '', remarksGroupId = null }: ImportedFile,
): Promise<ImportSource> {
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO import_run
       (account_id, member_id, file_name, encoding, sender_group_id, rows_read, rows_added, rows_updated, rows_refused)
     VALUES ($1, $2, $3, $4, $5, 0, 0, 0, 0) RETURNING id`,
    [accountId, memberId, fileName.replace(/\p{Cc}/gu, '').slice(0, 255), encoding, remarksGroupId],
  );
  return { accountId, memberId, importRunId: onlyRow(rows).id, remarksGroupId };
}

type RunCounts = Pick<
  ImportAnswer,
  'encoding' | 'rowsRead' | 'added' | 'updated' | 'unchanged' | 'refused' | 'duplicates' | 'closed'
> & { readonly people?: ImportAnswer['people'] | null };

/** Records an import in its row of import_run and in the audit, in the transaction of the import. */
export async function finishRun(
  client: pg.PoolClient,
  db: Db,
  { accountId, memberId, importRunId }: ImportSource,
  counts: RunCounts,
): Promise<void> {
  const { encoding, rowsRead, added, updated, unchanged, refused, duplicates, closed, people } = counts;
  await recallNewHashes(dbOn(client) as Tx, accountId);
  await client.query(
    `UPDATE import_run
     SET state = 'imported', imported_at = now(), encoding = $3, rows_read = $4, rows_added = $5, rows_updated = $6,
       rows_unchanged = $7, rows_refused = $8, rows_repeated = $9, rows_closed = $10,
       people_added = $11, people_updated = $12, people_unchanged = $13
     WHERE account_id = $1 AND id = $2`,
    [
      accountId,
      importRunId,
      encoding,
      rowsRead,
      added,
      updated,
      unchanged,
      refused,
      duplicates,
      closed,
      people?.added ?? null,
      people?.updated ?? null,
      people?.unchanged ?? null,
    ],
  );
  const detail = { import_run_id: importRunId, added, updated, refused };
  const event = auditInsert(db, { accountId, memberId, kind: 'prospects_imported', detail }).compile();
  await client.query(event.sql, [...event.parameters]);
  if (added >= ANALYZE_AFTER_ROWS) await client.query('SELECT analyze_companies()');
}
