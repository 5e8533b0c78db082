import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';

/** How long receipts are kept: the database may be restored to an older state. */
export const RECEIPTS_KEPT_DAYS = 3;

/** The database that answers, and its server process. */
export interface Installation {
  /** Made at the first migration; backups and standbys of the database have the same. */
  readonly id: string;
  /** Another value may mean an older state: a promoted standby, a restored backup. */
  readonly server: string;
  /** `server` and whether claims are allowed. A worker compares its receipts again at each new value. */
  readonly state: string;
}

/**
 * After a change of server or a resume nobody claims for this time: all machines compare their receipts first. An idle
 * worker pauses for less between two claims, so each has noticed the change by then.
 */
const COMPARE_SECONDS = 6;

/** Changes with each start of the server and each restore into a running one. */
const currentServer = sql<string>`
  extract(epoch FROM pg_postmaster_start_time())::text || ' ' || 'delivery'::regclass::oid::text`;

/** Epoch milliseconds, by the database's clock: that of a worker may be hours off. */
export const databaseNow = sql<number>`(extract(epoch FROM now()) * 1000)::double precision`;

/** From when workers may claim, by the row of the installation; null: now; infinity: a person must resume. */
export const claimsAllowedFrom = sql<Date | null>`
  CASE WHEN installation.rewound_at IS NOT NULL THEN 'infinity'
    WHEN installation.server_since BETWEEN now() - make_interval(secs => ${sql.lit(COMPARE_SECONDS)}) AND now()
    THEN installation.server_since + make_interval(secs => ${sql.lit(COMPARE_SECONDS)}) END`;

/**
 * The server and the phase of its wait.
 * It changes when the wait ends, so that workers compare again: mails that were under way have their receipts by then.
 */
const currentState = sql<string>`
  ${currentServer} || CASE WHEN ${claimsAllowedFrom} IS NULL THEN ''
    WHEN installation.rewound_at IS NULL THEN ' settling' ELSE ' rewound' END`;

/** Workers may claim, and the server that answers is the recorded one. Reservations start for them. */
export const isSendingAllowed = sql<boolean>`NOT EXISTS (
  SELECT FROM installation WHERE ${claimsAllowedFrom} IS NOT NULL OR installation.server <> ${currentServer})`;

/** Whether this process has compared its receipts with the current state. @param state of its last comparison */
export const isComparedWith = (state: string | null) => sql<boolean>`${currentState} IS NOT DISTINCT FROM ${state}`;

export async function readInstallation(db: Db): Promise<Installation> {
  return db
    .selectFrom('installation')
    .select(['id', currentServer.as('server'), currentState.as('state')])
    .executeTakeFirstOrThrow();
}

/** Checks whether the database knows of a real mail that left within the days for which receipts are kept. */
export async function hasRecentSends(db: Db): Promise<boolean> {
  // By profile, along delivery_finished_idx.
  const { rows } = await sql<{ has: boolean }>`
    SELECT EXISTS (
      SELECT FROM sender_profile AS profile WHERE EXISTS (
        SELECT FROM delivery
        WHERE account_id = profile.account_id AND profile_id = profile.id AND finished_at IS NOT NULL
          AND finished_at > now() - make_interval(days => ${sql.lit(RECEIPTS_KEPT_DAYS)}) AND state <> 'cancelled'
          AND state IN ('sent', 'unknown') AND NOT test_send_mode)
    ) AS has`.execute(db);
  return onlyRow(rows).has;
}

/**
 * Records the server that answers. If another one answered before, nobody claims for some seconds, and what is open is
 * not held in its state (`held_at`). A restore has recorded none: what it held is that of the first.
 */
export async function recordServer(db: Db): Promise<void> {
  await db
    .updateTable('installation')
    .set({
      server: currentServer,
      server_since: sql<Date>`CASE WHEN server IS NULL THEN '-infinity' ELSE now() END`,
      held_at: sql<Date | null>`CASE WHEN server IS NULL THEN held_at END`,
    })
    .where(sql<boolean>`server IS DISTINCT FROM ${currentServer}`)
    .execute();
}
