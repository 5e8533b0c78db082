import type { ExportRequest } from '#contract/companies/exports.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Refusal } from '../../platform/problem.ts';

/** The kinds of jobs, each with its stored input. commands/start-worker.ts names the handler of each kind. */
export interface JobInputs {
  readonly export: ExportRequest;
  readonly import_check: { readonly import_run_id: number };
  readonly import_run: { readonly import_run_id: number; readonly mode: 'leave_out' | 'strict' };
  readonly import_undo: { readonly import_run_id: number };
}
export type JobKind = keyof JobInputs;

/** A job that this worker has claimed. */
export interface JobClaim<Kind extends JobKind = JobKind> {
  readonly accountId: number;
  readonly id: number;
  readonly claimNo: number;
  readonly kind: Kind;
  readonly input: JobInputs[Kind];
  /** Who asked for it; null: a member that was deleted. */
  readonly memberId: number | null;
}

/** A claimed job, as its handler sees it. */
export interface RunningJob<Kind extends JobKind = JobKind> extends JobClaim<Kind> {
  readonly account: AccountDb;
  /** Aborted when somebody cancels the job, its lease is lost or the worker stops. */
  readonly signal: AbortSignal;
  /** Sets the progress. It is stored about once a second. */
  report(done: number, total?: number): void;
  /**
   * Ends the job within the caller's transaction: its changes and the end are committed together, or neither.
   * @throws JobLost where the job is no longer ours, so that the transaction is rolled back
   */
  finish(tx: Tx, result: object): Promise<void>;
}

/** Does a job, and ends it by `finish`. @returns a Problem where it cannot be done: the user sees its message */
export type JobHandler<Kind extends JobKind> = (job: RunningJob<Kind>) => Promise<Refusal | undefined>;
/** A worker claims only the kinds that it has a handler for. */
export type JobHandlers = { readonly [Kind in JobKind]?: JobHandler<Kind> };

/** The job was cancelled, or another worker has claimed it. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}
