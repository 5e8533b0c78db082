import type pg from 'pg';
import { Refusal } from '../../platform/refusal.ts';
import { checkRow, type ProspectRow } from './check-row.ts';
import type { CsvRecord } from './csv-parser.ts';
import { fileFaults } from './faults.ts';
import type { Encoding } from './file-encoding.ts';
import { type Header, readHeader } from './header.ts';
import type { Report } from './import-report.ts';
import { openIndustryDictionary } from './industry-dictionary.ts';
import { readRecords } from './read-records.ts';
import { createStaging, stageRows } from './staging.ts';

const BATCH_ROWS = 1000;

export interface StageOptions {
  accountId: number;
  encoding: Encoding;
  /** The last year that is accepted as the year of establishment. */
  latestYear: number;
  /** Stages the good rows of a file with refused rows. Without it, staging stops at the first refused row. */
  skipRefused: boolean;
}

/**
 * Checks every row of the file and copies the good ones into the staging table.
 * The next batch is read and checked while PostgreSQL takes the last one.
 */
export async function stageFile(
  client: pg.PoolClient,
  path: string,
  { accountId, encoding, latestYear, skipRefused }: StageOptions,
  report: Report,
): Promise<{ rowsRead: number; ignoredColumns: string[] } | Refusal> {
  await createStaging(client);
  const industries = openIndustryDictionary(client, accountId);
  let header: Header | undefined;
  let rowsRead = 0;
  let batch: ProspectRow[] = [];
  /** The COPY of the last batch. */
  let copying: Promise<void> = Promise.resolve();

  async function stageBatch(): Promise<void> {
    await copying;
    const rows = batch;
    batch = [];
    copying = stageRows(client, rows, industries);
    // It is awaited before the next batch. Until then a rejection must not count as unhandled.
    copying.catch(() => {});
  }

  function checkRecord(record: CsvRecord, columns: Header): void {
    rowsRead += 1;
    const row = checkRow(record, columns, latestYear);
    if ('message' in row) report.refuse(record.line, row);
    else if (skipRefused || report.refused() === 0) batch.push(row);
  }

  const refusal = await readRecords(path, encoding, async ([...records]) => {
    if (header === undefined) {
      const read = readHeader(records.shift()?.cells ?? []);
      if (read instanceof Refusal) return read;
      header = read;
    }
    for (const record of records) checkRecord(record, header);
    if (batch.length >= BATCH_ROWS) await stageBatch();
    return null;
  });
  if (refusal === null && batch.length > 0) await stageBatch();
  await copying;
  if (refusal !== null) return refusal;
  return header === undefined || rowsRead === 0 ? fileFaults.noRows : { rowsRead, ignoredColumns: header.ignored };
}
