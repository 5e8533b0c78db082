import { type Expression, sql } from 'kysely';
import { limitOf, RAMP_HELD_DAYS, stepOf } from '#domain/sending/rules/daily-limit.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { type LimitKey, readLimits, type StoredLimit, stateOfToday, TODAY, usedIn } from './limits.queries.ts';

/** Whether a limit of the day applies to a profile: its own or its account's. */
export const hasDayLimit = (accountId: Expression<unknown>, profileId: Expression<unknown>) => sql<boolean>`(
  EXISTS (SELECT FROM sender_limit l WHERE l.account_id = ${accountId} AND l.profile_id = ${profileId})
  OR EXISTS (SELECT FROM account_rule rule WHERE rule.account_id = ${accountId} AND rule.per_day IS NOT NULL))`;

/** Whether an account's mails count for the re-send interval of all its groups. */
export const looksAcrossGroups = (accountId: Expression<unknown>) => sql<boolean>`
  EXISTS (SELECT FROM account_rule rule WHERE rule.account_id = ${accountId} AND rule.across_groups)`;

/**
 * Returns how many mails a profile may still start today (never negative), and today's date. The claim has locked the
 * profile's throttle row, so no other claim counts meanwhile. Then locks the account's row, for the limit of all
 * profiles.
 * @param box the profile's mailbox, whose row of mailbox_state is locked
 * @returns null: no limit applies any more
 */
export async function leftOfDay(
  tx: Tx,
  key: LimitKey,
  box: BoxLimit | null = null,
): Promise<{ left: number; today: string } | null> {
  const rule = await lockAccountLimit(tx, key.accountId);
  const [limit] = await readLimits(tx, key.accountId, sql.lit(key.profileId));
  const ofBox = box && (await leftOfBox(tx, key.accountId, box));
  const today = (limit ?? rule ?? ofBox)?.today;
  if (today === undefined) return null;
  const own = limit ? limitOf(limit, today, await growRamp(tx, key, limit)) - limit.used : Infinity;
  const all = rule ? rule.perDay - (await usedByAccount(tx, key.accountId, rule.perDay)) : Infinity;
  return { left: Math.max(0, Math.min(own, all, ofBox?.left ?? Infinity)), today };
}

/** The limit of the day of a mailbox, over all profiles whose mails leave by it. */
interface BoxLimit {
  readonly id: number;
  readonly perDay: number;
}

/** Returns how many mails a mailbox may still start today, below 0 after its limit was lowered. */
export async function leftOfBox(
  db: Db,
  accountId: number,
  { id, perDay }: BoxLimit,
): Promise<{ left: number; today: string }> {
  const key = { accountId: sql.lit(accountId), profileId: sql.ref('p.id') };
  const { rows } = await sql<{ used: number; today: string }>`
    SELECT coalesce(sum(${usedIn(key, TODAY, sql.lit(perDay + 1))}), 0)::integer AS used, ${TODAY}::text AS today
    FROM sender_profile p WHERE p.account_id = ${accountId} AND p.mailbox_id = ${id}`.execute(db);
  const { used, today } = onlyRow(rows);
  return { left: perDay - used, today };
}

/** Whose limit of the day holds mails back. */
export type LimitOwner = 'mailbox' | 'profile' | 'account';

/**
 * Returns the lowest of the limits of a profile that are used up today; null: none is, since the day has ended.
 * @param box the profile's mailbox
 */
export async function usedUpLimit(db: Db, key: LimitKey, box: BoxLimit | null): Promise<LimitOwner | null> {
  const [limit] = await readLimits(db, key.accountId, sql.lit(key.profileId));
  const today = limit && stateOfToday(limit);
  const lefts: readonly (readonly [LimitOwner, number])[] = [
    ['mailbox', box ? (await leftOfBox(db, key.accountId, box)).left : Infinity],
    ['profile', today ? today.limit - today.used : Infinity],
    ['account', await leftOfAccount(db, key.accountId)],
  ];
  const [lowest] = lefts.filter(([, left]) => left <= 0).toSorted(([, one], [, other]) => one - other);
  return lowest?.[0] ?? null;
}

/** Locks the account's limit of the day. @returns undefined: none */
async function lockAccountLimit(tx: Tx, accountId: number): Promise<{ perDay: number; today: string } | undefined> {
  const { rows } = await sql<{ perDay: number; today: string }>`
    SELECT per_day AS "perDay", ${TODAY}::text AS today FROM account_rule
    WHERE account_id = ${accountId} AND per_day IS NOT NULL
    FOR NO KEY UPDATE`.execute(tx);
  return rows[0];
}

/** Serializes the account's claims if it counts across groups. Always called after locking the throttle row. */
export async function lockAcrossGroups(tx: Tx, accountId: number): Promise<void> {
  await sql`SELECT FROM account_rule WHERE account_id = ${accountId} AND across_groups FOR NO KEY UPDATE`.execute(tx);
}

/** Stores the ramp's step of today at the first claim of the day. @returns the step */
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

/** Returns how many mails an account may still start today; Infinity: no limit. */
export async function leftOfAccount(db: Db, accountId: number): Promise<number> {
  const rule = await db
    .selectFrom('account_rule')
    .select('per_day')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const perDay = rule?.per_day ?? null;
  return perDay === null ? Infinity : Math.max(0, perDay - (await usedByAccount(db, accountId, perDay)));
}

/** Counts today's real mails of all profiles of an account. Stops counting above `most` for each. */
export async function usedByAccount(db: Db, accountId: number, most: number): Promise<number> {
  const key = { accountId: sql.lit(accountId), profileId: sql.ref('p.id') };
  const { rows } = await sql<{ used: number }>`
    SELECT coalesce(sum(${usedIn(key, TODAY, sql.lit(most + 1))}), 0)::integer AS used
    FROM sender_profile p WHERE p.account_id = ${sql.lit(accountId)}`.execute(db);
  return rows[0]?.used ?? 0;
}

/** Stops the growth of a run's profile ramp for some days, because bounces have paused the run. */
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
