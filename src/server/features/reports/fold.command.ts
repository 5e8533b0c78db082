import { sql } from 'kysely';
import type { Db } from '../../platform/database/db.ts';
import { tryLockSums } from './report-sums.ts';

/**
 * Moves what has changed since the last fold into the sums, in one statement.
 * A report reads the same before and after. Any number of processes may fold: one at a time does.
 *
 * @returns whether there were changes
 */
export const foldChanges = (db: Db): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await tryLockSums.execute(tx);
    if (!rows[0]?.isLocked) return false;
    const { numAffectedRows = 0n } = await sql`
      WITH gone AS (
        DELETE FROM report_change RETURNING *
      ), change AS (
        SELECT gone.*, run.sender_group_id, run.template_id
        FROM gone JOIN send_log AS run ON run.account_id = gone.account_id AND run.id = gone.send_log_id
      ), hours AS (
        INSERT INTO report_hour AS known
        SELECT account_id, hour, sender_group_id, template_id, sum(sent), sum(failed), sum(unknown), sum(replied),
          sum(refused), sum(complained), sum(dead)
        FROM change GROUP BY 1, 2, 3, 4 ORDER BY 1, 2
        ON CONFLICT (account_id, hour, sender_group_id, template_id) DO UPDATE SET
          sent = known.sent + excluded.sent, failed = known.failed + excluded.failed,
          unknown = known.unknown + excluded.unknown, replied = known.replied + excluded.replied,
          refused = known.refused + excluded.refused, complained = known.complained + excluded.complained,
          dead = known.dead + excluded.dead
      )
      INSERT INTO report_industry AS known
      SELECT account_id, hour / 24, sender_group_id, template_id, industry_id, sum(sent), sum(failed), sum(unknown),
        sum(replied), sum(refused)
      FROM change GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2
      ON CONFLICT (account_id, day, sender_group_id, template_id, industry_id) DO UPDATE SET
        sent = known.sent + excluded.sent, failed = known.failed + excluded.failed,
        unknown = known.unknown + excluded.unknown, replied = known.replied + excluded.replied,
        refused = known.refused + excluded.refused`.execute(tx);
    return numAffectedRows > 0n;
  });
