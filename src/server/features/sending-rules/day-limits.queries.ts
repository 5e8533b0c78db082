import { type Expression, sql } from 'kysely';
import { limitOf, RAMP_HELD_DAYS, stepOf } from '#domain/sending/rules/daily-limit.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { type LimitKey, readLimits, type StoredLimit, TODAY, usedIn } from './limits.queries.ts';

/** Whether a limit of the day holds for a profile: its own or that of its account. */
export const hasDayLimit = (accountId: Expression<unknown>, profileId: Expression<unknown>) => sql<boolean>`(
  EXISTS (SELECT FROM sender_limit l WHERE l.account_id = ${accountId} AND l.profile_id = ${profileId})
  OR EXISTS (SELECT FROM account_rule rule WHERE rule.account_id = ${accountId} AND rule.per_day IS NOT NULL))`;

/** Whether mails of any group of an account count for the interval of the others. */
export const looksAcrossGroups = (accountId: Expression<unknown>) => sql<boolean>`
  EXISTS (SELECT FROM account_rule rule WHERE rule.account_id = ${accountId} AND rule.across_groups)`;

/**
 * Returns how many mails a profile may still begin today (never negative) and which day that is, for a claim that has
 * locked its throttle row: no other claim counts meanwhile. The account's row is locked after it, for the limit of all
 * profiles.
 * @returns null: no limit holds any more
 */
export async function leftOfDay(tx: Tx, key: LimitKey): Promise<{ left: number; today: string } | null> {
  const rule = await lockAccountLimit(tx, key.accountId);
  const [limit] = await readLimits(tx, key.accountId, sql.lit(key.profileId));
  const today = (limit ?? rule)?.today;
  if (today === undefined) return null;
  const own = limit ? limitOf(limit, today, await growRamp(tx, key, limit)) - limit.used : Infinity;
  const all = rule ? rule.perDay - (await usedByAccount(tx, key.accountId, rule.perDay)) : Infinity;
  return { left: Math.max(0, Math.min(own, all)), today };
}

/** Locks the account's limit of the day. @returns undefined: it has none */
async function lockAccountLimit(tx: Tx, accountId: number): Promise<{ perDay: number; today: string } | undefined> {
  const { rows } = await sql<{ perDay: number; today: string }>`
    SELECT per_day AS "perDay", ${TODAY}::text AS today FROM account_rule
    WHERE account_id = ${accountId} AND per_day IS NOT NULL
    FOR NO KEY UPDATE`.execute(tx);
  return rows[0];
}

/**
 * Lets no other claim of the account judge its mails meanwhile, where it looks across groups. Always after the throttle
 * row.
 */
export async function lockAcrossGroups(tx: Tx, accountId: number): Promise<void> {
  await sql`SELECT FROM account_rule WHERE account_id = ${accountId} AND across_groups FOR NO KEY UPDATE`.execute(tx);
}

/** Stores the step of today at the first claim of the day. @returns the step */
async function growRamp(tx: Tx, { accountId, profileId }: LimitKey, limit: StoredLimit): Promise<number> {
  const step = stepOf(limit, limit.today, limit.usedThen);
  const hasBegun = limit.rampFrom !== null && limit.today >= limit.rampFrom;
  if (hasBegun && (limit.rampDay === null || limit.today > limit.rampDay)) {
    await sql`
      UPDATE sender_limit SET ramp_step = ${step}, ramp_day = ${limit.today}::date
      WHERE account_id = ${accountId} AND profile_id = ${profileId}`.execute(tx);
  }
  return step;
}

/** Returns how many mails an account may still begin today; Infinity: it has no limit. */
export async function leftOfAccount(db: Db, accountId: number): Promise<number> {
  const rule = await db
    .selectFrom('account_rule')
    .select('per_day')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const perDay = rule?.per_day ?? null;
  return perDay === null ? Infinity : Math.max(0, perDay - (await usedByAccount(db, accountId, perDay)));
}

/** Counts the real mails of today of all profiles of an account. Stops counting above `most` for each. */
export async function usedByAccount(db: Db, accountId: number, most: number): Promise<number> {
  const key = { accountId: sql.lit(accountId), profileId: sql.ref('p.id') };
  const { rows } = await sql<{ used: number }>`
    SELECT coalesce(sum(${usedIn(key, TODAY, sql.lit(most + 1))}), 0)::integer AS used
    FROM sender_profile p WHERE p.account_id = ${sql.lit(accountId)}`.execute(db);
  return rows[0]?.used ?? 0;
}

/** Holds the ramp of a run's profile for some days: bounces have paused the run. */
export async function holdRamp(
  tx: Tx,
  { accountId, sendLogId }: { readonly accountId: number; readonly sendLogId: number },
): Promise<void> {
  await sql`
    UPDATE sender_limit AS l SET ramp_held_until = ${TODAY} + ${sql.lit(RAMP_HELD_DAYS)}
    FROM send_log run JOIN sender s ON s.account_id = run.account_id AND s.id = run.sender_id
    WHERE run.account_id = ${accountId} AND run.id = ${sendLogId}
      AND l.account_id = s.account_id AND l.profile_id = s.profile_id AND l.ramp_from IS NOT NULL`.execute(tx);
}
