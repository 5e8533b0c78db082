import { sql } from 'kysely';
import type pg from 'pg';
import type { ImportReview, ReviewKind } from '#contract/imports/imports.ts';
import { MAX_IMPORT_BYTES } from '#domain/company/import-limits.ts';
import { BEGIN_READING, inClientTransaction } from '../../platform/database/client-transaction.ts';
import { type Db, dbOn, type Tx } from '../../platform/database/db.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import type { RunningJob } from '../jobs/job.ts';
import { findFile, readStoredFile } from '../stored-files/stored-file.queries.ts';
import { copyChanges, copyNotices, copyPeople } from './check/review.queries.ts';
import { findImport, type StoredImport } from './import.queries.ts';
import { deleteLines, lineWriter, ReviewFull } from './import-line.queries.ts';
import { tableOf } from './import-settings.ts';
import { importEnded, notUploaded } from './import-state.ts';
import { latestYearAt, retryIfAdded } from './merge/import.command.ts';
import { createReport, type Report } from './merge/import-report.ts';
import { type ImportedRows, type ImportRowsOptions, importRows } from './merge/import-rows.ts';
import { finishRun, lockImports } from './merge/import-run.queries.ts';
import { formatOf, type ListFile, withListFile } from './read/list-file.ts';
import { undoHandler } from './undo/undo-job.ts';
import { saveColumns } from './upload/look.queries.ts';

/*
 * Runs the worker's jobs of an upload: the import, and the check, which is an import that is rolled back. Both read the
 * whole file, so a check's figures equal those of the import.
 */

/** What the handlers of imports need. */
export interface ImportParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  /** The same pool, for COPY. */
  readonly pool: pg.Pool;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly peopleMax: number;
}

/** Returns the handlers of the jobs of imports. */
export const importHandlers = (parts: ImportParts) => ({
  import_check: (job: RunningJob<'import_check'>) => withUpload(parts, job, (upload) => check(parts, job, upload)),
  import_run: (job: RunningJob<'import_run'>) =>
    withUpload(parts, job, (upload) => retryIfAdded(() => run(parts, job, upload))),
  import_undo: undoHandler(parts),
});

/** A complete upload, as a text file on this machine. */
interface Upload {
  readonly stored: StoredImport & { readonly fileId: number };
  readonly list: ListFile;
  /** How its rows are imported. */
  readonly how: Pick<ImportRowsOptions, 'source' | 'table' | 'tag' | 'peopleMax' | 'latestYear' | 'keepsCutPhones'>;
}

/**
 * Runs `work` with an upload as a temporary file, which is read more than once.
 * @returns a Problem where the upload is incomplete or expired, or is no table
 */
async function withUpload(
  { db, now, peopleMax }: ImportParts,
  { accountId, memberId, signal, input }: RunningJob<'import_check' | 'import_run'>,
  work: (upload: Upload) => Promise<Refusal | undefined>,
): Promise<Refusal | undefined> {
  const importRunId = input.import_run_id;
  const stored = await findImport(db, accountId, importRunId);
  const fileId = stored?.fileId ?? null;
  const file = fileId === null ? null : await findFile(db, accountId, fileId);
  if (!stored || fileId === null || file === null || file.bytes !== stored.bytes) return notUploaded();
  const content = readStoredFile((query) => query(db), file);
  const settings = stored.settings ?? {};
  const { encoding, sheet } = settings;
  const source = { accountId, memberId, importRunId, remarksGroupId: stored.remarksGroupId };
  const keepsCutPhones = settings.phones === 'as_written';
  const { tag } = settings;
  const how = { source, table: tableOf(settings), tag, peopleMax, latestYear: latestYearAt(now()), keepsCutPhones };
  return withListFile(accountId, content, { maxBytes: MAX_IMPORT_BYTES, encoding, sheet, signal }, (list) =>
    work({ stored: { ...stored, fileId }, list, how }),
  );
}

/** How long an imported file and its review are kept. */
const KEPT_DAYS = 7;

