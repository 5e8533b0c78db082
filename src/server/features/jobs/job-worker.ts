import type { Logger } from 'pino';
import { accountDbOf, pastFreeze } from '../../platform/database/account-db.ts';
import { type Db, isDatabaseUnavailable, isDiskFull } from '../../platform/database/db.ts';
import { startLoop } from '../../platform/loop.ts';
import { Problem, storageFull } from '../../platform/problem.ts';
import type { WorkSignal } from '../../platform/work-signal.ts';
import { deleteDeadFiles } from '../stored-files/stored-file.queries.ts';
import { claimJob, endJob, failInterrupted, renewJob, requeueJob } from './job.queries.ts';
import { type JobClaim, type JobHandler, type JobHandlers, type JobKind, JobLost } from './job.ts';

interface JobWorkerParts {
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Pick<Logger, 'error' | 'warn' | 'info'>;
  readonly handlers: JobHandlers;
  /** Announces new jobs; without it the worker polls every second. */
  readonly workSignal?: WorkSignal | undefined;
  /** Milliseconds between two renewals of a lease, for tests. */
  readonly renewMs?: number;
  /** Milliseconds between two queries for jobs without a signal, for tests. */
  readonly pollMs?: number;
}

/** Concurrent jobs of one worker, each of another account, so that a long one does not delay the others. */
const MAX_RUNNING = 2;
const POLL_MS = 1000;
/** The poll interval while a signal is connected. Polling finds the jobs of lost workers. */
const SLOW_POLL_MS = 5000;
const RENEW_MS = 1000;

const INTERNAL = {
  code: 'internal',
  message: '処理中に問題が発生しました。もう一度やり直してください。続くときは、管理者に連絡してください。',
};
const INTERRUPTED = {
  code: 'interrupted',
  message:
    '処理が何度も中断されたため、終了しました。もう一度やり直してください。続くときは、管理者に連絡してください。',
};

/** Claims and runs jobs until stopped. Any number of workers may run at once. @returns a function that stops it */
export function startJobWorker(parts: JobWorkerParts): () => Promise<void> {
  const { db, handlers, log, workSignal, pollMs = POLL_MS } = parts;
  const running = new Set<Promise<void>>();

  async function next(): Promise<JobClaim | null> {
    if (running.size >= MAX_RUNNING) return null;
    const failed = await failInterrupted(db, INTERRUPTED);
    for (const id of failed) log.error({ job: id }, 'job failed: interrupted too often');
    if (failed.length > 0) await deleteDeadFiles(db);
    return claimJob(db, Object.keys(handlers));
  }

  const loop = startLoop({
    log,
    task: 'look for jobs',
    wake: workSignal?.subscribe,
    async work(stopping) {
      const claim = await next();
      if (claim === null) return workSignal?.isListening() ? SLOW_POLL_MS : pollMs;
      const done = runJob(parts, claim, stopping).finally(() => {
        running.delete(done);
        loop.wake();
      });
      running.add(done);
      return 0;
    },
  });
  return async () => {
    await loop.stop();
    await Promise.all(running);
  };
}

/** Runs one job while renewing its lease. Never rejects. */
async function runJob(
  { db, log, handlers, renewMs = RENEW_MS }: JobWorkerParts,
  claim: JobClaim,
  stopping: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  let progress: { done: number; total: number | null } = { done: 0, total: null };
  let isFinished = false;
  const renewal = setInterval(() => {
    renewJob(db, claim, progress.done, progress.total).then(
      (isOurs) => isOurs || isFinished || lost.abort(new JobLost()),
      // The lease survives a short outage; after a long one `finish` detects the lost job.
      (error: unknown) => log.warn({ err: error, job: claim.id }, 'could not renew the lease of a job; retrying'),
    );
  }, renewMs);
  try {
    const handle = handlers[claim.kind] as JobHandler<JobKind>;
    const problem = await handle({
      ...claim,
      // Work for a frozen account may finish: the freeze waits for the job's end.
      account: pastFreeze(accountDbOf(db)(claim.accountId, claim.memberId)),
      signal: AbortSignal.any([lost.signal, stopping]),
      report: (done, total = progress.total ?? undefined) => {
        progress = { done, total: total ?? null };
      },
      finish: async (tx, result) => {
        isFinished = true;
        if (!(await endJob(tx, claim, 'done', result))) throw new JobLost();
      },
    });
    if (problem instanceof Problem) await endJob(db, claim, 'failed', { code: problem.code, message: problem.message });
    else if (!isFinished) throw new Error('the handler returned without a result');
  } catch (error) {
    await endBroken({ db, log }, claim, error, { isLost: lost.signal.aborted, isStopping: stopping.aborted });
  } finally {
    clearInterval(renewal);
  }
}

/** Ends the claim of a job whose handler has thrown. Never rejects. */
async function endBroken(
  { db, log }: Pick<JobWorkerParts, 'db' | 'log'>,
  claim: JobClaim,
  error: unknown,
  { isLost, isStopping }: { isLost: boolean; isStopping: boolean },
): Promise<void> {
  const { id: job, kind } = claim;
  try {
    if (isLost || error instanceof JobLost)
      return log.info({ job, kind }, 'job cancelled, or claimed by another worker');
    if (isStopping) return await requeueJob(db, claim);
    if (isDiskFull(error)) {
      const { code, message } = storageFull();
      log.error({ err: error, job, kind }, 'job failed: a disk is full');
      await endJob(db, claim, 'failed', { code, message });
      return;
    }
    if (isDatabaseUnavailable(error)) throw error;
    log.error({ err: error, job, kind }, 'job failed by an unexpected error');
    await endJob(db, claim, 'failed', INTERNAL);
  } catch (unavailable) {
    log.warn({ err: unavailable, job, kind }, 'job interrupted; it is claimed again when its lease is over');
  }
}
