import type { Run } from '#contract/sending/runs.ts';
import { followSendLogs } from '#contract/sending/send-logs.ts';
import { type AccountDb, type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import { EventStream } from '../../platform/http/answers.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import { streamPlaces } from '../../platform/limits/stream-places.ts';
import { Problem } from '../../platform/problem.ts';
import { validUses } from '../auth/session.ts';
import { changedRuns, type SentRuns } from './run-changes.queries.ts';

/** The interval between two queries for changes. */
const POLL_MS = 1000;
const HEARTBEAT_MS = 15_000;

/** The session of a stream. */
interface Session {
  readonly token: string;
  /** The request's host, in readHost's form. */
  readonly host: string;
  /** The address of the requester. */
  readonly ip: string;
}

/** The reader of a stream. */
interface Reader extends Session {
  readonly memberId: number;
  /** The number of unread notices sent last; null: none yet. */
  unread: number | null;
}

/** The open streams of one account in this process, and the state sent to them. */
interface Watch extends SentRuns {
  readonly streams: Map<EventStream, Reader>;
  /** The poll in progress. */
  polling: Promise<void> | null;
}

interface RunEvents {
  /**
   * Opens a stream of `run` events: each open run, then every change. It ends with the session.
   * Its `notices` events carry the number of the member's unread notices: the current one, then every change.
   * @returns 429 where the member or the account has too many open
   */
  open(account: MemberDb, session: Session): Promise<EventStream | Problem>;
}

interface Parts {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly isHome: AccountHosts['isHome'];
  /** Returns the account for the polls of all its streams: a request's own ends with its client. */
  readonly accountOf: (member: MemberKey) => AccountDb;
}

/**
 * Streams the progress of runs to the clients of their accounts.
 * Polls the database once a second for each account with open streams, because any worker may make the progress.
 */
export function runEvents({ now, isHome, accountOf }: Parts): RunEvents {
  const watches = new Map<number, Watch>();
  const takePlace = streamPlaces();

  /** Sends runs to all streams, and to each its member's unread notices. */
  async function send(watch: Watch, runs: readonly Run[], unreadOf: ReadonlyMap<number, number>): Promise<void> {
    const isNews = ({ unread, memberId }: Reader) => runs.length > 0 || unread !== (unreadOf.get(memberId) ?? 0);
    if (![...watch.streams.values()].some(isNews)) return;
    await endInvalid(watch, { now, isHome });
    for (const [stream, reader] of watch.streams) {
      if (stream.writableEnded) continue;
      const unread = unreadOf.get(reader.memberId) ?? 0;
      for (const run of runs) stream.sendEvent('run', run);
      if (reader.unread !== unread) stream.sendEvent('notices', { unread });
      reader.unread = unread;
    }
  }

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

  async function beat(watch: Watch): Promise<void> {
    for (const stream of watch.streams.keys()) stream.beat();
    await endInvalid(watch, { now, isHome });
  }

  function watchOf(member: MemberKey): Watch {
    const existing = watches.get(member.accountId);
    if (existing) return existing;
    const account = accountOf(member);
    const watch: Watch = { account, streams: new Map(), known: new Map(), newestId: null, polling: null };
    watches.set(account.id, watch);
    const every = (ms: number, work: (watch: Watch) => Promise<void>) =>
      setInterval(() => {
        if (watch.streams.size > 0) return void work(watch).catch((error: Error) => destroyStreams(watch, error));
        for (const timer of timers) clearInterval(timer);
        watches.delete(account.id);
      }, ms).unref();
    const timers = [every(POLL_MS, poll), every(HEARTBEAT_MS, beat)];
    return watch;
  }

  return {
    async open(account, session) {
      const leave = takePlace(account);
      if (leave instanceof Problem) return leave;
      const watch = watchOf(memberKeyOf(account));
      const stream = new EventStream(followSendLogs.response);
      watch.streams.set(stream, { ...session, memberId: account.memberId, unread: null });
      stream.once('close', () => {
        leave();
        watch.streams.delete(stream);
      });
      // The first heartbeat tells the client that the stream is open, before any event.
      stream.beat();
      // Sends the runs that the other streams have; the poll sends later changes.
      for (const run of watch.known.values()) stream.sendEvent('run', JSON.parse(run) as Run);
      await poll(watch).catch((error: unknown) => {
        // The stream has no reader, but would keep its place.
        stream.destroy();
        throw error;
      });
      return stream;
    },
  };
}

/** Ends the streams whose session has ended, with one query for all. */
async function endInvalid({ account, streams }: Watch, { now, isHome }: Pick<Parts, 'now' | 'isHome'>): Promise<void> {
  const readers = [...streams];
  const uses = readers.map(([, reader]) => reader);
  const valid = await account.snapshot((tx) => validUses(tx, account.id, uses, now()));
  for (const [stream, reader] of readers) {
    if (!(valid.has(reader) && isHome(account.id, reader.host))) stream.end();
  }
}

/** Destroys the streams, which logs the error. Their clients reconnect, and the answer shows them the error. */
function destroyStreams({ streams }: Watch, error: Error): void {
  for (const stream of streams.keys()) stream.destroy(error);
}
