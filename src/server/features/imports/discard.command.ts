import type { CallAnswer } from '#contract/call.ts';
import type { deleteImportFile, discardImport } from '#contract/imports/imports-steps.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { deleteContent, deleteFile } from '../stored-files/stored-file.queries.ts';
import { findImport } from './import.queries.ts';
import { busy, importEnded, isBusy, wasImported } from './import-state.ts';

/** Deletes an import that has changed nothing, with its file and what a check found. @returns 404; 409 */
export function discard(account: MemberDb, id: number): Promise<CallAnswer<typeof discardImport> | Problem> {
  return account.transaction(async (tx) => {
    const run = await findImport(tx, account.id, id, { lock: true });
    if (!run) return notFound();
    if (isBusy(run)) return busy();
    if (wasImported(run.state)) return importEnded();
    await discardUpload(tx, account, run);
    return { status: 'deleted' as const };
  });
}

/** Deletes a locked import that has changed nothing. */
export async function discardUpload(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { id, fileId }: { readonly id: number; readonly fileId: number | null },
): Promise<void> {
  await tx.deleteFrom('import_run').where('account_id', '=', accountId).where('id', '=', id).execute();
  if (fileId !== null) await deleteFile(tx, { accountId, id: fileId });
  await recordAudit(tx, { accountId, memberId, kind: 'import_discarded', detail: { import_run_id: id } });
}

/**
 * Deletes the content of an imported file, once. The check results and the undo are kept.
 * @returns 404; 409 while a job uses the file, or before its import
 */
export function deleteImportedFile(
  account: MemberDb,
  id: number,
): Promise<CallAnswer<typeof deleteImportFile> | Problem> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    const run = await findImport(tx, accountId, id, { lock: true });
    if (!run) return notFound();
    if (isBusy(run)) return busy();
    if (!wasImported(run.state)) return notImported();
    if (run.fileId !== null && (run.uploaded ?? 0) > 0) {
      await deleteContent(tx, { accountId, id: run.fileId });
      await recordAudit(tx, { accountId, memberId, kind: 'import_file_deleted', detail: { import_run_id: id } });
    }
    return { status: 'deleted' as const };
  });
}

const notImported = () =>
  new Problem('not_imported', 'まだ取り込んでいないファイルです。不要なときは、取り込みを破棄してください。');
