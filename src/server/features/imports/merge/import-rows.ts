import type pg from 'pg';
import { MAX_IMPORT_COLUMNS } from '#domain/company/import-limits.ts';
import { dbOn, type Tx } from '../../../platform/database/db.ts';
import { Problem, type Refusal } from '../../../platform/problem.ts';
import { peopleFault } from '../../people/people-max.queries.ts';
import { checkRow, isHeadingAgain, type ProspectRow, type RowRules } from '../read/cells/check-row.ts';
import { type ExtraPlan, readExtras } from '../read/cells/read-extras.ts';
import { fileFaults, type RowFault } from '../read/faults.ts';
import { createHeaderFinder, detectSeparator, type HeaderFinder } from '../read/find-header.ts';
import { createFootSorter, notACompany } from '../read/foot-lines.ts';
import type { ListFile } from '../read/list-file.ts';
import type { CsvRecord } from '../read/read-records.ts';
import { readRecords } from '../read/read-records.ts';
import { type ChosenTable, chosenHeader } from '../read/table/chosen-header.ts';
import { type Header, withoutRemarks } from '../read/table/header.ts';
import { type Mapping, NO_MAPPING } from '../read/table/headings.ts';
import type { Report } from './import-report.ts';
import type { ImportSource } from './import-run.queries.ts';
import type { PeopleCounts } from './merge-extras.ts';
import { type MergedRows, type Merger, openMerger } from './merger.ts';
import { madeFields, openExtras, readOwnLabels } from './open-extras.ts';

/** Rows that are merged at once, while the next are read and checked. */
const BATCH_ROWS = 4000;

export interface ImportRowsOptions extends RowRules {
  source: ImportSource;
  /** A tag that all companies of the file get. */
  tag?: string | undefined;
  /** PEOPLE_MAX. */
  peopleMax?: number | undefined;
  mapping?: Mapping;
  /** The person's choices for reading the file; undefined: detected. */
  table?: ChosenTable | undefined;
  /** Imports the good rows of a file with refused rows. Without it, merging stops at the first refused row. */
  skipRefused: boolean;
  /**
   * Called after each piece of the file with the number of rows read so far, and after each further piece of work. If
   * it throws, the import ends.
   */
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
  /** null: the file lists no people. */
  people: PeopleCounts | null;
  /** The names of own fields that the import makes or brings back. */
  newFields: readonly string[];
}

/**
 * Reads, checks, stages and merges the rows of a file, in batches. The caller rolls back where rows were refused.
 * The next batch is read and checked while PostgreSQL merges the last one.
 */
export async function importRows(
  client: pg.PoolClient,
  list: ListFile,
  options: ImportRowsOptions,
  report: Report,
): Promise<ImportedRows | Refusal> {
  const { mapping = NO_MAPPING, table, skipRefused, afterPiece } = options;
  const finder = await finderOf(client, options);
  let opened: OpenTable | undefined;
  let sorter: ReturnType<typeof createFootSorter> | undefined;
  let rowsRead = 0;
  let batch: ProspectRow[] = [];

  function sortRecord(record: CsvRecord, columns: OpenTable): void {
    if (isHeadingAgain(record, columns.header)) return;
    sorter ??= createFootSorter(columns.header.cells.length > 1);
    const { companies, others } = sorter.take(record);
    for (const other of others) report.add({ row: other.row, ...notACompany(other) });
    rowsRead += others.length;
    for (const company of companies) checkRecord(company, columns);
  }

  function checkRecord(record: CsvRecord, columns: OpenTable): void {
    rowsRead += 1;
    const row = readRow(record, columns, options);
    if ('reason' in row) {
      report.add({ row: record.row, ...row }, record.cells);
      return;
    }
    for (const note of row.notes) report.add({ row: record.row, ...note });
    if (skipRefused || report.count('refused') === 0) batch.push(row);
  }

  const afterPart = async () => await afterPiece?.(rowsRead);

  async function takeRecords(records: CsvRecord[]): Promise<Refusal | null> {
    for (const record of records) {
      if (opened === undefined) {
        const found = finder.take(record.cells, record.row);
        if (found instanceof Problem) return found;
        if (found === null) continue;
        const table = await openTable(client, list, found, options, report);
        if (table instanceof Problem) return table;
        opened = table;
        if (found.cells.length > 0) continue;
      }
      sortRecord(record, opened);
    }
    if (batch.length >= BATCH_ROWS) {
      const rows = batch;
      batch = [];
      const full = await opened?.merger.take(rows);
      if (full) return full;
    }
    await afterPart();
    return null;
  }

  let separator = ',';
  const separatorOf = (head: string) => {
    if (list.workbook === null) separator = table?.separator ?? detectSeparator(head, mapping);
    return separator;
  };
  const fault = await readRecords(list.path, list.encoding, separatorOf, takeRecords);
  const read = opened as OpenTable | undefined;
  if (fault !== null || read === undefined) {
    await read?.merger.finish(false, afterPart);
    return fault ?? finder.fault();
  }
  for (const held of sorter?.end() ?? []) checkRecord(held, read);
  const full = batch.length > 0 ? await read.merger.take(batch) : null;
  const merged = full ?? (await read.merger.finish(skipRefused || report.count('refused') === 0, afterPart));
  if (merged instanceof Problem) return merged;
  await reportLate(list, separator, merged.refused, { report, afterPart });
  return rowsRead === 0 ? fileFaults.noRows : importedRows(client, read.header, { rowsRead, merged }, options);
}

