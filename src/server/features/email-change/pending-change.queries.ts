import type { ExpressionBuilder } from 'kysely';
import type { DB } from '../../platform/db-types.ts';

/** The change of this account, while it is one to the address that is pending now. Whatever else was issued is worth nothing. */
export const isPendingChangeOf = (accountId: number) => (where: ExpressionBuilder<DB, 'email_change'>) =>
  where.and([
    where('email_change.account_id', '=', accountId),
    where(
      'email_change.email',
      '=',
      where.selectFrom('account').select('email_before_confirmation').where('account.id', '=', accountId),
    ),
  ]);
