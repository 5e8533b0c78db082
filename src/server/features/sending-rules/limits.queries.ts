import { type Expression, sql } from 'kysely';
import { type DailyLimit, limitOf, stepOf, stepsLeft } from '#domain/sending/rules/daily-limit.ts';
import type { Db } from '../../platform/database/db.ts';

export interface LimitKey {
  readonly accountId: number;
  readonly profileId: number;
}

/** Today in Tokyo by the database's clock, which all processes share. */
export const TODAY = sql`(now() AT TIME ZONE 'Asia/Tokyo')::date`;

/** The start of a day in Tokyo as an instant. */
const beginOf = (day: Expression<unknown>) => sql`(${day})::timestamp AT TIME ZONE 'Asia/Tokyo'`;

/**
 * Counts a profile's real mails that ended on a day, and claimed ones if the day is today. Stops counting at `most`.
 * Counts by stored time, so that a clock that is set back gives no second quota. The condition's text is that of
 * delivery_finished_idx.
 */
export const usedIn = (
  { accountId, profileId }: { readonly accountId: Expression<unknown>; readonly profileId: Expression<unknown> },
  day: Expression<unknown>,
  most: Expression<unknown>,
) => sql<number>`(
  SELECT count(*)::integer FROM (
    SELECT FROM delivery d
    WHERE d.account_id = ${accountId} AND d.profile_id = ${profileId}
      AND d.finished_at IS NOT NULL AND d.state <> 'cancelled' AND NOT d.test_send_mode
      AND d.finished_at >= ${beginOf(day)} AND d.finished_at < ${beginOf(sql`(${day}) + 1`)}
    UNION ALL
    SELECT FROM delivery d
    WHERE d.lease_until IS NOT NULL AND d.account_id = ${accountId} AND d.profile_id = ${profileId}
      AND NOT d.test_send_mode AND (${day}) = ${TODAY}
    LIMIT ${most}
  ) AS counted)`;

/** A stored limit with its inputs. */
export interface StoredLimit extends DailyLimit {
  readonly profileId: number;
  readonly rampStart: number;
  readonly rampPercent: number;
  readonly today: string;
  /** The mails of today, and of the last sending day. */
  readonly used: number;
  readonly usedThen: number;
}

/** The maximum count: no limit is higher. */
const COUNT_MAX = sql.lit(1_000_001);

/** Reads the limits of an account's profiles, with their used mails. */
export async function readLimits(db: Db, accountId: number, profiles: Expression<unknown>): Promise<StoredLimit[]> {
  const account = sql.lit(accountId);
  const key = { accountId: account, profileId: sql.ref('l.profile_id') };
  const { rows } = await sql<Omit<StoredLimit, 'ramp'>>`
    SELECT l.profile_id AS "profileId", l.per_day AS "perDay", l.ramp_from::text AS "rampFrom",
      l.ramp_start AS "rampStart", l.ramp_percent AS "rampPercent", l.ramp_step AS step, l.ramp_day::text AS "rampDay",
      l.ramp_held_until::text AS "heldUntil", ${TODAY}::text AS today, ${usedIn(key, TODAY, COUNT_MAX)} AS used,
      CASE WHEN l.ramp_day IS NULL THEN 0 ELSE ${usedIn(key, sql.ref('l.ramp_day'), COUNT_MAX)} END AS "usedThen"
    FROM sender_limit l
    WHERE l.account_id = ${account} AND l.profile_id IN (${profiles})
    ORDER BY l.profile_id`.execute(db);
  return rows.map((row) => ({
    ...row,
    ramp: row.rampFrom === null ? null : { start: row.rampStart, percent: row.rampPercent },
  }));
}

/** Returns what a limit permits today. `step` and `full_on` count sending days, from 1. */
export function stateOfToday(limit: StoredLimit) {
  const step = stepOf(limit, limit.today, limit.usedThen);
  return {
    limit: limitOf(limit, limit.today, step),
    used: limit.used,
    step: step + 1,
    full_on: step + 1 + stepsLeft(limit, step),
  };
}
