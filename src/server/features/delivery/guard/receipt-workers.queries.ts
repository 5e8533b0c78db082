import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import { RECEIPTS_KEPT_DAYS } from '../pauses/installation.queries.ts';

/** A worker that keeps receipts. */
interface ReceiptWorker {
  readonly workerId: string;
  /** The host and the receipts folder, for people. */
  readonly machine: string;
}

/** After so long without a heartbeat a worker counts as dead. */
const DEAD_SECONDS = 30;

interface Seen {
  /** The database's time before the worker's next merge. */
  readonly at: Date;
  /** A freeze waits for the receipts. */
  readonly isAwaited: boolean;
}

/** Records a worker's heartbeat. Deletes workers whose receipts have expired. */
export async function seeWorker(db: Db, { workerId, machine }: ReceiptWorker): Promise<Seen> {
  const { rows } = await sql<Seen>`
    WITH gone AS (
      DELETE FROM receipt_worker WHERE seen_at < now() - make_interval(days => ${sql.lit(RECEIPTS_KEPT_DAYS)})
    ), seen AS (
      INSERT INTO receipt_worker (worker_id, machine) VALUES (${workerId}, ${machine})
      ON CONFLICT (worker_id) DO UPDATE SET seen_at = now()
      RETURNING seen_at AS at
    )
    SELECT at, EXISTS (SELECT FROM account WHERE frozen_at IS NOT NULL AND settled_at IS NULL) AS "isAwaited"
    FROM seen`.execute(db);
  return onlyRow(rows);
}

/** Records that this machine's receipts from before a time are merged. */
export async function markMerged(db: Db, { workerId }: ReceiptWorker, at: Date): Promise<void> {
  await db.updateTable('receipt_worker').set({ merged_at: at }).where('worker_id', '=', workerId).execute();
}

/** Deletes a worker that stopped in order: its mails have their results. */
export async function forgetWorker(db: Db, workerId: string): Promise<void> {
  await db.deleteFrom('receipt_worker').where('worker_id', '=', workerId).execute();
}

/** The machines that keep receipts. */
export interface ReceiptMachines {
  /** Living workers that have not merged the receipts from before the time. */
  readonly behind: number;
  /** Machines without a living worker, whose receipts nobody may have merged. */
  readonly dead: readonly string[];
}

/** Reads who has merged the receipts from before a time. A machine is alive while one of its workers is. */
export async function readMachines(db: Db, since: Date): Promise<ReceiptMachines> {
  const { rows } = await sql<ReceiptMachines>`
    WITH worker AS (
      SELECT machine, merged_at, seen_at > now() - make_interval(secs => ${sql.lit(DEAD_SECONDS)}) AS lives
      FROM receipt_worker
    )
    SELECT count(*) FILTER (WHERE lives AND (merged_at >= ${since}) IS NOT TRUE)::integer AS behind,
      coalesce(array_agg(DISTINCT machine) FILTER (WHERE NOT lives AND machine NOT IN (
        SELECT machine FROM worker WHERE lives)), '{}') AS dead
    FROM worker`.execute(db);
  return onlyRow(rows);
}
