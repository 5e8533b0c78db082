import { sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import { isNotFrozen } from '../../../platform/database/frozen.ts';
import { sweepReplies } from './cancel-replied.queries.ts';
import { sweepSuppressions } from './cancel-suppressed.queries.ts';

/** The most suppressions, and the most replies, of one sweep. */
const SWEPT_MAX = 500;

/**
 * Settles suppressions and replies that dead processes left unsettled.
 * An idle worker queries both in one statement.
 * @returns whether more may be left
 */
export async function sweepStopped(db: Db): Promise<boolean> {
  const { rows } = await sql<{ suppressions: boolean; replies: boolean }>`
    SELECT EXISTS (SELECT FROM suppression WHERE cancels_mails AND ${isNotFrozen('account_id')}) AS suppressions,
      EXISTS (SELECT FROM reply WHERE cancels_mails AND ${isNotFrozen('account_id')}) AS replies`.execute(db);
  const [left] = rows;
  const swept = [
    left?.suppressions ? await sweepSuppressions(db, SWEPT_MAX) : 0,
    left?.replies ? await sweepReplies(db, SWEPT_MAX) : 0,
  ];
  return swept.includes(SWEPT_MAX);
}
