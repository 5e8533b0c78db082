import { sql } from 'kysely';
import type pg from 'pg';
import type { UndoCounts } from '#contract/imports/imports.ts';
import { inClientTransaction } from '../../../platform/database/client-transaction.ts';
import { dbOn, type Tx } from '../../../platform/database/db.ts';
import { Problem } from '../../../platform/problem.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { JobHandler } from '../../jobs/job.ts';
import { recallNewHashes } from '../../suppressions/suppression-hash.queries.ts';
import { findImport } from '../import.queries.ts';
import { notUndoable, undoUntil } from '../import-state.ts';
import { isAddedMeanwhile } from '../merge/import.command.ts';
import { lockImports } from '../merge/import-run.queries.ts';
import { restoreCompanies, restoreRemarks } from './restore.queries.ts';
import { archiveFields, countPeople, restoreOwn } from './restore-own.queries.ts';
import { archiveAdded, countFound, findTouched, removeAdded } from './undo.queries.ts';

/** Returns the handler of undos. One transaction undoes what nobody has changed since. */
export const undoHandler =
  ({ pool, now }: { readonly pool: pg.Pool; readonly now: () => number }): JobHandler<'import_undo'> =>
  async (job) => {
    const { accountId, memberId, input } = job;
    const importRunId = input.import_run_id;
    try {
      return await inClientTransaction<Problem | undefined>(pool, async (client) => {
        const tx = dbOn(client) as Tx;
        await lockImports(client, accountId);
        const run = await findImport(tx, accountId, importRunId, { lock: true });
        const until = run && undoUntil(run);
        if (!run?.importedAt || until === null || until < now()) return { commit: false, result: notUndoable() };
        const source = { accountId, memberId, importRunId, remarksGroupId: run.remarksGroupId };
        await findTouched(client, source, run.importedAt);
        const found = await countFound(client);
        await restoreRemarks(client, source);
        const checkpoint = () => job.signal.throwIfAborted();
        const peopleBefore = await countPeople(tx, source);
        const restoredPeople = await restoreOwn(tx, source, checkpoint);
        await restoreCompanies(client, source, checkpoint);
        const counts = {
          ...found,
          archived: await archiveAdded(client, source),
          removed: await removeAdded(client, source),
        };
        await archiveFields(tx, source);
        const people = { removed: peopleBefore - (await countPeople(tx, source)), restored: restoredPeople };
        const undone: UndoCounts = { ...counts, ...(run.counts.people !== undefined && { people }) };
        await recallNewHashes(tx, accountId);
        await sql`
          UPDATE import_run SET state = 'undone', undone = ${JSON.stringify(undone)}
          WHERE account_id = ${accountId} AND id = ${importRunId}`.execute(tx);
        const { removed, archived, restored } = undone;
        const detail = { import_run_id: importRunId, removed, archived, restored };
        await recordAudit(tx, { accountId, memberId, kind: 'import_undone', detail });
        await job.finish(tx, undone);
        return { commit: true, result: undefined };
      });
    } catch (error) {
      if (isAddedMeanwhile(error)) return taken();
      throw error;
    }
  };

const taken = () =>
  new Problem('not_undoable', '元の法人番号か会社名の会社が、ほかに登録されているため、取り消せません。');
