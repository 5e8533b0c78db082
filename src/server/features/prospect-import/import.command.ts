import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { dayOf } from '#domain/tokyo-time.ts';
import type { Database } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import { detectEncoding, type Encoding } from './file-encoding.ts';
import { createReport, type ReportLine } from './import-report.ts';
import { dropExisting, dropRepeats, insertStaged, updateExisting } from './merge.queries.ts';
import { MAX_FILE_BYTES, withSourceFile } from './source-file.ts';
import { stageFile } from './stage-file.ts';

export interface ImportOptions {
  accountId: number;
  /** A path, or the file as it comes in. */
  file: string | Readable;
  /** As the user knows the file; by default the path's last part. */
  fileName?: string;
  /** Import the good rows of a file that has bad ones. Otherwise such a file changes nothing. */
  skipRefused?: boolean;
  /** Do all of it and roll back: the answer says what an import would change. */
  dryRun?: boolean;
  /** Epoch milliseconds. */
  now?: number;
  maxBytes?: number;
}

/**
 * accepted: the file has no refused row, or they may be skipped. imported: it was, and was not a dry run; else nothing changed.
 * rowsRead = added + updated + unchanged + refused + duplicates when accepted.
 * duplicates: rows whose company stands in an earlier row of the file. report: at most 1,000 of `reportTotal` lines.
 */
export interface ImportAnswer {
  accepted: boolean;
  imported: boolean;
  encoding: Encoding;
  rowsRead: number;
  added: number;
  updated: number;
  unchanged: number;
  refused: number;
  duplicates: number;
  /** Headings that mean no field. */
  ignoredColumns: string[];
  report: ReportLine[];
  reportTotal: number;
}

/** Any fixed number: imports into one account take turns, so that they agree on its dictionary and its companies. */
const LOCK = 4_202_614;
const UNIQUE_VIOLATION = '23505';

/**
 * Imports a CSV list of companies (UTF-8 or CP932) into an account: all of it in one transaction or nothing. A company that is
 * there (same name and address) gets the file's values where they differ, and is never blanked. What was sent to it, its active
 * flag and suppressions are not touched.
 * @returns a Refusal when the file cannot be read
 */
export function importProspects(
  { pool }: Pick<Database, 'pool'>,
  options: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  return withSourceFile(options.file, options.maxBytes ?? MAX_FILE_BYTES, async (path) => {
    const encoding = await detectEncoding(path);
    if (encoding instanceof Refusal) return encoding;
    try {
      return await importInTransaction(pool, path, encoding, options);
    } catch (error) {
      // A company of the file was added from elsewhere at the same time: now it is there to be seen.
      if (!(error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION)) throw error;
      return importInTransaction(pool, path, encoding, options);
    }
  });
}

async function importInTransaction(
  pool: pg.Pool,
  path: string,
  encoding: Encoding,
  options: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK, options.accountId]);
    const answer = await importFile(client, path, encoding, options);
    const imported = !(answer instanceof Refusal) && answer.imported;
    await client.query(imported ? 'COMMIT' : 'ROLLBACK');
    client.release();
    return answer;
  } catch (error) {
    // Ends the connection, and with it a COPY or transaction that is half-way through.
    client.release(error as Error);
    throw error;
  }
}

async function importFile(
  client: pg.PoolClient,
  path: string,
  encoding: Encoding,
  { accountId, fileName = basename(path), skipRefused = false, dryRun = false, now = Date.now() }: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  const report = createReport();
  const latestYear = Number(dayOf(now).slice(0, 4)) + 1;
  const staged = await stageFile(client, path, { accountId, encoding, latestYear, skipRefused }, report);
  if (staged instanceof Refusal) return staged;

  const nothing = { added: 0, updated: 0, unchanged: 0, duplicates: 0 };
  const accepted = skipRefused || report.refused() === 0;
  const imported = accepted && !dryRun;
  const counts = accepted ? await merge(client, accountId, staged.rowsRead, report) : nothing;
  const answer = { accepted, imported, encoding, ...staged, ...counts, ...report.finish() };
  if (imported) await logRun(client, accountId, fileName, answer);
  return answer;
}

async function merge(
  client: pg.PoolClient,
  accountId: number,
  rowsRead: number,
  report: ReturnType<typeof createReport>,
) {
  const { total: duplicates, repeats } = await dropRepeats(client);
  report.notice(
    repeats.map(({ row, firstRow, companyName }) => ({
      row,
      message: `「${companyName}」は${firstRow}行目と同じ会社（会社名と住所が同じ）のため、取り込みませんでした。`,
    })),
    duplicates,
  );
  // Autovacuum does not see temporary tables: without numbers the planner takes a large one for a small one.
  await client.query('SET LOCAL default_statistics_target = 10; ANALYZE import_row (identity_key)');
  const updated = await updateExisting(client, accountId);
  await dropExisting(client, accountId);
  const added = await insertStaged(client, accountId);
  return { added, updated, unchanged: rowsRead - report.refused() - duplicates - updated - added, duplicates };
}

async function logRun(client: pg.PoolClient, accountId: number, fileName: string, answer: ImportAnswer): Promise<void> {
  const { encoding, rowsRead, added, updated, refused } = answer;
  await client.query(
    `INSERT INTO import_run (account_id, file_name, encoding, rows_read, rows_added, rows_updated, rows_refused)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [accountId, fileName.replace(/\p{Cc}/gu, '').slice(0, 255), encoding, rowsRead, added, updated, refused],
  );
}
