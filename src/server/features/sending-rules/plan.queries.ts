import { type Expression, sql } from 'kysely';
import { PLAN_DAYS_MAX, type PlannedDay, planOrder } from '#domain/sending/rules/plan.ts';
import type { Db } from '../../platform/database/db.ts';
import { readAccountRule } from './account-rule.queries.ts';
import { type GroupKey, loadCalendar } from './calendar.queries.ts';
import { usedByAccount } from './day-limits.queries.ts';
import { readLimits } from './limits.queries.ts';

/**
 * Plans on which days a sender's mails leave if they are sent now, by the limits of the day.
 * @param now epoch milliseconds
 * @returns null: no limit holds, or the group has no such active sender
 */
export async function readPlan(
  db: Db,
  { accountId, senderGroupId, senderId }: GroupKey & { readonly senderId: number },
  mails: number,
  now: number,
): Promise<readonly PlannedDay[] | null> {
  const sender = await db
    .selectFrom('sender')
    .leftJoin('sender_throttle as throttle', (join) =>
      join
        .onRef('throttle.account_id', '=', 'sender.account_id')
        .onRef('throttle.profile_id', '=', 'sender.profile_id'),
    )
    .select(['sender.profile_id', sql<number | null>`least(mails_per_minute, chosen_per_minute)`.as('perMinute')])
    .where('sender.account_id', '=', accountId)
    .where('sender.sender_group_id', '=', senderGroupId)
    .where('sender.id', '=', senderId)
    .where('sender.active', '=', true)
    .executeTakeFirst();
  if (!sender) return null;
  const { profile_id: profileId, perMinute } = sender;
  const [limit] = await readLimits(db, accountId, sql.lit(profileId));
  const { per_day: perDay } = await readAccountRule(db, accountId);
  if (!limit && perDay === null) return null;
  const ofProfile = sql`s.profile_id = ${profileId}`;
  const ahead = (of: Expression<unknown>, most: number) => countAhead(db, accountId, of, most * PLAN_DAYS_MAX);
  return planOrder({
    mails,
    now,
    calendar: await loadCalendar(db, { accountId, senderGroupId }, now),
    perMinute,
    profile: limit ? { limit, ...limit, ahead: await ahead(ofProfile, limit.perDay) } : null,
    account:
      perDay === null
        ? null
        : { perDay, used: await usedByAccount(db, accountId, perDay), ahead: await ahead(sql`true`, perDay) },
  });
}

/** Counts the real mails that wait for a worker or a day, up to `most`. Those that wait for a person do not count. */
async function countAhead(db: Db, accountId: number, ofSender: Expression<unknown>, most: number): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    SELECT count(*)::integer AS ahead FROM (
      SELECT FROM sender s JOIN delivery d ON d.account_id = s.account_id AND d.sender_id = s.id
      WHERE s.account_id = ${accountId} AND ${ofSender}
        AND d.state = 'queued' AND d.not_before < 'infinity' AND NOT d.test_send_mode
      LIMIT ${sql.lit(most)}
    ) AS waiting`.execute(db);
  return rows[0]?.ahead ?? 0;
}
