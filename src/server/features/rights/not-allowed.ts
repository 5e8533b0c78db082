import { hasRole, type Role } from '#domain/account/role.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { Problem, unauthorized } from '../../platform/problem.ts';

/** The most admins that a refusal names. */
const NAMED_ADMINS = 3;

/** Refuses what the member's role does not permit, and names the admins who can help, the oldest first. */
export async function notAllowed(tx: Tx, accountId: number): Promise<Problem> {
  const admins = await tx
    .selectFrom('member')
    .select('name')
    .where('account_id', '=', accountId)
    .where('role', '=', 'admin')
    .where('active', '=', true)
    .orderBy('id')
    .limit(NAMED_ADMINS + 1)
    .execute();
  const names = admins.slice(0, NAMED_ADMINS).map(({ name }) => name);
  const more = admins.length > NAMED_ADMINS ? 'ほか' : '';
  const who = names.length === 0 ? '管理者' : `管理者（${names.join('、')}${more}）`;
  return new Problem('not_allowed', `この操作はできません。${who}に依頼してください。`);
}

/**
 * Reads the caller of an admin's call again, behind the call's own lock: of two admins who lower each other the second
 * is refused.
 * @returns null for the operator; 401 for a stopped member, 403
 */
export async function adminProblem(
  tx: Tx,
  { id: accountId, memberId }: Pick<AccountDb, 'id' | 'memberId'>,
): Promise<Problem | null> {
  if (memberId === null) return null;
  const caller = await tx
    .selectFrom('member')
    .select(['role', 'active'])
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .executeTakeFirst();
  if (!caller?.active) return unauthorized();
  return hasRole(caller.role as Role, 'admin') ? null : notAllowed(tx, accountId);
}
