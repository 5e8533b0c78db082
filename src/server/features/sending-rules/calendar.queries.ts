import { type Expression, sql } from 'kysely';
import { type ClosingDay, calendarOf, type HoursOfGroup } from '#domain/sending/rules/closing-days.ts';
import {
  type Calendar,
  DEFAULT_CALENDAR,
  DEFAULT_PERIODS,
  type Outside,
  type Period,
} from '#domain/sending/sending-hours.ts';
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
 * @param senderGroupId null: those of all groups alone
 * @param now epoch milliseconds
 */
export async function readClosingDays(
  db: Db,
  { accountId, senderGroupId }: { readonly accountId: number; readonly senderGroupId: number | null },
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

interface LoadedRules {
  readonly id: number;
  readonly periods: readonly Period[] | null;
  readonly outside: Outside | null;
  readonly onHolidays: boolean | null;
  readonly closingDays: readonly (ClosingDay & Pick<StoredClosingDay, 'id'>)[];
}

interface GroupRules extends Pick<LoadedRules, 'closingDays'> {
  readonly hours: HoursOfGroup;
}

/**
 * Loads the hours and closing days of groups of an account, in one statement. Days that are over are left out.
 * @param now epoch milliseconds
 * @returns by group; a group without rules is missing: it has DEFAULT_HOURS
 */
export async function loadRules(
  db: Db,
  accountId: number,
  groupIds: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, GroupRules>> {
  const { rows } = await sql<LoadedRules>`
    SELECT g.id, h.periods, h.outside, h.on_holidays AS "onHolidays", coalesce(days.list, '[]') AS "closingDays"
    FROM unnest(${[...new Set(groupIds)]}::bigint[]) AS g (id)
    LEFT JOIN business_hours h ON h.account_id = ${accountId} AND h.sender_group_id = g.id
    CROSS JOIN LATERAL (
      SELECT json_agg(json_build_object('id', d.id, 'firstDay', first_day, 'lastDay', last_day, 'name', name,
        'working', working, 'yearly', yearly) ORDER BY first_day, d.id) AS list
      FROM closing_day d
      WHERE d.account_id = ${accountId} AND active AND (sender_group_id IS NULL OR sender_group_id = g.id)
        AND (yearly OR last_day >= ${dayOf(now)}::date)
    ) AS days
    WHERE h.periods IS NOT NULL OR days.list IS NOT NULL`.execute(db);
  return new Map(
    rows.map(({ id, periods, outside, onHolidays, closingDays }) => {
      const chosen = periods !== null && outside !== null && onHolidays !== null;
      return [id, { hours: chosen ? { periods, outside, onHolidays } : DEFAULT_HOURS, closingDays }];
    }),
  );
}

/**
 * Loads the calendars of groups of an account.
 * @param now epoch milliseconds
 * @returns by group; a group without rules is missing: it has DEFAULT_CALENDAR
 */
export async function loadCalendars(
  db: Db,
  accountId: number,
  groupIds: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, Calendar>> {
  const rules = await loadRules(db, accountId, groupIds, now);
  return new Map([...rules].map(([id, { hours, closingDays }]) => [id, calendarFor(hours, closingDays, now)]));
}

/** Loads the calendar of a group. @param now epoch milliseconds */
export const loadCalendar = async (db: Db, { accountId, senderGroupId }: GroupKey, now: number): Promise<Calendar> =>
  (await loadCalendars(db, accountId, [senderGroupId], now)).get(senderGroupId) ?? DEFAULT_CALENDAR;

/** Loads the calendar of a profile's group. @param now epoch milliseconds */
export async function loadProfileCalendar(
  db: Db,
  { accountId, profileId }: { readonly accountId: number; readonly profileId: number },
  now: number,
): Promise<Calendar> {
  const { sender_group_id: senderGroupId } = await db
    .selectFrom('sender_profile')
    .select('sender_group_id')
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .executeTakeFirstOrThrow();
  return loadCalendar(db, { accountId, senderGroupId }, now);
}

/** Whether an account has hours or closing days of its own: without, each group has DEFAULT_CALENDAR. */
export const hasCalendars = (accountId: Expression<unknown>) => sql<boolean>`(
  EXISTS (SELECT FROM business_hours WHERE account_id = ${accountId})
  OR EXISTS (SELECT FROM closing_day WHERE account_id = ${accountId} AND active))`;
