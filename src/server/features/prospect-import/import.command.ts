import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type pg from 'pg';
import { dayOf } from '#domain/tokyo-time.ts';
import { BEGIN_READING, inClientTransaction } from '../../platform/client-transaction.ts';
import type { Database, Db, Tx } from '../../platform/db.ts';
import { dbOn, violatedKey } from '../../platform/db.ts';
import { onlyRow } from '../../platform/only-row.ts';
import { Refusal } from '../../platform/refusal.ts';
import { auditInsert } from '../audit/record-audit.ts';
import { recallNewHashes } from '../suppressions/suppression-hash.queries.ts';
import type { Encoding } from './file-encoding.ts';
import { type Mapping, NO_MAPPING } from './header.ts';
import { lockImports } from './import-lock.ts';
import { createReport, type ReportGroup, type ReportLine } from './import-report.ts';
import { importRows } from './import-rows.ts';
import { formatOf, type ListFile, withListFile } from './list-file.ts';
import type { ImportSource } from './merge.queries.ts';
import { MAX_FILE_BYTES, withSourceFile } from './source-file.ts';

/*
 * The import of a list of companies. A file passes these steps; all of it is one transaction.
 *
 * 1. source-file: stores an upload in a temporary file and limits its size.
 * 2. list-file: decides by file-kind what the file is. A workbook becomes CSV, in a thread of its own (workbook/); the
 *    encoding of other files is detected (file-encoding).
 * 3. read-records, csv-parser, csv-record: decode and parse the file piece by piece.
 * 4. find-header, header, columns, address-parts, nta-file: which columns of the file are which fields, in which
 *    units. A person may have chosen them (chosen-table).
 * 5. check-row, check-cell: read the values of each row. cell-text cleans a cell; list-number, establishment-year,
 *    list-day, publication-notice and web-address read one kind of value each.
 * 6. repeated-rows, staging: COPY a batch of good rows into a temporary table. industry-dictionary numbers their
 *    industries.
 * 7. merge.queries: merges this table with the account's prospects.
 * 8. import-report, faults: report what is wrong with rows.
 *
 * import-rows runs steps 3 to 7. A batch is merged while the next is read, so a file that is refused at its end is
 * rolled back. A file that cannot be read at all is a Refusal. A row that cannot be read is a line of the report.
 *
 * importProspects serves the command line. In the browser (features/imports) a person first sees the beginning of the
 * file with proposed columns (look-at-head); then jobs run importRows: a check, which is rolled back, and the import.
 */

export interface ImportOptions {
  accountId: number;
  /** Who imports. Null, the default: the operator, who is no member. */
  memberId?: number | null;
  /** The path of a file, or a stream of its bytes. */
  file: string | Readable;
  /** The file's name as its user knows it; by default the last part of the path. */
  fileName?: string;
  /** The name of the sheet of a workbook; by default the first one with values. */
  sheet?: string | undefined;
  /** Headings of the file that the user chose for fields. The others are recognised by their names. */
  mapping?: Mapping;
  /** Imports the good rows of a file that has bad ones. By default such a file changes nothing. */
  skipRefused?: boolean;
  /** Rolls the import back: the answer says what it would change. */
  dryRun?: boolean;
  /** Epoch milliseconds. */
  now?: number;
  maxBytes?: number;
}

/** What an import did. Of an accepted file, rowsRead is the sum of added … closed. */
export interface ImportAnswer {
  /** No row was refused, or refused rows were to be skipped. */
  accepted: boolean;
  /** The file was accepted and this was not a dry run. Otherwise nothing has changed. */
  imported: boolean;
  encoding: Encoding | 'xlsx';
  /** The sheet that was read, and all sheets; null for CSV. */
  workbook: ListFile['workbook'];
  rowsRead: number;
  added: number;
  updated: number;
  unchanged: number;
  refused: number;
  /** Rows whose company is in an earlier row of the file. */
  duplicates: number;
  /** Rows of companies that are closed, as the file states. */
  closed: number;
  /** Cells that could not be read and were left blank, in rows that are imported. */
  blanked: number;
  /** Headings that match no column of an import. */
  ignoredColumns: string[];
  /** The first 1,000 of `reportTotal` lines. */
  report: ReportLine[];
  reportTotal: number;
  /** All lines of the report, grouped by reason, refused rows first. */
  reportGroups: ReportGroup[];
}

/** Plans that sessions keep for a short list would scan a list that grew by so many rows, once for each row (0152). */
const ANALYZE_AFTER_ROWS = 1000;

/** Another transaction has added a company of the file meanwhile. A second try sees it. */
export const isAddedMeanwhile = (error: unknown): boolean => violatedKey(error) !== null;

