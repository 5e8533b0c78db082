import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';

/** One process's parse of a mail. */
export interface Parse {
  /** As `inbox.name`; for a mail from a pipe the name of its command. */
  readonly mailbox: string;
  /** `uid_validity:uid`, or the hash of a mail from a pipe. */
  readonly mail: string;
  /** The process's worker id. */
  readonly workerId: string;
}

/** An attempt at a mail that was not read again for this long is deleted. */
const FORGOTTEN_DAYS = 30;
const TRIES_COUNTED = 1000;

/**
 * Stores the start of a parse, so that it is known after a crash.
 * An earlier attempt of the same process did not crash it, and counts once: the database was away at its end.
 * @returns the number of started, unfinished parses, including this one
 */
export async function beginParse(db: Db, { mailbox, mail, workerId }: Parse): Promise<number> {
  const { rows } = await sql<{ tries: number }>`
    WITH forgotten AS (
      DELETE FROM inbox_parse WHERE begun_at < now() - make_interval(days => ${sql.lit(FORGOTTEN_DAYS)})
        AND (mailbox, mail) <> (${mailbox}, ${mail})
    )
    INSERT INTO inbox_parse AS own (mailbox, mail, tries, worker_id) VALUES (${mailbox}, ${mail}, 1, ${workerId})
    ON CONFLICT (mailbox, mail) DO UPDATE SET worker_id = excluded.worker_id, begun_at = now(),
      tries = least(own.tries + CASE WHEN own.worker_id = excluded.worker_id THEN 0 ELSE 1 END,
        ${sql.lit(TRIES_COUNTED)})
    RETURNING tries`.execute(db);
  return rows[0]?.tries ?? 1;
}

/** Deletes a finished parse with all its attempts, including another process's. */
export async function endParse(db: Db, { mailbox, mail }: Parse): Promise<void> {
  await db.deleteFrom('inbox_parse').where('mailbox', '=', mailbox).where('mail', '=', mail).execute();
}

/**
 * Stores that a process has left a parse.
 * @param counts whether the attempt counts: not if the process was asked to stop
 */
export async function leaveParse(db: Db, { mailbox, mail, workerId }: Parse, counts: boolean): Promise<void> {
  await db
    .updateTable('inbox_parse')
    .set((row) => ({
      tries: counts ? row.ref('tries') : sql<number>`greatest(${row.ref('tries')} - 1, 0)`,
      worker_id: sql<string | null>`nullif(${row.ref('worker_id')}, ${workerId}::uuid)`,
    }))
    .where('mailbox', '=', mailbox)
    .where('mail', '=', mail)
    .execute();
}
