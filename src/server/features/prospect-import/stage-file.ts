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
  /** Companies cannot have been established later. */
  latestYear: number;
  /** Without it nothing is staged any more after the first refused row, as nothing will be imported. */
  skipRefused: boolean;
}

/**
 * Checks every row of the file and puts the good ones into the staging table. The next rows are read and checked while the
 * database takes in the last ones.
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
  let staged: Promise<void> = Promise.resolve();

  async function stageBatch(): Promise<void> {
    await staged;
    const rows = batch;
    batch = [];
    staged = stageRows(client, rows, industries);
    // Awaited before the next batch; a rejection must not count as unhandled until then.
    staged.catch(() => {});
  }

  function take(record: CsvRecord, under: Header): void {
    rowsRead += 1;
    const row = checkRow(record, under, latestYear);
    if ('message' in row) report.refuse(record.line, row);
    else if (skipRefused || report.refused() === 0) batch.push(row);
  }

  const stopped = await readRecords(path, encoding, async ([...records]) => {
    if (header === undefined) {
      const read = readHeader(records.shift()?.cells ?? []);
      if (read instanceof Refusal) return read;
      header = read;
    }
    for (const record of records) take(record, header);
    if (batch.length >= BATCH_ROWS) await stageBatch();
    return null;
  });
  if (stopped === null && batch.length > 0) await stageBatch();
  await staged;
  if (stopped !== null) return stopped;
  return header === undefined || rowsRead === 0 ? fileFaults.noRows : { rowsRead, ignoredColumns: header.ignored };
}
