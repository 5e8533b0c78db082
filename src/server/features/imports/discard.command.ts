import type { CallAnswer } from '#contract/call.ts';
import type { discardImport } from '#contract/import-check.ts';
import type { MemberDb } from '../../platform/account-db.ts';
import { notFound, type Refusal } from '../../platform/refusal.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { findImport } from './import.queries.ts';
import { importEnded } from './run-job.ts';
import { isBusy, wasImported } from './shown-import.ts';
import { busy } from './start-job.ts';

/** Deletes an import that has changed nothing, with its file and what a check found. @returns 404; 409 */
export function discard(account: MemberDb, id: number): Promise<CallAnswer<typeof discardImport> | Refusal> {
  const { id: accountId, memberId } = account;
  return account.transaction(async (tx) => {
    const run = await findImport(tx, accountId, id, { lock: true });
    if (!run) return notFound();
    if (isBusy(run)) return busy();
    if (wasImported(run.state)) return importEnded();
    await tx.deleteFrom('import_run').where('account_id', '=', accountId).where('id', '=', id).execute();
    if (run.fileId !== null) {
      await tx.deleteFrom('stored_file').where('account_id', '=', accountId).where('id', '=', run.fileId).execute();
    }
    await recordAudit(tx, { accountId, memberId, kind: 'import_discarded', detail: { import_run_id: id } });
    return { status: 'deleted' as const };
  });
}
