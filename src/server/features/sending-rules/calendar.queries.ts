import { sql } from 'kysely';
import { type ClosingDay, calendarOf, type HoursOfGroup } from '#domain/sending/rules/closing-days.ts';
import { type Calendar, DEFAULT_PERIODS, type Outside, type Period } from '#domain/sending/sending-hours.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import type { Db } from '../../platform/database/db.ts';
import { holidayOf } from './holidays.ts';

export interface GroupKey {
  readonly accountId: number;
  readonly senderGroupId: number;
}

export const DEFAULT_HOURS: HoursOfGroup = { periods: DEFAULT_PERIODS, outside: 'warn', onHolidays: true };

/** A closing day as it is stored. */
export interface StoredClosingDay extends ClosingDay {
  readonly id: number;
  /** null: of all groups. */
  readonly senderGroupId: number | null;
  readonly version: number;
}

interface StoredHours extends HoursOfGroup {
  /** 0: never saved. */
  readonly version: number;
  readonly by: string | null;
  readonly at: Date | null;
}

/** Reads the hours that a group has chosen, or the default. */
export async function readHours(db: Db, { accountId, senderGroupId }: GroupKey): Promise<StoredHours> {
  const row = await db
    .selectFrom('business_hours')
    .leftJoin('member', (join) =>
      join.on('member.account_id', '=', accountId).onRef('member.id', '=', 'business_hours.member_id'),
    )
    .select(['periods', 'outside', 'on_holidays', 'version', 'business_hours.updated_at', 'member.name'])
    .where('business_hours.account_id', '=', accountId)
    .where('sender_group_id', '=', senderGroupId)
    .executeTakeFirst();
  if (!row) return { ...DEFAULT_HOURS, version: 0, by: null, at: null };
  return {
    // The CHECKs of the columns allow these alone.
    periods: row.periods as unknown as readonly Period[],
    outside: row.outside as Outside,
    onHolidays: row.on_holidays,
    version: row.version,
    by: row.name,
    at: row.updated_at,
  };
}

/**
 * Reads the closing days in use of a group, with those of all groups, by first day. Those that are over are left out.
 * @param now epoch milliseconds
 */
export async function readClosingDays(
  db: Db,
  { accountId, senderGroupId }: GroupKey,
  now: number,
): Promise<StoredClosingDay[]> {
  const { rows } = await sql<StoredClosingDay>`
    SELECT id, sender_group_id AS "senderGroupId", first_day::text AS "firstDay", last_day::text AS "lastDay", name,
      working, yearly, version
    FROM closing_day
    WHERE account_id = ${accountId} AND active AND (sender_group_id IS NULL OR sender_group_id = ${senderGroupId})
      AND (yearly OR last_day >= ${dayOf(now)}::date)
    ORDER BY first_day, id`.execute(db);
  return rows;
}

/** Makes a calendar of what is stored. @param now epoch milliseconds */
export function calendarFor(hours: HoursOfGroup, closingDays: readonly ClosingDay[], now: number): Calendar {
  const today = dayOf(now);
  return calendarOf(hours, closingDays, (day) => holidayOf(day, today));
}
