import { sql } from 'kysely';
import { type CandidateDate, isOver } from '#domain/sending/candidate-dates.ts';
import { type Calendar, endOfSending, mayLeaveAt } from '#domain/sending/sending-hours.ts';
import { timeInSentence } from '#domain/time/shown-time.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import type { Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { hasDayLimit } from '../sending-rules/day-limits.queries.ts';

/** When an order's mails start to be sent, with its inputs. */
export interface Begins {
  /** When the order is sent: now or as reserved. Epoch milliseconds. */
  readonly at: number;
  /** The calendar of its group; null: a test. */
  readonly calendar: Calendar | null;
}

/** Returns when an order's first mail may be sent, in epoch milliseconds. The order does not count as late. */
export const beginOf = ({ at, calendar }: Begins): number => mayLeaveAt(at, null, calendar);

/** Returns when an immediate order starts: after its undo window. @param now epoch milliseconds */
export async function beginOfSend(
  tx: Tx,
  accountId: number,
  { test, calendar, now }: { readonly test: boolean; readonly calendar: Calendar | null; readonly now: number },
): Promise<{ readonly undoSeconds: number; readonly begins: Begins }> {
  const undoSeconds = test ? 0 : (await readAccountRule(tx, accountId)).undo_seconds;
  return { undoSeconds, begins: { at: now + undoSeconds * 1000, calendar } };
}

/** Refuses candidate dates that are over when an order's mails start to be sent. */
export function datesOverProblem(candidates: readonly CandidateDate[], begins: Begins): Problem | null {
  const begin = beginOf(begins);
  if (!candidates.some((candidate) => isOver(candidate, begin))) return null;
  const message = `送信が始まる${timeInSentence(begin, begins.at)}より後の候補日を選んでください。`;
  return new Problem('invalid_candidate_date', message);
}

/**
 * Returns the times in an order's answer. The start, if it is later than requested. The estimated end, if the profile
 * has a pace and no limit of the day, because the mails of each day are then unknown.
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

/** Returns a profile's mails per minute; null: no pace, or a limit of the day applies. */
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
