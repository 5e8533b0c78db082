import { followJob, type Job } from '#contract/account/jobs.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { EventStream } from '../../platform/http/answers.ts';
import { streamPlaces } from '../../platform/limits/stream-places.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { findJob } from './job.queries.ts';

const POLL_MS = 500;
/**
 * A waiting job may not change for long, and proxies close silent connections. With the time of the polls a stream ends
 * within 15 s of its session.
 */
const BEATS_EVERY_POLLS = 28;

interface JobEvents {
  /**
   * Opens a stream of `job` events: the current job, then every change. The stream ends with the job or the session.
   * @returns 404; 429 where the member or the account has too many open
   */
  open(account: MemberDb, id: number, isLoggedIn: () => Promise<boolean>): Promise<EventStream | Problem>;
}

/** Streams the progress of jobs. Each stream polls the database, because any worker may run the job. */
export function jobEvents(): JobEvents {
  const takePlace = streamPlaces();

  return {
    async open(account, id, isLoggedIn) {
      const read = () => account.snapshot((tx) => findJob(tx, account.id, id));
      const first = await read();
      if (!first) return notFound();
      const leave = takePlace(account);
      if (leave instanceof Problem) return leave;
      const stream = new EventStream(followJob.response);
      stream.once('close', leave);
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
