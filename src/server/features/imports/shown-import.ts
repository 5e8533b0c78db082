import type { Import, ImportState } from '#contract/imports.ts';
import { IMPORT_HOURS } from '#domain/company/import-limits.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import type { StoredImport } from './import.queries.ts';

const WORKING: Readonly<Record<string, ImportState>> = {
  import_check: 'checking',
  import_run: 'importing',
  import_undo: 'undoing',
};

/** Checks whether a job of the import is waiting or running. */
export const isBusy = ({ jobState }: StoredImport): boolean => jobState === 'queued' || jobState === 'running';

/** Checks whether an import has changed companies, even if it was undone since. */
export const wasImported = (state: StoredImport['state']): boolean => state === 'imported' || state === 'undone';

/** Returns until when an import can be undone, in epoch milliseconds; null: it cannot. */
export const undoUntil = ({ state, importedAt }: StoredImport): number | null =>
  state === 'imported' && importedAt !== null ? importedAt.getTime() + IMPORT_HOURS * HOUR_MS : null;

const second = (at: Date | number | null) => (at === null ? null : formatSecond(Number(at)));

/** Returns an import as the calls show it. */
export function shownImport(run: StoredImport): Import {
  const { state, jobKind, jobState, jobResult } = run;
  return {
    id: run.id,
    name: run.name,
    state: isBusy(run) ? (WORKING[jobKind ?? ''] ?? state) : state,
    bytes: run.bytes,
    uploaded: run.uploaded,
    head_sha256: run.headHash,
    expires_at: second(run.expiresAt),
    job_id: run.jobId,
    message: jobState === 'failed' ? (jobResult?.message ?? null) : null,
    remarks_group_name: run.remarksGroupName,
    review: run.review,
    counts: wasImported(state) ? run.counts : null,
    imported_at: second(run.importedAt),
    undo_until: second(undoUntil(run)),
    undone: run.undone,
  };
}
