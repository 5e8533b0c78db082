import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#server/platform/db.ts';

/**
 * Returns the plan of a query, as EXPLAIN prints it, with sequential scans only where no index serves.
 * The query is not run. A test gives its tables statistics of their own: those of an earlier test may make any index
 * look as good.
 */
export const planByIndexes = (db: Db, query: RawBuilder<unknown>): Promise<string> =>
  db.transaction().execute(async (tx) => {
    await sql`SET LOCAL enable_seqscan = off`.execute(tx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`EXPLAIN ${query}`.execute(tx);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
