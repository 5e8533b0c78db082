import { sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import { AFFECTED_MAX, type updateClosingDay } from '#contract/senders/sending-rules-closing-days.ts';
import { type ClosingDay, closingDayOn } from '#domain/sending/rules/closing-days.ts';
import { type Calendar, closedReason, openUntil } from '#domain/sending/sending-hours.ts';
import { addDays } from '#domain/time/calendar.ts';
import { dayOf, formatSecond } from '#domain/time/tokyo-time.ts';
import type { Tx } from '../../platform/database/db.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { calendarFor, DEFAULT_HOURS, type GroupRules, loadRules } from '../sending-rules/calendar.queries.ts';

/** The reservations that a change of rules affects, for its answer. */
export type Affected = Pick<CallAnswer<typeof updateClosingDay>, 'affected' | 'affected_count' | 'unchecked'>;

/** Reservations per statement, and the most that an answer judges: the rest is only counted. */
const SLICE_ROWS = 1000;
const JUDGED_MAX = 10_000;

export const NOT_AFFECTED: Affected = { affected: [], affected_count: 0, unchecked: 0 };

interface PendingRow {
  readonly id: number;
  readonly groupId: number;
  readonly sendAt: Date;
}

export interface Change {
  readonly accountId: number;
  readonly groups: readonly number[];
  /** The changed days; null: any. */
  readonly days: readonly Pick<ClosingDay, 'firstDay' | 'lastDay' | 'yearly'>[] | null;
  /** Returns why a reservation is affected; null: it is not. */
  readonly reasonOf: (groupId: number, instant: number) => string | null;
}

const begin = (day: string): string => `${day} 00:00:00+09`;

/** The possible times of days as an SQL multirange. A yearly day includes everything from its first day on. */
const timesOf = (days: Change['days']): string => {
  if (days === null) return '{(,)}';
  const endOf = ({ lastDay, yearly }: (typeof days)[number]) => (yearly ? '' : begin(addDays(lastDay, 1)));
  return `{${days.map((day) => `[${begin(day.firstDay)},${endOf(day)})`).join()}}`;
};

/** Finds the real reservations that a change of rules affects. They keep their times. */
export async function affectedReservations(tx: Tx, { accountId, groups, days, reasonOf }: Change): Promise<Affected> {
  const affected: Affected['affected'] = [];
  let found = 0;
  let last: PendingRow | undefined;
  const pending = (row: PendingRow | undefined) => sql`FROM reservation
    WHERE account_id = ${accountId} AND sender_group_id = ANY (${groups}::bigint[])
      AND active AND NOT is_sent AND NOT test_send_mode AND send_at > now()
      AND send_at <@ ${timesOf(days)}::tstzmultirange
      AND (send_at, id) > (${row?.sendAt ?? sql`now()`}, ${row?.id ?? 0}::bigint)`;
  for (let judged = 0; judged < JUDGED_MAX; judged += SLICE_ROWS) {
    const { rows } = await sql<PendingRow>`
      SELECT id, sender_group_id AS "groupId", send_at AS "sendAt" ${pending(last)}
      ORDER BY send_at, id LIMIT ${SLICE_ROWS}`.execute(tx);
    const reasons = await mapInSlices(rows, ({ groupId, sendAt }) => reasonOf(groupId, sendAt.getTime()));
    for (const [at, { id, sendAt }] of rows.entries()) {
      const reason = reasons[at] ?? null;
      if (reason === null) continue;
      found += 1;
      if (found > AFFECTED_MAX) continue;
      affected.push({ reservation_id: id, send_at: formatSecond(sendAt.getTime()), reason });
    }
    if (rows.length < SLICE_ROWS) return { affected, affected_count: found, unchecked: 0 };
    last = rows.at(-1);
  }
  const { rows } = await sql<{ count: number }>`SELECT count(*)::integer AS count ${pending(last)}`.execute(tx);
  return { affected, affected_count: found, unchecked: rows[0]?.count ?? 0 };
}

interface ChangedDays extends Pick<Change, 'accountId' | 'groups'> {
  readonly before: ReadonlyMap<number, GroupRules>;
  /** The closing days before and after the change. */
  readonly days: readonly ClosingDay[];
  /** The new or moved ones of them. */
  readonly added: readonly ClosingDay[];
  readonly now: number;
}

/** Finds the reservations on closing days, and those at open times that are now closed. */
export async function affectedByDays(
  tx: Tx,
  { accountId, groups, before, days, added, now }: ChangedDays,
): Promise<Affected> {
  if (days.length === 0) return NOT_AFFECTED;
  const calendarsOf = (rules: ReadonlyMap<number, GroupRules>) => {
    // Calendars are made only for groups with reservations.
    const made = new Map<number, Calendar>();
    return (group: number) => {
      const { hours, closingDays } = rules.get(group) ?? { hours: DEFAULT_HOURS, closingDays: [] };
      const calendar = made.get(group) ?? calendarFor(hours, closingDays, now);
      made.set(group, calendar);
      return calendar;
    };
  };
  const then = calendarsOf(before);
  const after = calendarsOf(await loadRules(tx, accountId, groups, now));
  const addedOn = closingDayOn(added);
  const reasonOf = (group: number, instant: number) => {
    const reason = closedReason(instant, after(group));
    if (reason === null) return null;
    const day = dayOf(instant);
    const falls = addedOn(day)?.working === false && after(group).closedBy(day) !== null;
    return falls || openUntil(instant, then(group)) !== null ? reason : null;
  };
  return affectedReservations(tx, { accountId, groups, days, reasonOf });
}
