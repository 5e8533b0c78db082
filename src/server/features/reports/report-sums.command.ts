import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Db } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';
import { isCounted, tryLockSums } from './report-sums.ts';

/**
 * Folds the changes since the last fold into the sums, in one statement.
 * Reports read the same before and after. Any number of processes may call this: only one folds at a time.
 *
 * @returns whether there were changes
 */
export const foldChanges = (db: Db): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { rows } = await tryLockSums.execute(tx);
    if (!rows[0]?.isLocked) return false;
    const { numAffectedRows = 0n } = await sql`
      WITH gone AS (
        DELETE FROM report_change WHERE ${isNotFrozen('account_id')} RETURNING *
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

const RETRY_MS = 200;

/** Rebuilds all sums from the mails. Sending continues: mails that end after the snapshot remain to be folded. */
export async function rebuildSums(db: Db): Promise<void> {
  while (!(await tryRebuild(db))) await sleep(RETRY_MS);
}

/** SQLSTATE serialization_failure: a fold ended between our snapshot and our lock. */
const SERIALIZATION_FAILURE = '40001';

/** @returns false while a fold is running */
async function tryRebuild(db: Db): Promise<boolean> {
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        const { rows } = await tryLockSums.execute(tx);
        if (!rows[0]?.isLocked) return false;
        for (const table of ['report_change', 'report_hour', 'report_industry'] as const) {
          await tx.deleteFrom(table).where(isNotFrozen('account_id')).execute();
        }
        await sql`
          INSERT INTO report_hour
          SELECT d.account_id, tokyo_hour(d.finished_at), d.sender_group_id, run.template_id, ${STATES},
            count(*) FILTER (WHERE d.replied), count(*) FILTER (WHERE d.refused),
            count(*) FILTER (WHERE d.complained), count(*) FILTER (WHERE d.dead)
          FROM ${ENDED_MAILS} GROUP BY 1, 2, 3, 4 ${IN_ORDER}`.execute(tx);
        await sql`
          INSERT INTO report_industry
          SELECT d.account_id, tokyo_hour(d.finished_at) / 24, d.sender_group_id, run.template_id, d.industry_id,
            ${STATES}, count(*) FILTER (WHERE d.replied), count(*) FILTER (WHERE d.refused)
          FROM ${ENDED_MAILS} GROUP BY 1, 2, 3, 4, 5 ${IN_ORDER}`.execute(tx);
        return true;
      });
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === SERIALIZATION_FAILURE) return false;
    throw error;
  }
}

/** By account and time, so that the rows of a period share pages. In a hash's order each would be in another page. */
const IN_ORDER = sql`ORDER BY 1, 2`;

const STATES = sql`count(*) FILTER (WHERE d.state = 'sent'), count(*) FILTER (WHERE d.state = 'failed'),
  count(*) FILTER (WHERE d.state = 'unknown')`;

const ENDED_MAILS = sql`delivery AS d
  JOIN send_log AS run ON run.account_id = d.account_id AND run.id = d.send_log_id
  WHERE ${isCounted} AND ${isNotFrozen('d.account_id')}`;