/** Imports an upload: the whole file and the end of the job are one transaction. */
function run(
  { db, pool }: ImportParts,
  job: RunningJob<'import_run'>,
  { stored: { id, fileId, review }, list, how }: Upload,
): Promise<Refusal | undefined> {
  const { accountId, signal, input } = job;
  const report = createReport();
  const rollBack = (result: Refusal) => ({ commit: false, result });
  return inClientTransaction<Refusal | undefined>(
    pool,
    async (client) => {
      await lockImports(client, accountId);
      const tx = dbOn(client) as Tx;
      const locked = await sql`
      SELECT FROM import_run WHERE account_id = ${accountId} AND id = ${id} AND state = 'checked'
      FOR NO KEY UPDATE`.execute(tx);
      if (locked.rows.length === 0) return rollBack(importEnded());
      const afterPiece = async (rowsRead: number) => {
        signal.throwIfAborted();
        job.report(rowsRead, review?.rows);
      };
      const rows = await importRows(
        client,
        list,
        { ...how, skipRefused: input.mode === 'leave_out', afterPiece },
        report,
      );
      if (rows instanceof Problem) return rollBack(rows);
      const refused = report.count('refused');
      if (input.mode === 'strict' && refused > 0) return rollBack(hasFaults(refused));
      const [duplicates, closed] = [report.count('repeated'), report.count('closed')];
      await finishRun(client, db, how.source, { ...rows, encoding: formatOf(list), refused, duplicates, closed });
      await sql`
      UPDATE stored_file SET expires_at = now() + make_interval(days => ${KEPT_DAYS})
      WHERE account_id = ${accountId} AND id = ${fileId}`.execute(tx);
      const { added, updated, unchanged, people } = rows;
      await job.finish(tx, { added, updated, unchanged, refused, ...(people !== null && { people: people.added }) });
      return { commit: true, result: undefined };
    },
    BEGIN_READING,
  );
}

const hasFaults = (rows: number) =>
  new Problem('has_faults', `取り込めない行が${rows.toLocaleString('ja-JP')}行あるため、何も取り込みませんでした。`);

type Review = ImportReview & { readonly heading: readonly string[] };
type Checked = { readonly review: Review; readonly hasRemarks: boolean };

/** Checks an upload, and stores the findings. */
async function check(
  parts: ImportParts,
  job: RunningJob<'import_check'>,
  upload: Upload,
): Promise<Refusal | undefined> {
  const { accountId } = job;
  const { id, fileId, settings } = upload.stored;
  await deleteLines(parts.db, accountId, fileId);
  const checked = await importAndRollBack(parts, job, upload).catch((error: unknown) => {
    if (error instanceof ReviewFull) return error.problem;
    throw error;
  });
  if (checked instanceof Problem) {
    await deleteLines(parts.db, accountId, fileId);
    return checked;
  }
  const { review, hasRemarks } = checked;
  await job.account.transaction(async (tx) => {
    await tx
      .updateTable('import_run')
      .set({
        state: 'checked',
        review: JSON.stringify(review),
        ...(!hasRemarks && { sender_group_id: null }),
      })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('state', 'in', ['uploaded', 'checked'])
      .execute();
    const { remember, table } = settings ?? {};
    if (remember === 1 && table && review.heading.length > 0) {
      await saveColumns(tx, accountId, review.heading, table.columns);
    }
    await job.finish(tx, {});
  });
  return undefined;
}

function importAndRollBack(
  { db, pool }: ImportParts,
  { accountId, signal, report: progress }: RunningJob<'import_check'>,
  { stored, list, how }: Upload,
): Promise<Checked | Refusal> {
  const lines = lineWriter(db, accountId, stored.fileId);
  const report = createReport((line, cells) => lines.add({ ...line, ...(line.kind === 'refused' && { cells }) }));
  return inClientTransaction<Checked | Refusal>(
    pool,
    async (client) => {
      await lockImports(client, accountId);
      const afterPiece = async (rowsRead: number) => {
        signal.throwIfAborted();
        progress(rowsRead);
        await lines.flushIfFull();
      };
      const rows = await importRows(client, list, { ...how, skipRefused: true, afterPiece }, report);
      if (rows instanceof Problem) return { commit: false, result: rows };
      await copyChanges(client, how.source, lines);
      if (rows.people !== null) await copyPeople(client, how.source, lines);
      const notices = await copyNotices(client, how.source, lines);
      await lines.flush();
      const phones = how.keepsCutPhones ? 'as_written' : 'mend';
      const review = reviewOf(rows, report, { encoding: formatOf(list), phones, ...notices });
      return { commit: false, result: { review, hasRemarks: rows.hasRemarks } };
    },
    BEGIN_READING,
  );
}

const reviewOf = (
  { rowsRead, heading, added, updated, unchanged, ignoredColumns, people, newFields }: ImportedRows,
  report: Report,
  more: Pick<Review, 'suppressed' | 'archived' | 'encoding' | 'phones'>,
): Review => ({
  rows: rowsRead,
  added,
  updated,
  unchanged,
  refused: report.count('refused'),
  repeated: report.count('repeated'),
  closed: report.count('closed'),
  blanked: report.count('blanked'),
  not_taken: report.count('not_taken'),
  cut_phone: report.count('cut_phone'),
  ...more,
  ignored_columns: ignoredColumns,
  ...(people !== null && { people }),
  ...(newFields.length > 0 && { new_fields: [...newFields] }),
  heading,
  groups: report.finish().reportGroups.map(({ kind, column, reason, count }) => ({
    kind: kind as ReviewKind,
    column,
    reason,
    count,
  })),
});
