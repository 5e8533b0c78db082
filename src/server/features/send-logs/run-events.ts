import { sql } from 'kysely';
import { followSendLogs } from '#contract/send-history.ts';
import type { Run } from '#contract/sending.ts';
import { MAX_STREAMS } from '#domain/limits.ts';
import type { AccountDb } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { EventStream } from '../../platform/http/event-stream.ts';
import { Refusal } from '../../platform/refusal.ts';
import { progressOf } from '../runs/progress.queries.ts';

const LOOK_MS = 1000;
const BEAT_MS = 15_000;

/** The open streams of one account in this process, and what they were last told. */
interface Watch {
  readonly account: AccountDb;
  /** Each with a way to ask whether its session still lives. */
  readonly streams: Map<EventStream, () => Promise<boolean>>;
  /** Open runs as they were told. */
  known: Map<number, string>;
  /** Runs with a higher id are new. */
  newestId: number;
  looking: Promise<void> | null;
}

export interface RunEvents {
  /** A stream of `run` events: each open run now, then whatever changes. It ends with the session. */
  open(account: AccountDb, isLoggedIn: () => Promise<boolean>): Promise<EventStream | Refusal>;
}

/**
 * Tells accounts how far their runs are, as it changes. The database is asked once a second for each account that listens, however many
 * listen; runs of any worker are seen. @param now epoch milliseconds
 */
export function runEvents(now: () => number): RunEvents {
  const watches = new Map<number, Watch>();

  function look(watch: Watch): Promise<void> {
    watch.looking ??= changes(watch, now())
      .then(async ({ runs, known, newestId }) => {
        Object.assign(watch, { known, newestId });
        if (runs.length > 0) await tell(watch, runs);
      })
      .finally(() => {
        watch.looking = null;
      });
    return watch.looking;
  }

  function watchOf(account: AccountDb): Watch {
    const there = watches.get(account.id);
    if (there) return there;
    const watch: Watch = { account, streams: new Map(), known: new Map(), newestId: 0, looking: null };
    watches.set(account.id, watch);
    const timer = setInterval(() => {
      if (watch.streams.size > 0) return void look(watch).catch((error: Error) => giveUp(watch, error));
      clearInterval(timer);
      watches.delete(account.id);
    }, LOOK_MS);
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
      watch.streams.set(stream, isLoggedIn);
      const beat = setInterval(() => {
        stream.beat();
        isLoggedIn().then(
          (still) => still || stream.end(),
          (error: Error) => stream.destroy(error),
        );
      }, BEAT_MS);
      beat.unref();
      stream.once('close', () => {
        clearInterval(beat);
        watch.streams.delete(stream);
      });
      // Written before anything else, so that the client knows that it listens.
      stream.beat();
      // What the others know already; the look itself tells the rest.
      for (const run of watch.known.values()) stream.sendEvent('run', JSON.parse(run) as Run);
      await look(watch).catch((error: unknown) => {
        // Nobody will read it, and it would keep its place among the open ones.
        stream.destroy();
        throw error;
      });
      return stream;
    },
  };
}

/** Nothing is told to a session that has ended. */
async function tell({ streams }: Watch, runs: readonly Run[]): Promise<void> {
  for (const [stream, isLoggedIn] of streams) {
    if (!(await isLoggedIn())) stream.end();
    else for (const run of runs) stream.sendEvent('run', run);
  }
}

/** Ends the streams, which logs why; their readers ask anew, and are told by the answer to that what is wrong. */
function giveUp({ streams }: Watch, error: Error): void {
  for (const stream of streams.keys()) stream.destroy(error);
}

/** The runs that are not as they were told: open ones, those that were, and new ones, however short they were. */
async function changes({ account, known, newestId }: Watch, now: number) {
  return account.transaction(async (tx) => {
    const openIds = await openRunIds(tx, account.id);
    const newIds = await newRunIds(tx, account.id, newestId);
    const ids = [...new Set([...openIds, ...known.keys(), ...newIds.told])];
    const runs = await progressOf(tx, account.id, ids, now);
    const open = runs.filter(({ finished }) => !finished);
    return {
      runs: runs.filter((run) => known.get(run.id) !== JSON.stringify(run)),
      known: new Map(open.map((run) => [run.id, JSON.stringify(run)])),
      newestId: newIds.newest,
    };
  });
}

async function openRunIds(tx: Tx, accountId: number): Promise<number[]> {
  // Each half by an index of the queue, which hold open deliveries alone.
  const { rows } = await sql<{ id: number }>`
    SELECT send_log_id AS id FROM delivery WHERE account_id = ${accountId} AND state = 'queued'
    UNION
    SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND lease_until IS NOT NULL`.execute(tx);
  return rows.map(({ id }) => id);
}

/** @param after 0: nothing was told yet, and what has ended is no news */
async function newRunIds(tx: Tx, accountId: number, after: number): Promise<{ newest: number; told: number[] }> {
  const rows = await tx
    .selectFrom('send_log')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '>', after)
    .where('sender_id', 'is not', null)
    .orderBy('id', 'desc')
    .limit(after === 0 ? 1 : 100)
    .execute();
  return { newest: rows[0]?.id ?? after, told: after === 0 ? [] : rows.map(({ id }) => id) };
}
