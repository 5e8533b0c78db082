import { type Expression, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';

/**
 * The files of exports and imports, but for those of an upload or of a running import: a worker reads them.
 * Any of them may hold an address, and the programs that wrote them are not there to look.
 */
const erasableFiles = (accountId: number): Expression<SqlBool> => sql<SqlBool>`stored_file.account_id = ${accountId}
  AND NOT EXISTS (
    SELECT FROM import_run AS run
    LEFT JOIN job ON job.account_id = run.account_id AND job.id = run.job_id
    WHERE run.account_id = stored_file.account_id AND run.file_id = stored_file.id
      AND (run.state = 'uploading' OR job.state IN ('queued', 'running')))`;

export async function countFiles(tx: Tx, accountId: number): Promise<number> {
  const { rows } = await sql<{ files: number }>`
    SELECT count(*)::integer AS files FROM stored_file WHERE ${erasableFiles(accountId)}`.execute(tx);
  return onlyRow(rows).files;
}

/** Deletes these files, and cancels exports that are being made. @returns how many files */
export async function deleteFiles(tx: Tx, accountId: number): Promise<number> {
  await sql`
    UPDATE job SET state = 'cancelled', finished_at = now(), lease_until = NULL
    WHERE account_id = ${accountId} AND kind = 'export' AND state IN ('queued', 'running')`.execute(tx);
  const { numAffectedRows } = await sql`
    DELETE FROM stored_file WHERE ${erasableFiles(accountId)}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
