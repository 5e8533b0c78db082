import { sql } from 'kysely';
import { followSendLogs } from '#contract/send-history.ts';
import type { Run } from '#contract/sending.ts';
import { MAX_STREAMS } from '#domain/limits.ts';
import type { AccountDb, MemberDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { EventStream } from '../../platform/http/event-stream.ts';
import { Refusal } from '../../platform/refusal.ts';
import { countUnreadOfAll } from '../notices/notice-list.queries.ts';
import { progressOf } from '../runs/progress.queries.ts';

/** The interval between two queries for changes. */
const POLL_MS = 1000;
const HEARTBEAT_MS = 15_000;
/** The most new runs that one poll reads. */
const NEW_RUNS_MAX = 100;

/** Who reads a stream. */
interface Reader {
  readonly memberId: number;
  /** Checks whether the session is still valid. */
  readonly isLoggedIn: () => Promise<boolean>;
  /** The number of unread notices that was sent last; null: none yet. */
  unread: number | null;
}

/** The open streams of one account in this process, and the state they have been sent. */
interface Watch {
  readonly account: AccountDb;
  readonly streams: Map<EventStream, Reader>;
  /** The open runs as they were last sent, as JSON by id. Each poll replaces it; `open` sends it to a new stream. */
  known: Map<number, string>;
  /** Runs with a higher id are new; 0: the account had none. Written by each poll; null before the first. */
  newestId: number | null;
  /** The poll in progress. */
  polling: Promise<void> | null;
}

export interface RunEvents {
  /**
   * Opens a stream of `run` events: each open run now, then every change. It ends with the session.
   * Its `notices` events have the number of the member's unread notices: now, then every change.
   * @returns 429 when the account has MAX_STREAMS open
   */
  open(account: MemberDb, isLoggedIn: () => Promise<boolean>): Promise<EventStream | Refusal>;
}

/**
 * Streams the progress of runs to the clients of their accounts.
 * It polls the database once a second for each account with open streams, so that the progress of all workers is seen.
 * @param now epoch milliseconds
 */
export function runEvents(now: () => number): RunEvents {
  const watches = new Map<number, Watch>();

  function poll(watch: Watch): Promise<void> {
    watch.polling ??= changes(watch, now())
      .then(async ({ runs, known, newestId, unread }) => {
        Object.assign(watch, { known, newestId });
        await send(watch, runs, unread);
      })
      .finally(() => {
        watch.polling = null;
      });
    return watch.polling;
  }

  function watchOf(account: AccountDb): Watch {
    const existing = watches.get(account.id);
    if (existing) return existing;
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
      const watch = watchOf(account);
      if (watch.streams.size >= MAX_STREAMS) {
        return new Refusal(
          429,
          'too_many_streams',
          '開いている画面が多すぎます。使っていない画面を閉じてください。',
          30,
        );
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
      // The first heartbeat tells the client that the stream is open, before there is an event.
      stream.beat();
      // The runs that the other streams have; the poll sends the changes since then.
      for (const run of watch.known.values()) stream.sendEvent('run', JSON.parse(run) as Run);
      await poll(watch).catch((error: unknown) => {
        // Nobody reads this stream, and it would count against MAX_STREAMS.
        stream.destroy();
        throw error;
      });
      return stream;
    },
  };
}

/** Sends runs to all streams, and to each the unread notices of its member. Ends those whose session has ended. */
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

/** Destroys the streams, which logs the error. Their clients reconnect, and get the error as an answer. */
function destroyStreams({ streams }: Watch, error: Error): void {
  for (const stream of streams.keys()) stream.destroy(error);
}

/** Finds the runs that differ from what was sent: open ones, formerly open ones, and new ones that ended already. */
async function changes({ account, known, newestId }: Watch, now: number) {
  return account.transaction(async (tx) => {
    const openIds = await openRunIds(tx, account.id);
    const newIds = await newRunIds(tx, account.id, newestId);
    const ids = [...new Set([...openIds, ...known.keys(), ...newIds.unsent])];
    const runs = await progressOf(tx, account.id, ids, now);
    const open = runs.filter(({ finished }) => !finished);
    return {
      runs: runs.filter((run) => known.get(run.id) !== JSON.stringify(run)),
      known: new Map(open.map((run) => [run.id, JSON.stringify(run)])),
      newestId: newIds.newest,
      unread: await countUnreadOfAll(tx, account.id),
    };
  });
}

async function openRunIds(tx: Tx, accountId: number): Promise<number[]> {
  // Each half uses a partial index of the queue, which has open deliveries alone.
  const { rows } = await sql<{ id: number }>`
    SELECT send_log_id AS id FROM delivery WHERE account_id = ${accountId} AND state = 'queued'
    UNION
    SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND lease_until IS NOT NULL`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * Finds runs with an id above `after`.
 * @param after null on the first poll, which reports no run as unsent: runs that have ended are not sent to new streams
 */
async function newRunIds(
  tx: Tx,
  accountId: number,
  after: number | null,
): Promise<{ newest: number; unsent: number[] }> {
  const rows = await tx
    .selectFrom('send_log')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '>', after ?? 0)
    .where('sender_id', 'is not', null)
    .orderBy('id', 'desc')
    .limit(after === null ? 1 : NEW_RUNS_MAX)
    .execute();
  return { newest: rows[0]?.id ?? after ?? 0, unsent: after === null ? [] : rows.map(({ id }) => id) };
}
