import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { isTryingMore } from '../pauses/breaker.queries.ts';

/** Records for all workers how many connections the server admits of one. Never raises the stored number. */
export async function recordCrowdedConnection(db: Db, admitted: number): Promise<void> {
  await db
    .updateTable('transport')
    .set({
      connections_max: sql<number>`least(connections_max, ${admitted}::integer)`,
      connections_at: sql<Date>`now()`,
    })
    .execute();
}

/** Records that the server admits as many connections of a worker as were tried. */
export async function recordAdmittedConnections(db: Db, admitted: number): Promise<void> {
  await db
    .updateTable('transport')
    .set({ connections_max: admitted, connections_at: sql<Date>`now()` })
    .where('connections_max', '<', admitted)
    .where(sql<boolean>`${isTryingMore}`)
    .execute();
}
