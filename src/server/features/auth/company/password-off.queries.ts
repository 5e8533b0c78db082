import { type SqlBool, sql } from 'kysely';
import type { MemberKey } from '../../../platform/database/account-db.ts';
import type { Db } from '../../../platform/database/db.ts';
import { hasSecondStep } from '../second-step/second-step.queries.ts';

/** Whether the password of `member` opens nothing, as SQL: the company's log-in does, or also asks a second step. */
const IS_PASSWORD_OFF = sql<SqlBool>`EXISTS (
    SELECT FROM account_rule JOIN oidc ON oidc.account_id = account_rule.account_id AND oidc.active
    WHERE account_rule.account_id = member.account_id AND account_rule.password_off)
  AND NOT (member.role = 'admin' AND ${hasSecondStep})`;

/**
 * Whether a member's password opens nothing, because the account has switched it off. Admins with a second step keep
 * theirs, so that a lost provider locks nobody out; without a working registration all do.
 */
export async function isPasswordOff(db: Db, { accountId, memberId }: MemberKey): Promise<boolean> {
  const member = await db
    .selectFrom('member')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .where(IS_PASSWORD_OFF)
    .executeTakeFirst();
  return member !== undefined;
}
