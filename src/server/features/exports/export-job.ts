import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ExportRequest } from '#contract/companies/exports.ts';
import { EXPORT_DAYS, MAX_XLSX_ROWS } from '#domain/limits.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import type { Db } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { type JobHandler, JobLost, type RunningJob } from '../jobs/job.ts';
import { FileGone, type FileWriter, fileWriter } from '../stored-files/file-writer.ts';
import type { StorageLimits } from '../stored-files/storage-limits.ts';
import { deleteFilesOfJob } from '../stored-files/stored-file.queries.ts';
import { csvBytes, type ExportTable, FILE_TYPES, type Row, UTF8_BOM } from './export-table.ts';
import { exportTable } from './export-tables.ts';

/** What a finished export stores as its job's result. */
export interface ExportResult {
  readonly file_id: number;
  readonly rows: number;
  readonly replaced: number;
}

interface HandlerParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly now: () => number;
  readonly limits: StorageLimits;
  /** A lower limit for tests. */
  readonly maxXlsxRows?: number;
}

interface WriterParts {
  readonly job: RunningJob<'export'>;
  readonly table: ExportTable;
  /** Stores each piece in its own transaction: another one reads the rows. */
  readonly file: FileWriter;
  readonly maxXlsxRows: number;
}

/** Returns the handler of exports: reads the rows, writes the file and ends the job. A failed export leaves no file. */
export const exportHandler =
  ({ db, now, limits, maxXlsxRows = MAX_XLSX_ROWS }: HandlerParts): JobHandler<'export'> =>
  async (job) => {
    const { accountId, account, input } = job;
    const table = await exportTable(account, input, now());
    const { extension, mediaType } = FILE_TYPES[input.format];
    const name = `${table.title}_${formatMinute(now()).replaceAll(/[/:]/g, '').replace(' ', '_')}.${extension}`;
    // The files of a killed worker.
    await deleteFilesOfJob(db, accountId, job.id);
    const file = fileWriter(account, { jobId: job.id, name, mediaType, keptDays: EXPORT_DAYS }, limits);
    try {
      const written = await write({ job, table, file, maxXlsxRows }, input.format);
      if (written instanceof Problem) {
        await file.discard();
        return written;
      }
      await account.transaction((tx) => job.finish(tx, written));
    } catch (error) {
      // If this fails too, the sweep deletes the file with those of killed workers.
      await file.discard().catch(() => {});
      throw error instanceof FileGone ? new JobLost() : error;
    }
    return undefined;
  };

const write = (parts: WriterParts, format: ExportRequest['format']): Promise<ExportResult | Problem> =>
  format === 'xlsx' ? writeXlsx(parts) : writeCsv(parts, format);

/** Rows that are encoded before they may be stored: where own fields are full, they are 1 MB. */
const ENCODED_ROWS = 50;

async function writeCsv(
  { job, table, file }: WriterParts,
  format: 'csv_utf8' | 'csv_cp932',
): Promise<ExportResult | Problem> {
  let rows = 0;
  let replaced = 0;
  const add = async (page: readonly Row[]) => {
    for (let from = 0; from < page.length; from += ENCODED_ROWS) {
      const encoded = csvBytes(page.slice(from, from + ENCODED_ROWS), format);
      replaced += encoded.replaced;
      const problem = await file.append(encoded.bytes);
      if (problem) return problem;
    }
    return undefined;
  };
  const heading = format === 'csv_utf8' ? await file.append(UTF8_BOM) : undefined;
  const problem =
    heading ??
    (await add([table.headings])) ??
    (await table.read(async (page, total) => {
      job.signal.throwIfAborted();
      const problem = await add(page);
      rows += page.length;
      job.report(rows, total);
      return problem;
    }));
  if (problem) return problem;
  const id = await file.finish();
  return id instanceof Problem ? id : { file_id: id, rows, replaced };
}

/** The most cells of an xlsx file, which is made in memory: MAX_XLSX_ROWS of 35 columns. */
const MAX_XLSX_CELLS = 3_500_000;

const tooLong = (maxRows: number) =>
  new Problem(
    'too_large',
    `Excel形式で書き出せるのは${maxRows.toLocaleString('ja-JP')}行までです。条件を絞り込むか、CSVを選んでください。`,
  );

async function writeXlsx({ job, table, file, maxXlsxRows }: WriterParts): Promise<ExportResult | Problem> {
  const workbook = xlsxFile();
  const maxRows = Math.min(maxXlsxRows, Math.floor(MAX_XLSX_CELLS / table.headings.length));
  let rows = 0;
  try {
    workbook.add([table.headings]);
    const problem = await table.read((page, total) => {
      job.signal.throwIfAborted();
      if (total > maxRows) return Promise.resolve(tooLong(maxRows));
      workbook.add(page);
      rows += page.length;
      job.report(rows, total);
      return Promise.resolve(undefined);
    });
    if (problem) return problem;
    const full = await file.append(await workbook.finish());
    if (full) return full;
    const id = await file.finish();
    return id instanceof Problem ? id : { file_id: id, rows, replaced: 0 };
  } finally {
    await workbook.close();
  }
}

/** 100,000 rows of 18 columns need about half of it, and MAX_XLSX_CELLS not all. */
const MAX_HEAP_MB = 1024;

interface XlsxFile {
  add(rows: readonly Row[]): void;
  /** Returns the bytes of the file. */
  finish(): Promise<Buffer>;
  /** Ends the thread; does nothing after `finish`. */
  close(): Promise<void>;
}

/** Makes an xlsx file in a thread. Texts are stored as texts, so none is run as a formula. */
function xlsxFile(): XlsxFile {
  const thread = new Worker(new URL('./xlsx-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    env: {},
  });
  // Rejects with the thread's error; `finish` awaits this.
  const made = once(thread, 'message');
  made.catch(() => {});
  return {
    add: (rows) => thread.postMessage(rows),
    async finish() {
      thread.postMessage('end');
      const [file] = (await made) as [Uint8Array];
      return Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    },
    close: async () => void (await thread.terminate()),
  };
}
