import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type pg from 'pg';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { BEGIN_READING, inClientTransaction } from '../../../platform/database/client-transaction.ts';
import { type Database, dbOn, type Tx, violatedKey } from '../../../platform/database/db.ts';
import { Problem, type Refusal } from '../../../platform/problem.ts';
import { companiesFault } from '../../prospects/companies-max.queries.ts';
import { noRemarksGroup } from '../read/faults.ts';
import { formatOf, type ListFile, withListFile } from '../read/list-file.ts';
import { type Mapping, NO_MAPPING } from '../read/table/headings.ts';
import type { ImportAnswer } from './import-report.ts';
import { createReport } from './import-report.ts';
import { importRows } from './import-rows.ts';
import type { ImportSource } from './import-run.queries.ts';
import { addRun, finishRun, lockImports } from './import-run.queries.ts';

/*
 * The import of a list of companies. A file passes these steps; from the second on they are one transaction.
 *
 * 1. list-file: stores a stream in a temporary file and limits its size. Detects the kind of file: a workbook becomes
 *    CSV, in a thread of its own (workbook/); the encoding of other files is detected.
 * 2. read-records: decodes and parses the file piece by piece.
 * 3. find-header, header, headings, columns, address-parts, nta-file: map columns to fields and units.
 *    A person may have chosen them: by heading on the command line (Mapping), by position in the browser
 *    (ChosenTable).
 * 4. foot-lines: removes totals and notes. check-row: reads the values of each row. cell-text cleans a cell,
 *    domain/blank-text recognises texts for "no value"; list-number, establishment-year, list-day, publication-notice
 *    and web-address read one kind each.
 * 5. staging: copies a batch of good rows, without repeats, into a temporary table, with the numbers of industries.
 * 6. merge.queries: merges this table with the account's prospects. remarks.queries: the remarks go to one of its
 *    sender groups.
 * 7. import-report, faults: report the faults of rows.
 *
 * import-rows runs steps 2 to 6. A batch is merged while the next is read, so a file that is refused at its end is
 * rolled back. A file that cannot be read at all is a Problem. A row that cannot be read is a line of the report.
 *
 * importProspects serves the command line. In the browser (features/imports) a person first sees the beginning of the
 * file with proposed columns (look-at-head); then jobs run importRows: a check, which is rolled back, and the import.
 */

export interface ImportOptions {
  accountId: number;
  /** The importing member. Null, the default: the operator. */
  memberId?: number | null;
  /** The path of a file, or a stream of its bytes. */
  file: string | Readable;
  /** The file's name as the user sees it; by default the last part of the path. */
  fileName?: string;
  /** The sheet's name in a workbook; by default the proposed one (workbook-to-csv). */
  sheet?: string | undefined;
  /** The sender group that gets the file's remarks; absent: they are not imported. */
  remarksGroupId?: number | null;
  /** Headings that the user chose for fields. Other headings are matched by name. */
  mapping?: Mapping;
  /** Imports the good rows of a file with bad ones. By default such a file changes no data. */
  skipRefused?: boolean;
  /** Keeps telephone numbers without the first 0 that a spreadsheet removed. */
  keepsCutPhones?: boolean;
  /** Rolls the import back: the answer lists what it would change. */
  dryRun?: boolean;
  /** Epoch milliseconds. */
  now?: number;
  maxBytes?: number;
  /** COMPANIES_MAX. */
  companiesMax?: number;
  /** PEOPLE_MAX. */
  peopleMax?: number;
}

/** Checks whether another transaction has added a company of the file meanwhile. */
export const isAddedMeanwhile = (error: unknown): boolean => violatedKey(error) !== null;

/** Repeats the import once if a company of the file was added meanwhile: the second attempt sees it. */
export async function retryIfAdded<Result>(importAll: () => Promise<Result>): Promise<Result> {
  try {
    return await importAll();
  } catch (error) {
    if (!isAddedMeanwhile(error)) throw error;
    return importAll();
  }
}

/**
 * Imports a list of companies (CSV in UTF-8 or CP932, or xlsx) into an account, in one transaction.
 * An existing company (same corporate number, or same name and address) gets the differing values of the file; a blank
 * cell changes nothing. Its mail history, active flags and suppressions are kept.
 * @returns a Problem if the file cannot be read
 */
export function importProspects(
  database: Pick<Database, 'db' | 'pool'>,
  options: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  if (options.mapping?.has('remarks') && options.remarksGroupId == null) return Promise.resolve(noRemarksGroup);
  const { accountId, file, sheet, maxBytes, fileName = typeof file === 'string' ? basename(file) : '' } = options;
  return withListFile(accountId, file, { sheet, maxBytes }, (list) =>
    retryIfAdded(() => importInTransaction(database, list, { ...options, fileName })),
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
      const { companiesMax = Number.POSITIVE_INFINITY } = options;
      if (!(result instanceof Problem) && result.added > 0) {
        const { accountId } = options;
        const problem = await companiesFault(dbOn(client) as Tx, accountId, companiesMax, { added: result.added });
        if (problem) return { commit: false, result: problem };
      }
      const commit = !(result instanceof Problem) && result.imported;
      if (commit) await finishRun(client, db, source, result);
      return { commit, result };
    },
    BEGIN_READING,
  );
}

/** The latest accepted year of establishment. @param now epoch milliseconds */
export const latestYearAt = (now: number): number => Number(dayOf(now).slice(0, 4)) + 1;

async function importFile(
  client: pg.PoolClient,
  list: ListFile,
  source: ImportSource,
  {
    mapping = NO_MAPPING,
    skipRefused = false,
    keepsCutPhones = false,
    dryRun = false,
    now = Date.now(),
    peopleMax,
  }: ImportOptions,
): Promise<ImportAnswer | Refusal> {
  const report = createReport();
  const options = { source, mapping, peopleMax, latestYear: latestYearAt(now), keepsCutPhones, skipRefused };
  const rows = await importRows(client, list, options, report);
  if (rows instanceof Problem) return rows;

  const accepted = skipRefused || report.count('refused') === 0;
  // Merging stopped at the first refused row, so these counts would cover only a part of the file.
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
    cutPhones: report.count('cut_phone'),
    ...(accepted && rows.people !== null && { people: rows.people }),
    ignoredColumns: rows.ignoredColumns,
    ...report.finish(),
  };
}
