import { sql } from 'kysely';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countUnreadOfAll } from '../notices/notice-list.queries.ts';
import { progressOf } from '../runs/progress.queries.ts';

/** The most new runs that one poll reads. */
const NEW_RUNS_MAX = 100;

/** The state that an account's streams have been sent. */
export interface SentRuns {
  readonly account: AccountDb;
  /** The open runs as they were last sent, as JSON by id. Each poll replaces it; run-events.ts reads it. */
  known: Map<number, string>;
  /** Runs with a higher id are new; 0: the account had none. Written by each poll; null before the first. */
  newestId: number | null;
}

/** Finds the runs that differ from the sent state: open ones, formerly open ones, and new ones that have ended. */
export async function changedRuns({ account, known, newestId }: SentRuns, now: number) {
  return account.snapshot(async (tx) => {
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
  // Each half uses a partial index of the queue, which has only open deliveries.
  const { rows } = await sql<{ id: number }>`
    SELECT send_log_id AS id FROM delivery WHERE account_id = ${accountId} AND state = 'queued'
    UNION
    SELECT send_log_id FROM delivery WHERE account_id = ${accountId} AND lease_until IS NOT NULL`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * Finds runs with an id above `after`.
 * @param after null on the first poll, which finds none: ended runs are not sent to new streams
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
