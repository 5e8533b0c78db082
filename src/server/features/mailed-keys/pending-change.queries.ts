import type { ExpressionBuilder } from 'kysely';
import type { MemberKey } from '../../platform/database/account-db.ts';
import type { DB } from '../../platform/database/db-types.ts';

/** The condition that a change is of this member, and to the address that is pending now. Older ones are invalid. */
export const isPendingChangeOf =
  ({ accountId, memberId }: MemberKey) =>
  (where: ExpressionBuilder<DB, 'email_change'>) =>
    where.and([
      where('email_change.account_id', '=', accountId),
      where('email_change.member_id', '=', memberId),
      where(
        'email_change.email',
        '=',
        where
          .selectFrom('member')
          .select('email_before_confirmation')
          .where('member.account_id', '=', accountId)
          .where('member.id', '=', memberId),
      ),
    ]);
