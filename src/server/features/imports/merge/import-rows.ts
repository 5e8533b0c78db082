import type pg from 'pg';
import { MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { Problem, type Refusal } from '../../../platform/problem.ts';
import { checkRow, isHeadingAgain, type ProspectRow, type RowRules } from '../read/cells/check-row.ts';
import { fileFaults } from '../read/faults.ts';
import { createHeaderFinder, detectSeparator, type HeaderFinder } from '../read/find-header.ts';
import { createFootSorter, notACompany } from '../read/foot-lines.ts';
import type { ListFile } from '../read/list-file.ts';
import type { CsvRecord } from '../read/read-records.ts';
import { readRecords } from '../read/read-records.ts';
import { type ChosenTable, chosenHeader, type Header, withoutRemarks } from '../read/table/header.ts';
import { type Mapping, NO_MAPPING } from '../read/table/headings.ts';
import type { Report } from './import-report.ts';
import type { ImportSource } from './import-run.queries.ts';
import { mergeBatch } from './merge.queries.ts';
import { openStaging, type Repeat, separateRepeats } from './staging.ts';

/** Rows that are merged at once, while the next are read and checked. */
const BATCH_ROWS = 4000;

export interface ImportRowsOptions extends RowRules {
  source: ImportSource;
  mapping?: Mapping;
  /** The person's choices for reading the file; undefined: detected. */
  table?: ChosenTable | undefined;
  /** Imports the good rows of a file with refused rows. Without it, merging stops at the first refused row. */
  skipRefused: boolean;
  /** Called after each piece of the file with the number of rows read so far. If it throws, the reading ends. */
  afterPiece?: ((rowsRead: number) => Promise<void>) | undefined;
}

export interface ImportedRows {
  rowsRead: number;
  heading: readonly string[];
  /** The file has remarks, and they are imported. */
  hasRemarks: boolean;
  ignoredColumns: string[];
  added: number;
  updated: number;
  unchanged: number;
}

/**
 * Reads, checks, stages and merges the rows of a file, in batches. The caller rolls back where rows were refused.
 * The next batch is read and checked while PostgreSQL merges the last one.
 */
export async function importRows(
  client: pg.PoolClient,
  { path, encoding, workbook }: ListFile,
  { source, mapping = NO_MAPPING, table, skipRefused, afterPiece, ...rules }: ImportRowsOptions,
  report: Report,
): Promise<ImportedRows | Refusal> {
  const merger = await openMerger(client, source, report);
  const finder = table === undefined ? createHeaderFinder(mapping) : chosenHeaderFinder(table);
  let header: Header | undefined;
  let sorter: ReturnType<typeof createFootSorter> | undefined;
  let rowsRead = 0;
  let batch: ProspectRow[] = [];

  function sortRecord(record: CsvRecord, columns: Header): void {
    if (isHeadingAgain(record, columns)) return;
    sorter ??= createFootSorter(columns.cells.length > 1);
    const { companies, others } = sorter.take(record);
    for (const other of others) report.add({ row: other.row, ...notACompany(other) });
    rowsRead += others.length;
    for (const company of companies) checkRecord(company, columns);
  }

  function checkRecord(record: CsvRecord, columns: Header): void {
    rowsRead += 1;
    const row = checkRow(record, columns, rules);
    if ('reason' in row) {
      report.add({ row: record.row, ...row }, record.cells);
      return;
    }
    for (const note of row.notes) report.add({ row: record.row, ...note });
    if (skipRefused || report.count('refused') === 0) batch.push(row);
  }

  async function takeRecords(records: CsvRecord[]): Promise<Refusal | null> {
    for (const record of records) {
      if (header === undefined) {
        const found = finder.take(record.cells, record.row);
        if (found instanceof Problem) return found;
        if (found === null) continue;
        // Extra cells in a CSV row come from an unquoted comma; in a sheet they are notes beside the table.
        header = source.remarksGroupId === null ? withoutRemarks(found) : found;
        if (workbook !== null) header = { ...header, width: MAX_IMPORT_COLUMNS };
        if (found.cells.length > 0) continue;
      }
      sortRecord(record, header);
    }
    if (batch.length >= BATCH_ROWS) {
      const rows = batch;
      batch = [];
      await merger.take(rows);
    }
    await afterPiece?.(rowsRead);
    return null;
  }

  const separatorOf = (head: string) =>
    workbook === null ? (table?.separator ?? detectSeparator(head, mapping)) : ',';
  const fault = await readRecords(path, encoding, separatorOf, takeRecords);
  if (fault === null && header !== undefined) for (const held of sorter?.end() ?? []) checkRecord(held, header);
  if (fault === null && batch.length > 0) await merger.take(batch);
  const merged = await merger.finish();
  if (fault !== null) return fault;
  if (header === undefined) return finder.fault();
  const { cells: heading, ignored: ignoredColumns } = header;
  const hasRemarks = header.columns.some(({ column }) => column.field === 'remarks');
  return rowsRead === 0 ? fileFaults.noRows : { rowsRead, heading, hasRemarks, ignoredColumns, ...merged };
}

/** Creates a finder of the heading row that a person chose. */
const chosenHeaderFinder = ({ headerRow, columns }: ChosenTable): HeaderFinder => ({
  take(cells, row) {
    if (row < headerRow) return null;
    return chosenHeader(row === headerRow ? cells : [], cells.length, columns);
  },
  fault: () => fileFaults.noRows,
});

/** Opens the staging table, and merges the given batches one after the other. */
async function openMerger(client: pg.PoolClient, source: ImportSource, report: Report) {
  const stageRows = await openStaging(client, source.accountId);
  const totals = { added: 0, updated: 0, unchanged: 0 };
  /** The merge of the last batch. */
  let merging: Promise<void> = Promise.resolve();

  async function merge(batch: readonly ProspectRow[]): Promise<void> {
    const { rows, repeats } = separateRepeats(batch);
    await stageRows(rows);
    const hasNumbers = rows.some(({ values }) => values.corporate_number !== null);
    const hasRemarks = rows.some(({ remarks }) => remarks !== null);
    const merged = await mergeBatch(client, source, { hasNumbers, hasRemarks });
    totals.added += merged.added;
    totals.updated += merged.updated;
    totals.unchanged += merged.unchanged;
    for (const repeat of [...repeats, ...merged.repeats]) report.add(repeatedLine(repeat));
  }

  return {
    /** Starts to merge a batch once the last one is merged. */
    async take(batch: readonly ProspectRow[]): Promise<void> {
      await merging;
      merging = merge(batch);
      // Awaited before the next batch. Until then a rejection must not count as unhandled.
      merging.catch(() => {});
    },
    async finish(): Promise<typeof totals> {
      await merging;
      return totals;
    },
  };
}

const repeatedLine = ({ row, firstRow, companyName }: Repeat) => ({
  kind: 'repeated' as const,
  row,
  firstRow,
  column: '',
  value: companyName,
  reason: '前の行と同じ会社（法人番号か、会社名と住所が同じ）のため、取り込みません。',
});
