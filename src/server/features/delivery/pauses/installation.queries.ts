import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';

/** How long receipts are kept: the database may be restored to an older state. */
export const RECEIPTS_KEPT_DAYS = 3;

/** The database and its server process. */
export interface Installation {
  /** Made at the first migration. Backups and standbys of the database have the same id. */
  readonly id: string;
  /** The server process. Another value may mean an older state: a promoted standby, a restored backup. */
  readonly server: string;
  /** `server` and whether claims are allowed. A worker compares its receipts again at each new value. */
  readonly state: string;
}

/**
 * After a new server or a resume no worker claims for this time, so that all machines compare their receipts first.
 * Idle workers claim more often than this, so each has noticed the change by then.
 */
const COMPARE_SECONDS = 6;

/** Changes with each start of the server and each restore into a running one. */
const currentServer = sql<string>`
  extract(epoch FROM pg_postmaster_start_time())::text || ' ' || 'delivery'::regclass::oid::text`;

/** Epoch milliseconds, by the database's clock: a worker's may be hours off. */
export const databaseNow = sql<number>`(extract(epoch FROM now()) * 1000)::double precision`;

/** From when workers may claim, by the installation's row; null: now; infinity: a person must resume. */
export const claimsAllowedFrom = sql<Date | null>`
  CASE WHEN installation.rewound_at IS NOT NULL THEN 'infinity'
    WHEN installation.server_since BETWEEN now() - make_interval(secs => ${sql.lit(COMPARE_SECONDS)}) AND now()
    THEN installation.server_since + make_interval(secs => ${sql.lit(COMPARE_SECONDS)}) END`;

/**
 * The server and the phase of its wait.
 * Changes when the wait ends, so that workers compare again: mails that were being sent have receipts by then.
 */
const currentState = sql<string>`
  ${currentServer} || CASE WHEN ${claimsAllowedFrom} IS NULL THEN ''
    WHEN installation.rewound_at IS NULL THEN ' settling' ELSE ' rewound' END`;

/** Workers may claim, and the recorded server answers. Only then do reservations start. */
export const isSendingAllowed = sql<boolean>`NOT EXISTS (
  SELECT FROM installation WHERE ${claimsAllowedFrom} IS NOT NULL OR installation.server <> ${currentServer})`;

/** Whether this process has compared its receipts with the current state. @param state of its last comparison */
export const isComparedWith = (state: string | null) => sql<boolean>`${currentState} IS NOT DISTINCT FROM ${state}`;

/** Whether the installation's state lets a worker claim; as TransportGate. */
export type InstallationGate = 'open' | 'paused' | 'unknown-server';

export interface InstallationFacts {
  readonly isCompared: boolean;
  readonly isSettled: boolean;
}

export const gateOfInstallation = ({ isCompared, isSettled }: InstallationFacts): InstallationGate => {
  if (!isCompared) return 'unknown-server';
  return isSettled ? 'open' : 'paused';
};

/** The columns of InstallationFacts. @param state of the worker's last comparison; undefined: it keeps no receipts */
export const installationFacts = (state: string | null | undefined) => ({
  isSettled: sql<boolean>`${claimsAllowedFrom} IS NULL`,
  isCompared: state === undefined ? sql<boolean>`true` : isComparedWith(state),
});

/** Reads the gate of claims that do not depend on the transport, and the time by the database's clock. */
export async function readInstallationGate(
  tx: Tx,
  state: string | null | undefined,
): Promise<{ gate: InstallationGate; now: number }> {
  const { isSettled, isCompared } = installationFacts(state);
  const facts = await tx
    .selectFrom('installation')
    .select([isSettled.as('isSettled'), isCompared.as('isCompared'), databaseNow.as('now')])
    .executeTakeFirstOrThrow();
  return { gate: gateOfInstallation(facts), now: facts.now };
}

export async function readInstallation(db: Db): Promise<Installation> {
  return db
    .selectFrom('installation')
    .select(['id', currentServer.as('server'), currentState.as('state')])
    .executeTakeFirstOrThrow();
}

/** Checks whether the database has a real mail sent within the days for which receipts are kept. */
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
 * Records the server that answers. If it has changed, no worker claims for some seconds, and `held_at` is cleared.
 * After a restore no server is recorded: the first one keeps `held_at`.
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
