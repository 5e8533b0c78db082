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

/** A stored closing day. */
export interface StoredClosingDay extends ClosingDay {
  readonly id: number;
  /** null: for all groups. */
  readonly senderGroupId: number | null;
  readonly version: number;
}

interface StoredHours extends HoursOfGroup {
  /** 0: never saved. */
  readonly version: number;
  readonly by: string | null;
  readonly at: Date | null;
}

/** Reads a group's hours, or the default. */
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
    // The CHECKs of the columns allow only these values.
    periods: row.periods as unknown as readonly Period[],
    outside: row.outside as Outside,
    onHolidays: row.on_holidays,
    version: row.version,
    by: row.name,
    at: row.updated_at,
  };
}

/**
 * Reads a group's closing days in use, with those of all groups, by first day. Omits past ones.
 * @param senderGroupId null: only those of all groups
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

/** Makes a calendar of stored hours and closing days. @param now epoch milliseconds */
export function calendarFor(hours: HoursOfGroup, closingDays: readonly ClosingDay[], now: number): Calendar {
  const today = dayOf(now);
  return calendarOf(hours, closingDays, (day) => holidayOf(day, today));
}

type ListedDay = Omit<StoredClosingDay, 'version'>;

interface LoadedRules {
  readonly hours: readonly (HoursOfGroup & { readonly id: number })[];
  /** The closing days of all of the groups. */
  readonly closingDays: readonly ListedDay[];
}

export interface GroupRules {
  readonly hours: HoursOfGroup;
  /** Groups without their own days share one array. */
  readonly closingDays: readonly ListedDay[];
}

/**
 * Loads the hours and closing days of an account's groups, in one statement that reads each day once. Omits past days.
 * @param now epoch milliseconds
 * @returns by group
 */
export async function loadRules(
  db: Db,
  accountId: number,
  groupIds: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, GroupRules>> {
  const ids = [...new Set(groupIds)];
  const { rows } = await sql<LoadedRules>`
    SELECT (
      SELECT coalesce(json_agg(json_build_object('id', sender_group_id, 'periods', periods, 'outside', outside,
        'onHolidays', on_holidays)), '[]')
      FROM business_hours WHERE account_id = ${accountId} AND sender_group_id = ANY (${ids}::bigint[])
    ) AS hours, (
      SELECT coalesce(json_agg(json_build_object('id', id, 'senderGroupId', sender_group_id, 'firstDay', first_day,
        'lastDay', last_day, 'name', name, 'working', working, 'yearly', yearly) ORDER BY first_day, id), '[]')
      FROM closing_day
      WHERE account_id = ${accountId} AND active
        AND (sender_group_id IS NULL OR sender_group_id = ANY (${ids}::bigint[]))
        AND (yearly OR last_day >= ${dayOf(now)}::date)
    ) AS "closingDays"`.execute(db);
  const { hours = [], closingDays = [] } = rows[0] ?? {};
  const hoursOf = new Map(hours.map((own) => [own.id, own]));
  const ofAll = closingDays.filter(({ senderGroupId }) => senderGroupId === null);
  const haveOwn = new Set(closingDays.map(({ senderGroupId }) => senderGroupId));
  const daysOf = (id: number) =>
    haveOwn.has(id) ? closingDays.filter(({ senderGroupId }) => senderGroupId === null || senderGroupId === id) : ofAll;
  return new Map(ids.map((id) => [id, { hours: hoursOf.get(id) ?? DEFAULT_HOURS, closingDays: daysOf(id) }]));
}

/** Loads the calendars of an account's groups. @param now epoch milliseconds @returns by group */
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

/** Whether an account has set hours or closing days. Otherwise each group has DEFAULT_CALENDAR. */
export const hasCalendars = (accountId: Expression<unknown>) => sql<boolean>`(
  EXISTS (SELECT FROM business_hours WHERE account_id = ${accountId})
  OR EXISTS (SELECT FROM closing_day WHERE account_id = ${accountId} AND active))`;
