import { sql } from 'kysely';
import { BEGIN_READING, inClientTransaction } from '../../platform/database/client-transaction.ts';
import { dbOn, type Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import type { JobHandler, RunningJob } from '../jobs/job.ts';
import { tableOf } from './import-settings.ts';
import { isAddedMeanwhile, latestYearAt } from './merge/import.command.ts';
import { lockImports } from './merge/import-lock.ts';
import { createReport } from './merge/import-report.ts';
import { importRows } from './merge/import-rows.ts';
import { finishRun } from './merge/import-run.queries.ts';
import { formatOf } from './read/list-file.ts';
import { NO_MAPPING } from './read/table/mapping.ts';
import { type ImportParts, type Upload, withUpload } from './upload/upload-file.ts';

/** How long the file and its review are kept once it is imported. */
const KEPT_DAYS = 7;

/** Returns the handler of imports: the whole file and the end of the job are one transaction. */
export const runHandler =
  (parts: ImportParts): JobHandler<'import_run'> =>
  (job) =>
    withUpload(parts, job.accountId, { importRunId: job.input.import_run_id, signal: job.signal }, async (upload) => {
      try {
        return await run(parts, job, upload);
      } catch (error) {
        if (!isAddedMeanwhile(error)) throw error;
        return run(parts, job, upload);
      }
    });

function run(
  { db, pool, now }: ImportParts,
  job: RunningJob<'import_run'>,
  { run: { id, fileId, settings, review, remarksGroupId }, list }: Upload,
): Promise<Problem | undefined> {
  const { accountId, memberId, signal, input } = job;
  const source = { accountId, memberId, importRunId: id, remarksGroupId };
  const report = createReport();
  const rollBack = (result: Problem) => ({ commit: false, result });
  return inClientTransaction<Problem | undefined>(
    pool,
    async (client) => {
      await lockImports(client, accountId);
      const tx = dbOn(client) as Tx;
      const locked = await sql`
      SELECT FROM import_run WHERE account_id = ${accountId} AND id = ${id} AND state = 'checked'
      FOR NO KEY UPDATE`.execute(tx);
      if (locked.rows.length === 0) return rollBack(importEnded());
      const options = {
        source,
        mapping: NO_MAPPING,
        table: tableOf(settings ?? {}),
        latestYear: latestYearAt(now()),
        skipRefused: input.mode === 'leave_out',
        afterPiece: async (rowsRead: number) => {
          signal.throwIfAborted();
          job.report(rowsRead, review?.rows);
        },
      };
      const rows = await importRows(client, list, options, report);
      if (rows instanceof Problem) return rollBack(rows);
      const refused = report.count('refused');
      if (input.mode === 'strict' && refused > 0) return rollBack(hasFaults(refused));
      const [duplicates, closed] = [report.count('repeated'), report.count('closed')];
      await finishRun(client, db, source, { ...rows, encoding: formatOf(list), refused, duplicates, closed });
      await sql`
      UPDATE stored_file SET expires_at = now() + make_interval(days => ${KEPT_DAYS})
      WHERE account_id = ${accountId} AND id = ${fileId}`.execute(tx);
      const { added, updated, unchanged } = rows;
      await job.finish(tx, { added, updated, unchanged, refused });
      return { commit: true, result: undefined };
    },
    BEGIN_READING,
  );
}

export const importEnded = () =>
  new Problem(409, 'import_ended', 'この取り込みは、すでに終わっています。画面を読み込み直してください。');

const hasFaults = (rows: number) =>
  new Problem(
    409,
    'has_faults',
    `取り込めない行が${rows.toLocaleString('ja-JP')}行あるため、何も取り込みませんでした。`,
  );
