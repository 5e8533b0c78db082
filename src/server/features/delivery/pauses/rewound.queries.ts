import { CompiledQuery, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { auditOfAll } from '../../audit/record-audit.ts';

/** Pauses all sending until a person resumes it. @returns false: it was already paused */
export async function markRewound(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set({ rewound_at: sql<Date>`now()` })
    .where('rewound_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Ends the pause. Claims start COMPARE_SECONDS later (installation.queries). Each account gets an audit row.
 * @returns whether sending was paused
 */
export const clearRewound = (db: Db): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('installation')
      .set({
        rewound_at: null,
        server_since: sql<Date>`now()`,
        restored_from: null,
        receipts_until: null,
        // Whoever resumes has been asked about all open work of this state.
        held_at: sql<Date>`now()`,
      })
      .where('rewound_at', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const { text, values } = auditOfAll('sending_resumed', {});
    await tx.executeQuery(CompiledQuery.raw(text, values));
    return true;
  });