async function finderOf(
  client: pg.PoolClient,
  { source, mapping = NO_MAPPING, table }: ImportRowsOptions,
): Promise<HeaderFinder> {
  if (table !== undefined) return chosenHeaderFinder(table);
  return createHeaderFinder(mapping, await readOwnLabels(dbOn(client) as Tx, source.accountId));
}

/** A file whose columns are known. */
interface OpenTable {
  readonly header: Header;
  readonly plan: ExtraPlan | null;
  readonly merger: Merger;
}

async function openTable(
  client: pg.PoolClient,
  { workbook }: ListFile,
  found: Header,
  { source, tag, latestYear, keepsCutPhones }: ImportRowsOptions,
  report: Report,
): Promise<OpenTable | Refusal> {
  // Extra cells in a CSV row come from an unquoted comma; in a sheet they are notes beside the table.
  const known = source.remarksGroupId === null ? withoutRemarks(found) : found;
  const header = workbook === null ? known : { ...known, width: MAX_IMPORT_COLUMNS };
  const plan = await openExtras(dbOn(client) as Tx, source, header, { latestYear, keepsCutPhones, tag });
  if (plan instanceof Problem) return plan;
  return { header, plan, merger: await openMerger(client, source, plan, report) };
}

/** Returns the figures of an import. @returns a Problem where the account would have too many people */
async function importedRows(
  client: pg.PoolClient,
  { cells: heading, ignored: ignoredColumns, columns, extras }: Header,
  { rowsRead, merged }: { readonly rowsRead: number; readonly merged: MergedRows },
  { source, peopleMax }: ImportRowsOptions,
): Promise<ImportedRows | Refusal> {
  const tx = dbOn(client) as Tx;
  const { refused: _, ...counts } = merged;
  const added = counts.people?.added ?? 0;
  const full =
    peopleMax === undefined || added === 0 ? null : await peopleFault(tx, source.accountId, peopleMax, { added });
  if (full !== null) return full as Refusal;
  const hasRemarks = columns.some(({ column }) => column.field === 'remarks');
  const newFields = extras.some(({ field }) => field === 'own') ? await madeFields(tx, source) : [];
  return { rowsRead, heading, hasRemarks, ignoredColumns, newFields, ...counts };
}

/** Reads a row: the company's own columns, then the others. */
function readRow(
  record: CsvRecord,
  { header, plan }: Pick<OpenTable, 'header' | 'plan'>,
  rules: RowRules,
): ReturnType<typeof checkRow> {
  const row = checkRow(record, header, rules);
  if (plan === null || 'reason' in row) return row;
  const read = readExtras(record, plan);
  if ('reason' in read) return read;
  row.extra = read.extra;
  if (read.notes.length > 0) row.notes = [...row.notes, ...read.notes];
  return row;
}

/** Reports rows that the merge has refused, with their cells: the file is read again. */
async function reportLate(
  { path, encoding }: ListFile,
  separator: string,
  refused: ReadonlyMap<number, RowFault>,
  { report, afterPart }: { readonly report: Report; readonly afterPart: () => Promise<void> },
): Promise<void> {
  if (refused.size === 0) return;
  await readRecords(
    path,
    encoding,
    () => separator,
    async (records) => {
      for (const { row, cells } of records) {
        const fault = refused.get(row);
        if (fault !== undefined) report.add({ row, ...fault }, cells);
      }
      await afterPart();
      return null;
    },
  );
}

/** Creates a finder of the heading row that a person chose. */
const chosenHeaderFinder = ({ headerRow, columns }: ChosenTable): HeaderFinder => ({
  take(cells, row) {
    if (row < headerRow) return null;
    return chosenHeader(row === headerRow ? cells : [], cells.length, columns);
  },
  fault: () => fileFaults.noRows,
});
