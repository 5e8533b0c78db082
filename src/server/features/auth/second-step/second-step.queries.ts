import { sql } from 'kysely';
import type { MemberKey } from '../../../platform/database/account-db.ts';
import type { Db } from '../../../platform/database/db.ts';

/** Whether a member's second step is on, as SQL over `member`. */
export const hasSecondStep = sql<boolean>`EXISTS (SELECT FROM member_totp
  WHERE member_totp.account_id = member.account_id AND member_totp.member_id = member.id
    AND member_totp.confirmed_at IS NOT NULL)`;

/** Returns whether a member's second step is on. */
export async function isSecondStepOn(db: Db, { accountId, memberId }: MemberKey): Promise<boolean> {
  const step = await db
    .selectFrom('member_totp')
    .select('member_id')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  return step !== undefined;
}
