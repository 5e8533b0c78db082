import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { HOUR_MS } from '#domain/time-units.ts';
import type { Db } from '../database/db.ts';
import { Problem } from '../problem.ts';

/**
 * Counters shared by all processes (table rate_limit).
 * `expire` is epoch milliseconds, until which the row counts. Callers pass the time, so that a test can advance it by
 * hours.
 */

/** Returns a counter's key: a hash, so that the table holds no address. */
export const limitKey = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

export interface HourlyLimit {
  readonly key: string;
  readonly limit: number;
}

/** A limit of uses in a window of any length. */
export interface UseLimit extends HourlyLimit {
  readonly windowMs: number;
}

/** Takes one of `limit` uses an hour, counted from the first use. @returns false if none is left */
export const takeHourly = (db: Db, limit: HourlyLimit, now: number): Promise<boolean> =>
  takeUse(db, { ...limit, windowMs: HOUR_MS }, now);

/** Takes one of `limit` uses in a window, counted from the first use. @returns false if none is left */
export async function takeUse(db: Db, { key, limit, windowMs }: UseLimit, now: number): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO rate_limit AS counter (key, points, expire) VALUES (${key}, 1, ${now + windowMs})
    ON CONFLICT (key) DO UPDATE SET
      points = CASE WHEN counter.expire <= ${now} THEN 1 ELSE counter.points + 1 END,
      expire = CASE WHEN counter.expire <= ${now} THEN excluded.expire ELSE counter.expire END
    WHERE counter.expire <= ${now} OR counter.points < ${limit}
    RETURNING key`.execute(db);
  return rows.length > 0;
}

/** Gives back a use that does not count after all. */
export async function giveBackHourly(db: Db, { key }: Pick<HourlyLimit, 'key'>): Promise<void> {
  await db
    .updateTable('rate_limit')
    .set(({ eb }) => ({ points: eb('points', '-', 1) }))
    .where('key', '=', key)
    .where('points', '>', 0)
    .execute();
}

/** Returns the seconds until a counter expires. */
export async function secondsLeft(db: Db, key: string, now: number): Promise<number> {
  const row = await db.selectFrom('rate_limit').select('expire').where('key', '=', key).executeTakeFirst();
  return Math.max(0, ((row?.expire ?? 0) - now) / 1000);
}

/**
 * Counts one more mail towards limits, in order.
 * @param what the start of the message, before the time of the next try: `…の上限に達しました。`
 * @returns 429 if a limit is reached
 */
export async function countMail(
  db: Db,
  limits: readonly HourlyLimit[],
  now: number,
  what: string,
): Promise<Problem | null> {
  for (const limit of limits) {
    if (await takeHourly(db, limit, now)) continue;
    const seconds = await secondsLeft(db, limit.key, now);
    const minutes = Math.max(1, Math.ceil(seconds / 60));
    return new Problem('too_many_mails', `${what}${minutes}分後に、もう一度お試しください。`, seconds);
  }
  return null;
}
