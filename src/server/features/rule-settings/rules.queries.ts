import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { listClosingDays as listCall } from '#contract/senders/sending-rules-closing-days.ts';
import type { getSendingRules } from '#contract/senders/sending-rules-hours.ts';
import { closedReason, nextOpenTime, openUntil } from '#domain/sending/sending-hours.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { countRows, hasRow, ownRows, pageOf, pickColumns } from '../../platform/database/list-rows.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { calendarFor, readClosingDays, readHours, type StoredClosingDay } from '../sending-rules/calendar.queries.ts';
import { leftOfAccount } from '../sending-rules/day-limits.queries.ts';
import { readLimits, stateOfToday } from '../sending-rules/limits.queries.ts';

/** Reads the rules of a group, and their effect now. @returns 404. @param now epoch milliseconds */
export function getRules(
  { id: accountId, snapshot }: AccountDb,
  senderGroupId: number,
  now: number,
): Promise<CallAnswer<typeof getSendingRules> | Problem> {
  const group = { accountId, senderGroupId };
  return snapshot(async (tx) => {
    if (!(await hasRow(tx, 'sender_group', { accountId, id: senderGroupId }))) return notFound();
    const hours = await readHours(tx, group);
    const closingDays = await readClosingDays(tx, group, now);
    const calendar = calendarFor(hours, closingDays, now);
    const profiles = sql`SELECT id FROM sender_profile
      WHERE account_id = ${accountId} AND sender_group_id = ${senderGroupId} AND active`;
    const limits = (await readLimits(tx, accountId, profiles)).map((limit) => {
      const { limit: most, used } = stateOfToday(limit);
      return { profile_id: limit.profileId, limit: most, used };
    });
    const left = await leftOfAccount(tx, accountId);
    return {
      sender_group_id: senderGroupId,
      periods: [...hours.periods],
      on_holidays: asFlag(hours.onHolidays),
      outside: hours.outside,
      version: hours.version,
      closing_days: closingDays.map(asWire),
      limits,
      now: {
        open: asFlag(openUntil(now, calendar) !== null),
        reason: closedReason(now, calendar),
        closes_at: secondOf(openUntil(now, calendar)),
        next_open_at: secondOf(nextOpenTime(now, calendar)),
        left_today: left === Infinity ? null : left,
      },
    };
  });
}

const secondOf = (instant: number | null): string | null => (instant === null ? null : formatSecond(instant));

const asWire = ({ id, senderGroupId, firstDay, lastDay, name, working, yearly, version }: StoredClosingDay) => ({
  id,
  sender_group_id: senderGroupId,
  first_day: firstDay,
  last_day: lastDay,
  name,
  working: asFlag(working),
  yearly: asFlag(yearly),
  active: 1 as const,
  version,
});

/** Lists the closing days of an account by first day. */
export const listDays = (
  account: AccountDb,
  { where_info, columns, ...window }: z.output<(typeof listCall)['query']>,
) =>
  account.snapshot(async (tx) => {
    const own = ownRows('closing_day', account.id, where_info);
    const found = await tx
      .selectFrom('closing_day')
      .select(['id', 'sender_group_id', 'name', 'working', 'yearly', 'active', 'version'])
      .select([sql<string>`first_day::text`.as('first_day'), sql<string>`last_day::text`.as('last_day')])
      .where(own)
      .orderBy('closing_day.first_day')
      .orderBy('id')
      .limit(window.limit)
      .offset(window.offset)
      .execute();
    const rows = found.map((row) =>
      pickColumns(
        { ...row, working: asFlag(row.working), yearly: asFlag(row.yearly), active: asFlag(row.active) },
        columns,
      ),
    );
    return pageOf(rows, window, () => countRows(tx, 'closing_day', own));
  });
