import type { Import, ImportState } from '#contract/imports/imports.ts';
import { IMPORT_HOURS } from '#domain/company/import-limits.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { HOUR_MS } from '#domain/time-units.ts';
import { Problem } from '../../platform/problem.ts';
import type { StoredImport } from './import.queries.ts';

/* The state of an import as the calls show it, and why it refuses an action. */

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

export const notUploaded = () =>
  new Problem('not_uploaded', 'ファイルが届いていないか、期限が過ぎています。もう一度アップロードしてください。');

export const busy = () =>
  new Problem('import_busy', 'この取り込みの処理が、まだ終わっていません。終わるまでお待ちください。');

export const notChecked = () =>
  new Problem('not_checked', 'まだ確認していないか、ファイルの期限が過ぎています。もう一度確認してください。');

export const importEnded = () =>
  new Problem('import_ended', 'この取り込みは、すでに終わっています。画面を読み込み直してください。');

export const notUndoable = () =>
  new Problem('not_undoable', '取り込んでいないか、取り消せる期限（24時間）が過ぎています。');
