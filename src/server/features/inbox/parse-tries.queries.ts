import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';

/** A parse of a mail, by one process. */
export interface Parse {
  /** As `inbox.name`; of a mail from a pipe the name of its command. */
  readonly mailbox: string;
  /** `uid_validity:uid`, or the hash of a mail from a pipe. */
  readonly mail: string;
  /** Of this process. */
  readonly workerId: string;
}

/** A mail that has not come back for so long is gone. */
const FORGOTTEN_DAYS = 30;
const TRIES_COUNTED = 1000;

/**
 * Stores that a parse begins, so that it is known after a crash.
 * An earlier try of the same process did not end the process, so it counts once: the database was away at its end.
 * @returns how often it was begun and did not end, with this time
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

/** Removes a parse that ended, with its tries: also another process may be at it. */
export async function endParse(db: Db, { mailbox, mail }: Parse): Promise<void> {
  await db.deleteFrom('inbox_parse').where('mailbox', '=', mailbox).where('mail', '=', mail).execute();
}

/**
 * Stores that a process is no longer at a parse.
 * @param counts whether the try counts: not where the process was asked to stop
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
