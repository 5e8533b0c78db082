import type { ImportReview, ReviewKind } from '#contract/imports.ts';
import { BEGIN_READING, inClientTransaction } from '../../../platform/database/client-transaction.ts';
import { Problem } from '../../../platform/problem.ts';
import type { JobHandler, RunningJob } from '../../jobs/job.ts';
import { deleteLines, lineWriter, ReviewFull } from '../import-line.queries.ts';
import { tableOf } from '../import-settings.ts';
import { latestYearAt } from '../merge/import.command.ts';
import { lockImports } from '../merge/import-lock.ts';
import { createReport, type Report } from '../merge/import-report.ts';
import { type ImportedRows, importRows } from '../merge/import-rows.ts';
import { formatOf } from '../read/list-file.ts';
import { NO_MAPPING } from '../read/table/mapping.ts';
import { saveColumns } from '../upload/look.queries.ts';
import { type ImportParts, type Upload, withUpload } from '../upload/upload-file.ts';
import { copyChanges, copyNotices } from './review.queries.ts';

type Review = ImportReview & { readonly heading: readonly string[] };
type Checked = { readonly review: Review; readonly hasRemarks: boolean };

/**
 * Returns the handler of checks: an import that is rolled back, whose findings are stored.
 * The figures are those of the run, because both are the same work.
 */
export const checkHandler =
  (parts: ImportParts): JobHandler<'import_check'> =>
  (job) =>
    withUpload(parts, job.accountId, { importRunId: job.input.import_run_id, signal: job.signal }, async (upload) => {
      await deleteLines(parts.db, job.accountId, upload.run.fileId);
      const checked = await check(parts, job, upload).catch((error: unknown) => {
        if (error instanceof ReviewFull) return error.problem;
        throw error;
      });
      if (checked instanceof Problem) {
        await deleteLines(parts.db, job.accountId, upload.run.fileId);
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
          .where('account_id', '=', job.accountId)
          .where('id', '=', upload.run.id)
          .where('state', 'in', ['uploaded', 'checked'])
          .execute();
        const { remember, table } = upload.run.settings ?? {};
        if (remember === 1 && table && review.heading.length > 0) {
          await saveColumns(tx, job.accountId, review.heading, table.columns);
        }
        await job.finish(tx, {});
      });
      return undefined;
    });

function check(
  { db, pool, now }: ImportParts,
  { accountId, memberId, signal, report: progress }: RunningJob<'import_check'>,
  { run, list }: Upload,
): Promise<Checked | Problem> {
  const source = { accountId, memberId, importRunId: run.id, remarksGroupId: run.remarksGroupId };
  const lines = lineWriter(db, accountId, run.fileId);
  const report = createReport((line, cells) => lines.add({ ...line, ...(line.kind === 'refused' && { cells }) }));
  return inClientTransaction<Checked | Problem>(
    pool,
    async (client) => {
      await lockImports(client, accountId);
      const options = {
        source,
        mapping: NO_MAPPING,
        table: tableOf(run.settings ?? {}),
        latestYear: latestYearAt(now()),
        skipRefused: true,
        afterPiece: async (rowsRead: number) => {
          signal.throwIfAborted();
          progress(rowsRead);
          await lines.flushIfFull();
        },
      };
      const rows = await importRows(client, list, options, report);
      if (rows instanceof Problem) return { commit: false, result: rows };
      await copyChanges(client, source, lines);
      const notices = await copyNotices(client, source, lines);
      await lines.flush();
      const review = reviewOf(rows, report, formatOf(list), notices);
      return { commit: false, result: { review, hasRemarks: rows.hasRemarks } };
    },
    BEGIN_READING,
  );
}

const reviewOf = (
  { rowsRead, heading, added, updated, unchanged, ignoredColumns }: ImportedRows,
  report: Report,
  encoding: string,
  notices: Pick<Review, 'suppressed' | 'archived'>,
): Review => ({
  rows: rowsRead,
  added,
  updated,
  unchanged,
  refused: report.count('refused'),
  repeated: report.count('repeated'),
  closed: report.count('closed'),
  blanked: report.count('blanked'),
  ...notices,
  encoding,
  ignored_columns: ignoredColumns,
  heading,
  groups: report.finish().reportGroups.map(({ kind, column, reason, count }) => ({
    kind: kind as ReviewKind,
    column,
    reason,
    count,
  })),
});
