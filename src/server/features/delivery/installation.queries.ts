import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';

/** Which database answers, and from which server process. */
export interface Installation {
  /** Of the database, made when it was first migrated; its backups and standbys have the same. */
  readonly id: string;
  /** Another value may mean an older state: a promoted standby, a restored backup. */
  readonly server: string;
  /** The server, and whether anybody may claim from it: receipts are compared with each value before a claim. */
  readonly state: string;
}

/** The machines have so long to compare their receipts before anybody claims from another server, or after a pause. */
const SETTLE_SECONDS = 6;

/** A start of the server, and a restore into a running one, change it. */
const currentServer = sql<string>`
  extract(epoch FROM pg_postmaster_start_time())::text || ' ' || 'delivery'::regclass::oid::text`;

/** When workers may claim, as far as the installation goes; null: at once. */
export const settledAt = sql<Date | null>`
  CASE WHEN installation.rewound_at IS NOT NULL THEN 'infinity'
    WHEN installation.server_since BETWEEN now() - make_interval(secs => ${sql.lit(SETTLE_SECONDS)}) AND now()
    THEN installation.server_since + make_interval(secs => ${sql.lit(SETTLE_SECONDS)}) END`;

/** Changes when the time to settle begins and ends: receipts of mails that were under way are written meanwhile. */
const currentState = sql<string>`
  ${currentServer} || CASE WHEN ${settledAt} IS NULL THEN ''
    WHEN installation.rewound_at IS NULL THEN ' settling' ELSE ' rewound' END`;

/** Whether this process compared its receipts with the current state. @param state the one it compared them with */
export const isComparedWith = (state: string | null) => sql<boolean>`${currentState} IS NOT DISTINCT FROM ${state}`;

export async function readInstallation(db: Db): Promise<Installation> {
  return db
    .selectFrom('installation')
    .select(['id', currentServer.as('server'), currentState.as('state')])
    .executeTakeFirstOrThrow();
}

/** Records the server that answers. Nobody claims for some seconds where another one answered before. */
export async function recordServer(db: Db): Promise<void> {
  await db
    .updateTable('installation')
    .set({
      server: currentServer,
      server_since: sql<Date>`CASE WHEN server IS NULL THEN '-infinity' ELSE now() END`,
    })
    .where(sql<boolean>`server IS DISTINCT FROM ${currentServer}`)
    .execute();
}

/** Pauses all sending until a person resumes it. @returns whether it was not paused before */
export async function markRewound(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set({ rewound_at: sql<Date>`now()` })
    .where('rewound_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends the pause once the machines have compared their receipts again. @returns whether it was paused */
export async function clearRewound(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set({ rewound_at: null, server_since: sql<Date>`now()` })
    .where('rewound_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether all sending is paused because the database is in an older state. Any role may ask. */
export async function isRewound(db: Db): Promise<boolean> {
  const { isRewound } = await db
    .selectFrom('installation')
    .select(sql<boolean>`rewound_at IS NOT NULL`.as('isRewound'))
    .executeTakeFirstOrThrow();
  return isRewound;
}
