import { sql } from 'kysely';
import { LATEST_START_MINUTES } from '#domain/limits.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';

/**
 * Records facts that no other transaction does: the end of a run, a missed reservation, a run's number of failed mails.
 * Each is stored once; triggers write its event in the same transaction (notice_of_…).
 */

/** The most runs in one transaction. */
const RUNS_MAX = 500;

/** No mail of the run `send_log` is waiting or being sent. Each half uses a partial index of the queue. */
const hasEnded = sql<boolean>`(
  NOT EXISTS (SELECT FROM delivery d
    WHERE d.account_id = send_log.account_id AND d.sender_id = send_log.sender_id AND d.state = 'queued'
      AND d.send_log_id = send_log.id)
  AND NOT EXISTS (SELECT FROM delivery d
    WHERE d.lease_until IS NOT NULL AND d.account_id = send_log.account_id AND d.send_log_id = send_log.id))`;
const isOpen = sql<boolean>`send_log.ended_at IS NULL AND send_log.sender_id IS NOT NULL`;

/** Records the end of runs. A retry of failed mails opens a run again (delivery/run-rows.queries.ts). */
export async function endRuns(db: Db): Promise<void> {
  const { rows: ended } = await sql<{ account_id: number; id: number }>`
    SELECT account_id, id FROM send_log WHERE ${isOpen} AND ${hasEnded} AND ${isNotFrozen('account_id')}
    ORDER BY account_id, id LIMIT ${RUNS_MAX}`.execute(db);
  if (ended.length === 0) return;
  await db.transaction().execute(async (tx) => {
    // Whoever queues mails of a run again locks it first, so that they are visible once it is locked here.
    const locked = await lockRuns(tx, ended);
    await sql`UPDATE send_log SET ended_at = now() WHERE ${isOneOf(locked)} AND ${isOpen} AND ${hasEnded}`.execute(tx);
  });
}

/** Records that reservations were too late to start. */
export async function missReservations(db: Db): Promise<void> {
  await sql`
    UPDATE reservation SET missed_at = now()
    WHERE active AND NOT is_sent AND missed_at IS NULL AND ${isNotFrozen('account_id')}
      AND send_at <= now() - make_interval(mins => ${LATEST_START_MINUTES})`.execute(db);
}

/** Computes the failure percentage of runs whose number of failed mails has grown. */
export async function countFailures(db: Db): Promise<void> {
  const { rows: any } = await sql`
    SELECT FROM notice_event WHERE kind = 'failed_mails' AND ${isNotFrozen('account_id')} LIMIT 1`.execute(db);
  if (any.length === 0) return;
  await db.transaction().execute(async (tx) => {
    const { rows: runs } = await sql<{ account_id: number; id: number }>`
      WITH taken AS (
        DELETE FROM notice_event WHERE (account_id, id) IN (
          SELECT account_id, id FROM notice_event WHERE kind = 'failed_mails' AND ${isNotFrozen('account_id')}
          ORDER BY account_id, id LIMIT ${RUNS_MAX} FOR UPDATE SKIP LOCKED)
        RETURNING account_id, subject_id
      ) SELECT DISTINCT account_id, subject_id AS id FROM taken`.execute(tx);
    const locked = await lockRuns(tx, runs);
    await sql`
      UPDATE send_log SET failure_percent = failed.percent
      FROM (
        SELECT run.account_id, run.id, least(100, ceil(100.0 * (SELECT count(*) FROM delivery
            WHERE delivery.account_id = run.account_id AND delivery.send_log_id = run.id
              AND delivery.state = 'failed' AND NOT delivery.test_send_mode) / greatest(run.targets, 1))) AS percent
        FROM send_log run WHERE ${isOneOf(locked, 'run')}
      ) AS failed
      WHERE send_log.account_id = failed.account_id AND send_log.id = failed.id
        AND send_log.failure_percent < failed.percent`.execute(tx);
  });
}

type Runs = readonly { readonly account_id: number; readonly id: number }[];

const isOneOf = (runs: Runs, table = 'send_log') => sql<boolean>`
  (${sql.ref(`${table}.account_id`)}, ${sql.ref(`${table}.id`)}) IN (
    SELECT * FROM unnest(${runs.map((run) => run.account_id)}::bigint[], ${runs.map(({ id }) => id)}::bigint[]))`;

/** Locks runs by id, as all do that lock several. */
async function lockRuns(tx: Tx, runs: Runs): Promise<Runs> {
  const { rows } = await sql<Runs[number]>`
    SELECT account_id, id FROM send_log WHERE ${isOneOf(runs)} ORDER BY id FOR NO KEY UPDATE`.execute(tx);
  return rows;
}
