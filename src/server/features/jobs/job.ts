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
  /** The requesting member; null: since deleted. */
  readonly memberId: number | null;
}

/** A claimed job as its handler sees it. */
export interface RunningJob<Kind extends JobKind = JobKind> extends JobClaim<Kind> {
  readonly account: AccountDb;
  /** Aborted when a member cancels the job, its lease is lost or the worker stops. */
  readonly signal: AbortSignal;
  /** Sets the progress. It is stored about once a second. */
  report(done: number, total?: number): void;
  /**
   * Ends the job in the caller's transaction, so that its changes and its end are committed together or not at all.
   * @throws JobLost if the claim is lost, which rolls the transaction back
   */
  finish(tx: Tx, result: object): Promise<void>;
}

/** Runs a job, and ends it by `finish`. @returns a Problem if it cannot be run: the user sees its message */
export type JobHandler<Kind extends JobKind> = (job: RunningJob<Kind>) => Promise<Refusal | undefined>;
/** The handlers by kind. A worker claims only the kinds that have one. */
export type JobHandlers = { readonly [Kind in JobKind]?: JobHandler<Kind> };

/** The job was cancelled, or another worker has claimed it. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}
