import { sql } from 'kysely';
import type { listInvitations } from '#contract/account/invitations.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { Role } from '#domain/account/role.ts';
import { INVITATION_KEPT_DAYS, INVITATION_LISTED_DAYS } from '#domain/limits.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { DAY_MS, MINUTE_MS } from '#domain/time-units.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { isNotFrozen } from '../../platform/database/frozen.ts';

/** After this long a mail is no longer being sent: its process has ended. */
const SENDING_MS = 10 * MINUTE_MS;

/** On a row of `invitation`: when it ends, or ended. */
const endedAt = sql<Date>`coalesce(invitation.accepted_at, least(invitation.cancelled_at, invitation.expires_at))`;

type Listed = CallAnswer<typeof listInvitations>[number];

/**
 * Lists open invitations, and those that ended within INVITATION_LISTED_DAYS, newest first.
 * @param now epoch milliseconds
 */
export const readInvitations = (account: AccountDb, now: number): Promise<Listed[]> =>
  account.snapshot(async (tx) => {
    const at = new Date(now);
    const since = new Date(now - INVITATION_LISTED_DAYS * DAY_MS);
    const { rows } = await sql<{
      id: number;
      email: string;
      role: Role;
      groups: readonly number[] | null;
      state: Listed['state'];
      mail_state: Listed['mail_state'];
      invited_by: string | null;
      expires_at: Date;
      created_at: Date;
    }>`
      SELECT invitation.id, invitation.email, invitation.role, to_json(invitation.sender_group_ids) AS groups,
        CASE WHEN accepted_at IS NOT NULL THEN 'accepted'
          WHEN cancelled_at < expires_at THEN 'cancelled'
          WHEN expires_at <= ${at} THEN 'expired'
          ELSE 'waiting' END AS state,
        CASE WHEN mail_state = 'sending' AND asked_at < ${new Date(now - SENDING_MS)} THEN 'failed'
          ELSE mail_state END AS mail_state,
        member.name AS invited_by, invitation.expires_at, invitation.created_at
      FROM invitation
      LEFT JOIN member ON member.account_id = ${account.id} AND member.id = invitation.invited_by
      WHERE invitation.account_id = ${account.id}
        AND ${endedAt} > ${since}
      ORDER BY ${endedAt} > ${at} DESC, invitation.id DESC LIMIT ${MAX_LISTED}`.execute(tx);
    return rows
      .toSorted((a, b) => b.id - a.id)
      .map(({ groups, expires_at, created_at, ...row }) => ({
        ...row,
        sender_group_ids: groups === null ? null : [...groups],
        expires_at: formatSecond(expires_at.getTime()),
        created_at: formatSecond(created_at.getTime()),
      }));
  });

/** The open ones are MAX_TEAM at most; of the ended ones the newest are listed. */
export const MAX_LISTED = 500;

/** Deletes invitations that ended INVITATION_KEPT_DAYS ago. */
export async function deleteOldInvitations(db: Db): Promise<void> {
  await sql`
    DELETE FROM invitation
    WHERE ${endedAt} <= now() - make_interval(days => ${sql.lit(INVITATION_KEPT_DAYS)})
      AND ${isNotFrozen('account_id')}`.execute(db);
}
