import type { ExportRequest } from '#contract/export.ts';
import { EXPORT_DAYS, MAX_XLSX_ROWS } from '#domain/limits.ts';
import { formatMinute } from '#domain/tokyo-time.ts';
import type { Db } from '../../platform/db.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { JobHandler, RunningJob } from '../jobs/job.ts';
import { appendTo } from '../stored-files/file-appender.ts';
import { createFile, deleteFile, type StoredFile } from '../stored-files/stored-file.queries.ts';
import { csvBytes, type ExportTable, FILE_TYPES, type Row, UTF8_BOM } from './export-table.ts';
import { exportTable } from './export-tables.ts';
import { xlsxFile } from './xlsx-file.ts';

/** What a finished export stores as its job's result. */
export interface ExportResult {
  readonly file_id: number;
  readonly rows: number;
  readonly replaced: number;
}

type FileKey = Pick<StoredFile, 'accountId' | 'id'>;
type Written = Omit<ExportResult, 'file_id'>;

interface HandlerParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly now: () => number;
  /** For tests. */
  readonly maxXlsxRows?: number;
}

interface WriterParts {
  /** The pool that stores pieces of the file: the rows are read in a transaction of their own. */
  readonly db: Db;
  readonly job: RunningJob<'export'>;
  readonly table: ExportTable;
  readonly file: FileKey;
  readonly maxXlsxRows: number;
}

/** Returns the handler of exports: reads the rows, writes the file and ends the job, or leaves nothing. */
export const exportHandler =
  ({ db, now, maxXlsxRows = MAX_XLSX_ROWS }: HandlerParts): JobHandler<'export'> =>
  async (job) => {
    const { accountId, account, input } = job;
    const table = exportTable(account, input, now());
    const { extension, mediaType } = FILE_TYPES[input.format];
    const name = `${table.title}_${formatMinute(now()).replaceAll(/[/:]/g, '').replace(' ', '_')}.${extension}`;
    const file = { accountId, id: await createFile(db, { accountId, name, mediaType, keptDays: EXPORT_DAYS }) };
    try {
      const written = await write({ db, job, table, file, maxXlsxRows }, input.format);
      if (written instanceof Refusal) {
        await deleteFile(db, file);
        return written;
      }
      await account.transaction((tx) => job.finish(tx, { file_id: file.id, ...written } satisfies ExportResult));
    } catch (error) {
      // Where this fails too, the file expires.
      await deleteFile(db, file).catch(() => {});
      throw error;
    }
    return undefined;
  };

const write = (parts: WriterParts, format: ExportRequest['format']): Promise<Written | Refusal> =>
  format === 'xlsx' ? writeXlsx(parts) : writeCsv(parts, format);

async function writeCsv(
  { db, job, table, file }: WriterParts,
  format: 'csv_utf8' | 'csv_cp932',
): Promise<Written | Refusal> {
  const appender = appendTo(db, file);
  let rows = 0;
  let replaced = 0;
  const add = async (page: readonly Row[]) => {
    const encoded = csvBytes(page, format);
    replaced += encoded.replaced;
    await appender.append(encoded.bytes);
  };
  if (format === 'csv_utf8') await appender.append(UTF8_BOM);
  await add([table.headings]);
  const refusal = await table.read(async (page, total) => {
    job.signal.throwIfAborted();
    await add(page);
    rows += page.length;
    job.report(rows, total);
    return undefined;
  });
  if (refusal) return refusal;
  await appender.flush();
  return { rows, replaced };
}

const tooLong = (maxRows: number) =>
  new Refusal(
    413,
    'too_large',
    `Excel形式で書き出せるのは${maxRows.toLocaleString('ja-JP')}行までです。条件を絞り込むか、CSVを選んでください。`,
  );

async function writeXlsx({ db, job, table, file, maxXlsxRows }: WriterParts): Promise<Written | Refusal> {
  const workbook = xlsxFile();
  let rows = 0;
  try {
    workbook.add([table.headings]);
    const refusal = await table.read((page, total) => {
      job.signal.throwIfAborted();
      if (total > maxXlsxRows) return Promise.resolve(tooLong(maxXlsxRows));
      workbook.add(page);
      rows += page.length;
      job.report(rows, total);
      return Promise.resolve(undefined);
    });
    if (refusal) return refusal;
    const appender = appendTo(db, file);
    await appender.append(await workbook.finish());
    await appender.flush();
    return { rows, replaced: 0 };
  } finally {
    await workbook.close();
  }
}
