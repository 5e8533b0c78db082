import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateSendingRules as updateCall } from '#contract/senders/sending-rules-hours.ts';
import type { HoursOfGroup } from '#domain/sending/rules/closing-days.ts';
import { type Calendar, closedReason, nextOpenTime } from '#domain/sending/sending-hours.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { hasRow } from '../../platform/database/list-rows.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { calendarFor, type GroupKey, readClosingDays, readHours } from '../sending-rules/calendar.queries.ts';
import { affectedReservations } from './affected.queries.ts';
import { bringForward } from './release.queries.ts';

/** Refuses rules that would leave no open day. */
export const noOpenDay = () =>
  new Problem('no_open_day', '送信できる日がなくなります。送信できる時間か休業日を見直してください。');

type Body = z.output<(typeof updateCall)['body']>;

/**
 * Changes when a group sends. A repeated change writes nothing.
 * @param now epoch milliseconds
 * @returns the reservations outside of the new hours; 400, 404 or 409
 */
export function updateHours(
  { id: accountId, memberId, transaction }: MemberDb,
  senderGroupId: number,
  { version, update_info }: Body,
  now: number,
): Promise<CallAnswer<typeof updateCall> | Problem> {
  const group = { accountId, senderGroupId };
  return transaction(async (tx) => {
    // Locks the group as an order does, so that an order sees the hours before or after the change.
    if (!(await hasRow(tx, 'sender_group', { accountId, id: senderGroupId }, 'FOR NO KEY UPDATE'))) return notFound();
    const stored = await readHours(tx, group);
    const wanted: HoursOfGroup = {
      periods: update_info.periods?.map(({ weekday, opens, closes }) => ({ weekday, opens, closes })) ?? stored.periods,
      outside: update_info.outside ?? stored.outside,
      onHolidays: update_info.on_holidays === undefined ? stored.onHolidays : update_info.on_holidays === 1,
    };
    const calendar = calendarFor(wanted, await readClosingDays(tx, group, now), now);
    if (isSame(stored, wanted)) return answer(tx, group, calendar, stored.version);
    if (version !== undefined && version !== stored.version) {
      return changedMeanwhile('sending_rules_changed', { ...stored, what: '送信ルールを' });
    }
    if (nextOpenTime(now, calendar) === null) return noOpenDay();
    await write(tx, group, { memberId, ...wanted });
    await bringForward(tx, accountId, 'hours', sql`d.sender_group_id = ${senderGroupId}`);
    const detail = { sender_group_id: senderGroupId, outside: wanted.outside, on_holidays: wanted.onHolidays };
    await recordAudit(tx, { accountId, memberId, kind: 'sending_hours_changed', detail });
    return answer(tx, group, calendar, stored.version + 1);
  });
}

const isSame = (one: HoursOfGroup, other: HoursOfGroup): boolean =>
  one.outside === other.outside &&
  one.onHolidays === other.onHolidays &&
  JSON.stringify(one.periods.map(fieldsOf)) === JSON.stringify(other.periods.map(fieldsOf));

const fieldsOf = ({ weekday, opens, closes }: HoursOfGroup['periods'][number]) => [weekday, opens, closes];

async function write(
  tx: Tx,
  { accountId, senderGroupId }: GroupKey,
  { memberId, periods, outside, onHolidays }: HoursOfGroup & { readonly memberId: number },
): Promise<void> {
  const values = {
    periods: JSON.stringify(periods),
    outside,
    on_holidays: onHolidays,
    member_id: memberId,
    updated_at: sql<Date>`now()`,
  };
  await tx
    .insertInto('business_hours')
    .values({ account_id: accountId, sender_group_id: senderGroupId, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'sender_group_id'])
        .doUpdateSet({ ...values, version: sql<number>`business_hours.version + 1` }),
    )
    .execute();
}

async function answer(tx: Tx, { accountId, senderGroupId }: GroupKey, calendar: Calendar, version: number) {
  const reasonOf = (_: number, instant: number) => closedReason(instant, calendar);
  return {
    status: 'updated' as const,
    version,
    ...(await affectedReservations(tx, { accountId, groups: [senderGroupId], days: null, reasonOf })),
  };
}
