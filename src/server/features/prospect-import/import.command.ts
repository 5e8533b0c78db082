import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { dayOf } from '#domain/tokyo-time.ts';
import type { Database, Db } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { auditInsert } from '../audit/record-audit.ts';
import { detectEncoding, type Encoding } from './file-encoding.ts';
import { createReport, type ReportLine } from './import-report.ts';
import { deleteExistingRows, deleteRepeatedRows, insertStagedRows, updateExisting } from './merge.queries.ts';
import { MAX_FILE_BYTES, withSourceFile } from './source-file.ts';
import { stageFile } from './stage-file.ts';

/*
 * The import of a CSV list of companies. A file passes these steps. All of its rows are read before any is merged.
 *
 * 1. source-file: stores an upload in a temporary file and limits its size.
 * 2. file-encoding: detects UTF-8 or CP932.
 * 3. read-records, csv-parser: decode and parse the file piece by piece.
 * 4. header, columns: match the headings with columns and their units.
 * 5. check-row, check-cell: read the values of each row. cell-text cleans a cell; list-number, establishment-year and
 *    web-address read one kind of value each.
 * 6. stage-file, staging: COPY the good rows into a temporary table. industry-dictionary numbers their industries.
 * 7. merge.queries: merges this table with the account's prospects.
 * 8. import-report, faults: report refused rows and notices.
 *
 * A file that cannot be read at all is a Refusal. A row that cannot be read is a line of the report.
 */

export interface ImportOptions {
  accountId: number;
  /** Who imports. Null, the default: the operator, who is no member. */
  memberId?: number | null;
  /** The path of a file, or a stream of its bytes. */
  file: string | Readable;
  /** The file's name as its user knows it; by default the last part of the path. */
  fileName?: string;
  /** Imports the good rows of a file that has bad ones. By default such a file changes nothing. */
  skipRefused?: boolean;
  /** Rolls the import back: the answer says what it would change. */
  dryRun?: boolean;
  /** Epoch milliseconds. */
  now?: number;
  maxBytes?: number;
}

/** What an import did. Of an accepted file, rowsRead = added + updated + unchanged + refused + duplicates. */
export interface ImportAnswer {
  /** No row was refused, or refused rows were to be skipped. */
  accepted: boolean;
  /** The file was accepted and this was not a dry run. Otherwise nothing has changed. */
  imported: boolean;
  encoding: Encoding;
  rowsRead: number;
  added: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Rows whose company is in an earlier row of the file. */
  duplicates: number;
  /** Headings that match no column of an import. */
  ignoredColumns: string[];
  /** The first 1,000 of `reportTotal` lines. */
  report: ReportLine[];
  reportTotal: number;
}

/** The first key of an advisory lock, by which imports into one account take turns. The second key is the account. */
const IMPORT_LOCK = 4_202_614;
const UNIQUE_VIOLATION = '23505';

/**
 * Imports a CSV list of companies (UTF-8 or CP932) into an account, in one transaction.
 * A company that the account has already (same name and address) takes the values of the file that differ from its own;
 * a blank cell changes nothing. The history of its mails, its active flags and suppressions stay.
 * @returns a Refusal where the file cannot be read
 */
export function importProspects(
  database: Pick<Database, 'db' | 'pool'>,
  options: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  return withSourceFile(options.file, options.maxBytes ?? MAX_FILE_BYTES, async (path) => {
    const encoding = await detectEncoding(path);
    if (encoding instanceof Refusal) return encoding;
    try {
      return await importInTransaction(database, path, encoding, options);
    } catch (error) {
      // Another transaction has added a company of the file meanwhile. A second try sees it.
      if (!(error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION)) throw error;
      return importInTransaction(database, path, encoding, options);
    }
  });
}

async function importInTransaction(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  path: string,
  encoding: Encoding,
  options: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', [IMPORT_LOCK, options.accountId]);
    const answer = await importFile(client, path, encoding, options);
    const imported = !(answer instanceof Refusal) && answer.imported;
    if (imported) await logRun(client, db, { ...options, fileName: options.fileName ?? basename(path) }, answer);
    await client.query(imported ? 'COMMIT' : 'ROLLBACK');
    client.release();
    return answer;
  } catch (error) {
    // Closes the connection, which ends an open COPY and rolls the transaction back.
    client.release(error as Error);
    throw error;
  }
}

async function importFile(
  client: pg.PoolClient,
  path: string,
  encoding: Encoding,
  { accountId, skipRefused = false, dryRun = false, now = Date.now() }: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  const report = createReport();
  const latestYear = Number(dayOf(now).slice(0, 4)) + 1;
  const staged = await stageFile(client, path, { accountId, encoding, latestYear, skipRefused }, report);
  if (staged instanceof Refusal) return staged;

  const noChanges = { added: 0, updated: 0, unchanged: 0, duplicates: 0 };
  const accepted = skipRefused || report.refused() === 0;
  const imported = accepted && !dryRun;
  const counts = accepted ? await merge(client, accountId, staged.rowsRead, report) : noChanges;
  return { accepted, imported, encoding, ...staged, ...counts, ...report.finish() };
}

async function merge(
  client: pg.PoolClient,
  accountId: number,
  rowsRead: number,
  report: ReturnType<typeof createReport>,
) {
  const { total: duplicates, repeats } = await deleteRepeatedRows(client);
  report.notice(
    repeats.map(({ row, firstRow, companyName }) => ({
      row,
      message: `「${companyName}」は${firstRow}行目と同じ会社（会社名と住所が同じ）のため、取り込みませんでした。`,
    })),
    duplicates,
  );
  // Autovacuum does not analyse temporary tables, and without statistics the planner expects a small one.
  await client.query('SET LOCAL default_statistics_target = 10; ANALYZE import_row (identity_key)');
  const updated = await updateExisting(client, accountId);
  await deleteExistingRows(client, accountId);
  const added = await insertStagedRows(client, accountId);
  return { added, updated, unchanged: rowsRead - report.refused() - duplicates - updated - added, duplicates };
}

/** Records the import in import_run and in the audit, in the transaction of the import. */
async function logRun(
  client: pg.PoolClient,
  db: Db,
  { accountId, memberId = null, fileName = '' }: ImportOptions,
  answer: ImportAnswer,
): Promise<void> {
  const { encoding, rowsRead, added, updated, refused } = answer;
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO import_run
       (account_id, member_id, file_name, encoding, rows_read, rows_added, rows_updated, rows_refused)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
    [accountId, memberId, fileName.replace(/\p{Cc}/gu, '').slice(0, 255), encoding, rowsRead, added, updated, refused],
  );
  const detail = { import_run_id: rows[0]?.id ?? 0, added, updated, refused };
  const { sql, parameters } = auditInsert(db, { accountId, memberId, kind: 'prospects_imported', detail }).compile();
  await client.query(sql, [...parameters]);
}
