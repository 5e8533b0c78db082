import { sql } from 'kysely';
import { type CandidateDate, isOver } from '#domain/sending/candidate-dates.ts';
import { type Calendar, dayAndTime, endOfSending, mayLeaveAt } from '#domain/sending/sending-hours.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { hasDayLimit } from '../sending-rules/day-limits.queries.ts';

/** When the mails of an order begin to leave, and what it depends on. */
export interface Begins {
  /** When the order is sent: now or as reserved. Epoch milliseconds. */
  readonly at: number;
  /** The calendar of its group; null: a test. */
  readonly calendar: Calendar | null;
}

/** Returns when the first mail of an order may leave, epoch milliseconds. It is not late. */
export const beginOf = ({ at, calendar }: Begins): number => mayLeaveAt(at, null, calendar);

/** Returns when a send at once begins: after the time in which it can be taken back. @param now epoch milliseconds */
export async function beginOfSend(
  tx: Tx,
  accountId: number,
  { test, calendar, now }: { readonly test: boolean; readonly calendar: Calendar | null; readonly now: number },
): Promise<{ readonly undoSeconds: number; readonly begins: Begins }> {
  const undoSeconds = test ? 0 : (await readAccountRule(tx, accountId)).undo_seconds;
  return { undoSeconds, begins: { at: now + undoSeconds * 1000, calendar } };
}

/** Refuses candidate dates that are over when the mails of an order begin to leave, now or later. */
export function datesOverProblem(candidates: readonly CandidateDate[], begins: Begins): Problem | null {
  const begin = beginOf(begins);
  if (!candidates.some((candidate) => isOver(candidate, begin))) return null;
  const message = `送信が始まる${dayAndTime(begin)}より後の候補日を選んでください。`;
  return new Problem('invalid_candidate_date', message);
}

/**
 * Returns what the answer to an order says of its time: when it begins, if that is later than asked for, and about when
 * it ends, if its profile has a pace and no limit of the day: how many mails leave each day is not known.
 * @param more mails of the order that are not queued yet
 */
export async function timesOf(
  tx: Tx,
  { accountId, profileId }: { readonly accountId: number; readonly profileId: number },
  begins: Begins,
  more: number,
): Promise<{ begins_at?: string; ends_about?: string }> {
  const begin = beginOf(begins);
  const perMinute = await readPace(tx, accountId, profileId, { test: begins.calendar === null });
  const ahead = perMinute === null ? 0 : more + (await countQueued(tx, accountId, profileId));
  const end = perMinute === null ? null : endOfSending(begin, (ahead / perMinute) * 60_000, null, begins.calendar);
  return {
    ...(begin > begins.at && { begins_at: formatSecond(begin) }),
    ...(end !== null && { ends_about: formatSecond(end) }),
  };
}

/** Returns the mails a minute of a profile; null: without a pace, or a limit of the day holds for them. */
async function readPace(
  tx: Tx,
  accountId: number,
  profileId: number,
  { test }: { readonly test: boolean },
): Promise<number | null> {
  const throttle = await tx
    .selectFrom('sender_throttle')
    .select(sql<number | null>`least(mails_per_minute, chosen_per_minute)`.as('perMinute'))
    .where('account_id', '=', accountId)
    .where('profile_id', '=', profileId)
    .where(({ lit, not, or }) => or([lit(test), not(hasDayLimit(sql.lit(accountId), sql.lit(profileId)))]))
    .executeTakeFirst();
  return throttle?.perMinute ?? null;
}

async function countQueued(tx: Tx, accountId: number, profileId: number): Promise<number> {
  const { count } = await tx
    .selectFrom('delivery')
    .innerJoin('sender', (join) =>
      join.onRef('sender.account_id', '=', 'delivery.account_id').onRef('sender.id', '=', 'delivery.sender_id'),
    )
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('delivery.account_id', '=', accountId)
    .where('sender.account_id', '=', accountId)
    .where('sender.profile_id', '=', profileId)
    .where('delivery.state', '=', 'queued')
    .where('delivery.not_before', '<', sql<Date>`'infinity'`)
    .executeTakeFirstOrThrow();
  return count;
}
