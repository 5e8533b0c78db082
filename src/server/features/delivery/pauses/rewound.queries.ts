import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';

/** Pauses all sending until a person resumes it. @returns false: it was paused already */
export async function markRewound(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set({ rewound_at: sql<Date>`now()` })
    .where('rewound_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends the pause; claims begin COMPARE_SECONDS later (installation.queries). @returns whether there was one */
export async function clearRewound(db: Db): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set({ rewound_at: null, server_since: sql<Date>`now()`, restored_from: null, receipts_until: null })
    .where('rewound_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