/**
 * Imports a list of companies (CSV in UTF-8 or CP932, or xlsx) into an account, in one transaction.
 * A company that the account has already (same corporate number, or same name and address) takes the values of the file
 * that differ from its own; a blank cell changes nothing. The history of its mails, its active flags and suppressions
 * stay.
 * @returns a Refusal where the file cannot be read
 */
export function importProspects(
  database: Pick<Database, 'db' | 'pool'>,
  options: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  return withSourceFile(options.file, options.maxBytes ?? MAX_FILE_BYTES, (path) =>
    withListFile(path, { sheet: options.sheet }, async (list) => {
      const named = { ...options, fileName: options.fileName ?? basename(path) };
      try {
        return await importInTransaction(database, list, named);
      } catch (error) {
        if (!isAddedMeanwhile(error)) throw error;
        return importInTransaction(database, list, named);
      }
    }),
  );
}

function importInTransaction(
  { db, pool }: Pick<Database, 'db' | 'pool'>,
  list: ListFile,
  options: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  return inClientTransaction<ImportAnswer | Refusal>(
    pool,
    async (client) => {
      await lockImports(client, options.accountId);
      const source = await addRun(client, formatOf(list), options);
      const result = await importFile(client, list, source, options);
      const commit = !(result instanceof Refusal) && result.imported;
      if (commit) await finishRun(client, db, source, result);
      return { commit, result };
    },
    BEGIN_READING,
  );
}

/** The last year that is accepted as the year of establishment. @param now epoch milliseconds */
export const latestYearAt = (now: number): number => Number(dayOf(now).slice(0, 4)) + 1;

async function importFile(
  client: pg.PoolClient,
  list: ListFile,
  source: ImportSource,
  { mapping = NO_MAPPING, skipRefused = false, dryRun = false, now = Date.now() }: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  const report = createReport();
  const options = { source, mapping, latestYear: latestYearAt(now), skipRefused };
  const rows = await importRows(client, list, options, report);
  if (rows instanceof Refusal) return rows;

  const accepted = skipRefused || report.count('refused') === 0;
  // Merging stopped at the first refused row, so these would be the figures of a part of the file.
  if (!accepted) report.forget('repeated');
  const { added, updated, unchanged } = accepted ? rows : { added: 0, updated: 0, unchanged: 0 };
  return {
    accepted,
    imported: accepted && !dryRun,
    encoding: formatOf(list),
    workbook: list.workbook,
    rowsRead: rows.rowsRead,
    added,
    updated,
    unchanged,
    refused: report.count('refused'),
    duplicates: report.count('repeated'),
    closed: report.count('closed'),
    blanked: report.count('blanked'),
    ignoredColumns: rows.ignoredColumns,
    ...report.finish(),
  };
}

/** Adds the row of import_run, which the history of the companies names. */
async function addRun(
  client: pg.PoolClient,
  encoding: ImportAnswer['encoding'],
  { accountId, memberId = null, fileName = '' }: ImportOptions,
): Promise<ImportSource> {
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO import_run
       (account_id, member_id, file_name, encoding, rows_read, rows_added, rows_updated, rows_refused)
     VALUES ($1, $2, $3, $4, 0, 0, 0, 0) RETURNING id`,
    [accountId, memberId, fileName.replace(/\p{Cc}/gu, '').slice(0, 255), encoding],
  );
  return { accountId, memberId, importRunId: onlyRow(rows).id };
}

/** Records an import in its row of import_run and in the audit, in the transaction of the import. */
export async function finishRun(
  client: pg.PoolClient,
  db: Db,
  { accountId, memberId, importRunId }: ImportSource,
  counts: Pick<ImportAnswer, 'encoding' | 'rowsRead' | 'added' | 'updated' | 'unchanged' | 'refused'>,
): Promise<void> {
  const { encoding, rowsRead, added, updated, unchanged, refused } = counts;
  await recallNewHashes(dbOn(client) as Tx, accountId);
  await client.query(
    `UPDATE import_run
     SET state = 'imported', imported_at = now(), encoding = $3, rows_read = $4, rows_added = $5, rows_updated = $6,
       rows_unchanged = $7, rows_refused = $8
     WHERE account_id = $1 AND id = $2`,
    [accountId, importRunId, encoding, rowsRead, added, updated, unchanged, refused],
  );
  const detail = { import_run_id: importRunId, added, updated, refused };
  const { sql, parameters } = auditInsert(db, { accountId, memberId, kind: 'prospects_imported', detail }).compile();
  await client.query(sql, [...parameters]);
  if (added >= ANALYZE_AFTER_ROWS) await client.query('SELECT analyze_companies()');
}
