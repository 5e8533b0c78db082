import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { isTryingMore } from '../pauses/breaker.queries.ts';

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
