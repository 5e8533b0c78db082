import type { Run } from '#contract/sending/runs.ts';
import { followSendLogs } from '#contract/sending/send-logs.ts';
import { MAX_STREAMS } from '#domain/limits.ts';
import { type AccountDb, type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import { EventStream } from '../../platform/http/answers.ts';
import { Problem } from '../../platform/problem.ts';
import { changedRuns, type SentRuns } from './run-changes.queries.ts';

/** The interval between two queries for changes. */
const POLL_MS = 1000;
const HEARTBEAT_MS = 15_000;

/** The reader of a stream. */
interface Reader {
  readonly memberId: number;
  /** Checks whether the session is still valid. */
  readonly isLoggedIn: () => Promise<boolean>;
  /** The number of unread notices sent last; null: none yet. */
  unread: number | null;
}

/** The open streams of one account in this process, and the state sent to them. */
interface Watch extends SentRuns {
  readonly streams: Map<EventStream, Reader>;
  /** The poll in progress. */
  polling: Promise<void> | null;
}

export interface RunEvents {
  /**
   * Opens a stream of `run` events: each open run, then every change. It ends with the session.
   * Its `notices` events carry the number of the member's unread notices: the current one, then every change.
   * @returns 429 if the account has MAX_STREAMS open
   */
  open(account: MemberDb, isLoggedIn: () => Promise<boolean>): Promise<EventStream | Problem>;
}

/**
 * Streams the progress of runs to the clients of their accounts.
 * Polls the database once a second for each account with open streams, because any worker may make the progress.
 * @param now epoch milliseconds
 * @param accountOf returns the account for the polls of all its streams: a request's own ends with its client
 */
export function runEvents(now: () => number, accountOf: (member: MemberKey) => AccountDb): RunEvents {
  const watches = new Map<number, Watch>();

  function poll(watch: Watch): Promise<void> {
    watch.polling ??= changedRuns(watch, now())
      .then(async ({ runs, known, newestId, unread }) => {
        Object.assign(watch, { known, newestId });
        await send(watch, runs, unread);
      })
      .finally(() => {
        watch.polling = null;
      });
    return watch.polling;
  }

  function watchOf(member: MemberKey): Watch {
    const existing = watches.get(member.accountId);
    if (existing) return existing;
    const account = accountOf(member);
    const watch: Watch = { account, streams: new Map(), known: new Map(), newestId: null, polling: null };
    watches.set(account.id, watch);
    const timer = setInterval(() => {
      if (watch.streams.size > 0) return void poll(watch).catch((error: Error) => destroyStreams(watch, error));
      clearInterval(timer);
      watches.delete(account.id);
    }, POLL_MS);
    timer.unref();
    return watch;
  }

  return {
    async open(account, isLoggedIn) {
      const watch = watchOf(memberKeyOf(account));
      if (watch.streams.size >= MAX_STREAMS) {
        return new Problem('too_many_streams', '開いている画面が多すぎます。使っていない画面を閉じてください。', 30);
      }
      const stream = new EventStream(followSendLogs.response);
      watch.streams.set(stream, { memberId: account.memberId, isLoggedIn, unread: null });
      const beat = setInterval(() => {
        stream.beat();
        isLoggedIn().then(
          (isValid) => isValid || stream.end(),
          (error: Error) => stream.destroy(error),
        );
      }, HEARTBEAT_MS);
      beat.unref();
      stream.once('close', () => {
        clearInterval(beat);
        watch.streams.delete(stream);
      });
      // The first heartbeat tells the client that the stream is open, before any event.
      stream.beat();
      // Sends the runs that the other streams have; the poll sends later changes.
      for (const run of watch.known.values()) stream.sendEvent('run', JSON.parse(run) as Run);
      await poll(watch).catch((error: unknown) => {
        // The stream has no reader, but would count towards MAX_STREAMS.
        stream.destroy();
        throw error;
      });
      return stream;
    },
  };
}

/** Sends runs to all streams, and to each its member's unread notices. Ends streams whose session has ended. */
async function send({ streams }: Watch, runs: readonly Run[], unreadOf: ReadonlyMap<number, number>): Promise<void> {
  for (const [stream, reader] of streams) {
    const unread = unreadOf.get(reader.memberId) ?? 0;
    if (runs.length === 0 && reader.unread === unread) continue;
    if (!(await reader.isLoggedIn())) {
      stream.end();
      continue;
    }
    for (const run of runs) stream.sendEvent('run', run);
    if (reader.unread !== unread) stream.sendEvent('notices', { unread });
    reader.unread = unread;
  }
}

/** Destroys the streams, which logs the error. Their clients reconnect, and the answer shows them the error. */
function destroyStreams({ streams }: Watch, error: Error): void {
  for (const stream of streams.keys()) stream.destroy(error);
}
