import type { ExpressionBuilder } from 'kysely';
import type { MemberKey } from '../../platform/account-db.ts';
import type { DB } from '../../platform/db-types.ts';

/**
 * The change of this member, while it is one to the address that is pending now. Whatever else was issued is worth
 * nothing.
 */
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
