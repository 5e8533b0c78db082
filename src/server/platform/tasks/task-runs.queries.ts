import { sql } from 'kysely';
import type { Db } from '../database/db.ts';

/** A task is recorded at most once in this time, over all processes. */
const RECORD_EVERY_SECONDS = 60;
/** A task is late if its last success is older than this multiple of its period. */
const LATE_FACTOR = 3;

/** How often the success of a task is recorded if nothing fails. */
export const successSeconds = (everyMs: number): number => Math.max(everyMs / 1000, RECORD_EVERY_SECONDS);

interface Recorded {
  readonly name: string;
  /** How long the run took. */
  readonly seconds: number;
  /** null: success. */
  readonly fault: string | null;
  /** Default: RECORD_EVERY_SECONDS; 0: each run is recorded. */
  readonly atMostEverySeconds?: number;
}

/**
 * Records a run, unless one of the task was recorded within the last minute, by any process.
 * The times are the database's. Without NOT EXISTS each process would lock the row at each run.
 */
export async function recordRun(
  db: Db,
  { name, seconds, fault, atMostEverySeconds = RECORD_EVERY_SECONDS }: Recorded,
): Promise<void> {
  const limit = sql`now() - make_interval(secs => ${sql.lit(atMostEverySeconds)})`;
  await sql`
    INSERT INTO task_run AS last (name, began_at, ended_at, fault, succeeded_at)
    SELECT ${name}::text, now() - make_interval(secs => ${seconds}::float8), now(), ${fault}::text,
      CASE WHEN ${fault}::text IS NULL THEN now() END
    WHERE NOT EXISTS (SELECT FROM task_run WHERE name = ${name} AND ended_at > ${limit})
    ON CONFLICT (name) DO UPDATE SET began_at = excluded.began_at, ended_at = excluded.ended_at,
      fault = excluded.fault, succeeded_at = coalesce(excluded.succeeded_at, last.succeeded_at)
    WHERE last.ended_at <= ${limit}`.execute(db);
}

/** The last recorded run of a task. */
export interface TaskRun {
  readonly name: string;
  readonly endedAt: Date;
  /** null: success. */
  readonly fault: string | null;
  readonly succeededAt: Date | null;
  /** Seconds since the last success, by the database's clock; null: none recorded. */
  readonly successAge: number | null;
}

/** Reads the last runs, by name. */
export async function readTaskRuns(db: Db): Promise<ReadonlyMap<string, TaskRun>> {
  const { rows } = await sql<TaskRun>`
    SELECT name, ended_at AS "endedAt", fault, succeeded_at AS "succeededAt",
      extract(epoch FROM now() - succeeded_at)::float8 AS "successAge"
    FROM task_run`.execute(db);
  return new Map(rows.map((run) => [run.name, run]));
}

/**
 * Whether a task is late. The alert rules of docs/monitoring use the same condition.
 * @param lateMs default: LATE_FACTOR periods
 */
export const isLate = (
  { everyMs, lateMs = LATE_FACTOR * successSeconds(everyMs) * 1000 }: { everyMs: number; lateMs?: number | undefined },
  successAge: number,
): boolean => successAge * 1000 > lateMs;
