import { sql } from 'kysely';
import { AUDIT_YEARS } from '#domain/limits.ts';
import type { Db } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';

/** Rows of one transaction. */
const BATCH = 1000;
const NEXT_MS = 1000;

/**
 * Deletes events that are older than five years, as the policy of the table permits. An account's event that the demo
 * was made stays, because each start reads it.
 * @returns milliseconds until the next batch, if there may be more
 */
export async function deleteOldEvents(db: Db): Promise<number | undefined> {
  const { rows } = await sql`
    DELETE FROM audit_event USING (
      SELECT old.account_id, old.id FROM account
      CROSS JOIN LATERAL (
        SELECT account_id, id FROM audit_event
        WHERE account_id = account.id AND at < now() - make_interval(years => ${sql.lit(AUDIT_YEARS)})
          AND kind <> 'demo_created'
        ORDER BY at LIMIT ${sql.lit(BATCH)}
      ) AS old
      WHERE ${isNotFrozen('account.id')}
      LIMIT ${sql.lit(BATCH)}
    ) AS old
    WHERE audit_event.account_id = old.account_id AND audit_event.id = old.id
    RETURNING audit_event.id`.execute(db);
  return rows.length === BATCH ? NEXT_MS : undefined;
}
