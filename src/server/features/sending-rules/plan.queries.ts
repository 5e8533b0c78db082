import { type Expression, sql } from 'kysely';
import { PLAN_DAYS_MAX, type PlannedDay, planOrder } from '#domain/sending/rules/plan.ts';
import type { Db } from '../../platform/database/db.ts';
import { byKey } from '../../platform/database/list-rows.ts';
import { readAccountRule } from './account-rule.queries.ts';
import { type GroupKey, loadCalendar } from './calendar.queries.ts';
import { leftOfBox, usedByAccount } from './day-limits.queries.ts';
import { readLimits } from './limits.queries.ts';

/**
 * Plans the days on which a sender's mails are sent, by the limits of the day.
 * @param now epoch milliseconds
 * @param reservedFor the planned send time; null: now
 * @returns null: no limit applies, or the group has no such active sender
 */
export async function readPlan(
  db: Db,
  { accountId, senderGroupId, senderId }: GroupKey & { readonly senderId: number },
  mails: number,
  now: number,
  reservedFor: number | null,
): Promise<readonly PlannedDay[] | null> {
  const sender = await db
    .selectFrom('sender')
    .leftJoin('sender_throttle as throttle', (join) =>
      join
        .onRef('throttle.account_id', '=', 'sender.account_id')
        .onRef('throttle.profile_id', '=', 'sender.profile_id'),
    )
    .innerJoin('sender_profile', byKey('sender_profile', 'sender.profile_id'))
    .leftJoin('mailbox', byKey('mailbox', 'sender_profile.mailbox_id'))
    .select(['sender.profile_id', 'sender_profile.mailbox_id', 'mailbox.per_day as perDayOfBox'])
    .select(sql<number | null>`least(mails_per_minute, chosen_per_minute, mailbox.per_minute)`.as('perMinute'))
    .where('sender.account_id', '=', accountId)
    .where('sender.sender_group_id', '=', senderGroupId)
    .where('sender.id', '=', senderId)
    .where('sender.active', '=', true)
    .executeTakeFirst();
  if (!sender) return null;
  const { profile_id: profileId, mailbox_id: mailboxId, perDayOfBox, perMinute } = sender;
  const [limit] = await readLimits(db, accountId, sql.lit(profileId));
  const { per_day: perDay } = await readAccountRule(db, accountId);
  if (!limit && perDay === null && perDayOfBox === null) return null;
  const ofProfile = sql`s.profile_id = ${profileId}`;
  const ofBox = sql`s.profile_id IN (
    SELECT id FROM sender_profile WHERE account_id = ${accountId} AND mailbox_id = ${mailboxId})`;
  const waiting = async (of: Expression<unknown>, most: number) => ({
    ahead: await countAhead(db, accountId, of, most * PLAN_DAYS_MAX),
    reserved: reservedFor === null ? [] : await readReserved(db, accountId, of, reservedFor),
  });
  return planOrder({
    mails,
    now,
    reservedFor,
    calendar: await loadCalendar(db, { accountId, senderGroupId }, now),
    perMinute,
    profile: limit ? { limit, ...limit, ...(await waiting(ofProfile, limit.perDay)) } : null,
    mailbox:
      perDayOfBox === null || mailboxId === null
        ? null
        : {
            perDay: perDayOfBox,
            used: perDayOfBox - (await leftOfBox(db, accountId, { id: mailboxId, perDay: perDayOfBox })).left,
            ...(await waiting(ofBox, perDayOfBox)),
          },
    account:
      perDay === null
        ? null
        : { perDay, used: await usedByAccount(db, accountId, perDay), ...(await waiting(sql`true`, perDay)) },
  });
}

/** Counts the real mails that wait for a worker or a day, up to `most`. Excludes those that wait for a person. */
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

/** Counts the mails of real reservations until an instant, by day. Excludes missed ones, which wait for a person. */
async function readReserved(
  db: Db,
  accountId: number,
  ofSender: Expression<unknown>,
  until: number,
): Promise<readonly PlannedDay[]> {
  const { rows } = await sql<PlannedDay>`
    SELECT to_char(r.send_at AT TIME ZONE 'Asia/Tokyo', 'YYYY-MM-DD') AS day, count(*)::integer AS mails
    FROM reservation r
    JOIN sender s ON s.account_id = r.account_id AND s.id = r.sender_id
    JOIN reservation_target target ON target.account_id = r.account_id AND target.reservation_id = r.id
    WHERE r.account_id = ${accountId} AND ${ofSender} AND r.active AND NOT r.is_sent AND r.missed_at IS NULL
      AND NOT r.test_send_mode AND r.send_at <= ${new Date(until)} AND target.pending
    GROUP BY 1 ORDER BY 1`.execute(db);
  return rows;
}
