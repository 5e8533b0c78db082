import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';

/** After so long without a refusal or another one, one connection more is tried. */
const TRY_MORE_MINUTES = 15;

/** Whether one connection more than was admitted is tried. */
export const isTryingMore = sql<
  boolean | null
>`connections_at <= now() - make_interval(mins => ${sql.lit(TRY_MORE_MINUTES)})`;

/** How many connections a worker may open by the row of the transport; NULL: as many as it has. */
export const connectionsMax = sql<number | null>`connections_max + (${isTryingMore})::integer`;

/** Remembers for all workers how many connections the server admits of one. It may only have become fewer. */
export async function recordCrowdedConnection(db: Db, admitted: number): Promise<void> {
  await db
    .updateTable('transport')
    .set({
      connections_max: sql<number>`least(connections_max, ${admitted}::integer)`,
      connections_at: sql<Date>`now()`,
    })
    .execute();
}

/** Remembers that the server admits as many connections of a worker as it tried. */
export async function recordAdmittedConnections(db: Db, admitted: number): Promise<void> {
  await db
    .updateTable('transport')
    .set({ connections_max: admitted, connections_at: sql<Date>`now()` })
    .where('connections_max', '<', admitted)
    .where(sql<boolean>`${isTryingMore}`)
    .execute();
}
