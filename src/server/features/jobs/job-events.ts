import { followJob, type Job } from '#contract/account/jobs.ts';
import { MAX_STREAMS } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { EventStream } from '../../platform/http/answers.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { findJob } from './job.queries.ts';

const POLL_MS = 500;
/** A waiting job may not change for long, and proxies close silent connections. */
const BEATS_EVERY_POLLS = 30;

interface JobEvents {
  /**
   * Opens a stream of `job` events: the current job, then every change. The stream ends with the job or the session.
   * @returns 404; 429 when the account has MAX_STREAMS open
   */
  open(account: AccountDb, id: number, isLoggedIn: () => Promise<boolean>): Promise<EventStream | Problem>;
}

/** Streams the progress of jobs. Each stream polls the database, because any worker may run the job. */
export function jobEvents(): JobEvents {
  /** How many streams each account has open in this process. */
  const open = new Map<number, number>();
  const count = (accountId: number, change: 1 | -1) => open.set(accountId, (open.get(accountId) ?? 0) + change);

  return {
    async open(account, id, isLoggedIn) {
      const read = () => account.snapshot((tx) => findJob(tx, account.id, id));
      const first = await read();
      if (!first) return notFound();
      if ((open.get(account.id) ?? 0) >= MAX_STREAMS) {
        return new Problem('too_many_streams', '開いている画面が多すぎます。使っていない画面を閉じてください。', 30);
      }
      const stream = new EventStream(followJob.response);
      count(account.id, 1);
      stream.once('close', () => count(account.id, -1));
      follow(stream, first, read, isLoggedIn).catch((error: Error) => stream.destroy(error));
      return stream;
    },
  };
}

async function follow(
  stream: EventStream,
  first: Job,
  read: () => Promise<Job | null>,
  isLoggedIn: () => Promise<boolean>,
): Promise<void> {
  let sent = '';
  let job: Job | null = first;
  for (let polls = 0; job !== null && !stream.destroyed; polls += 1) {
    const text = JSON.stringify(job);
    if (text !== sent) stream.sendEvent('job', job);
    sent = text;
    if (job.finished_at !== null) break;
    if (polls % BEATS_EVERY_POLLS === 0) {
      if (!(await isLoggedIn())) break;
      stream.beat();
    }
    await new Promise((done) => setTimeout(done, POLL_MS).unref());
    job = await read();
  }
  stream.end();
}
