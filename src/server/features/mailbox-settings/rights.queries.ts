import { hasRole, type Role } from '#domain/account/role.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { type Problem, unauthorized } from '../../platform/problem.ts';
import { notAllowed } from '../rights/not-allowed.ts';

export interface Caller {
  readonly memberId: number;
  readonly role: Role;
}

interface Owned {
  /** null: shared. */
  readonly owner_id: number | null;
}

/** Returns whether a member may change a mailbox: the own one, and an admin each. */
export const mayChange = ({ memberId, role }: Caller, { owner_id }: Owned): boolean =>
  hasRole(role, owner_id === memberId ? 'sales' : 'admin');

/** Reads the caller's role, in a list's snapshot or behind the lock of an act. @returns 401 for a stopped member */
export async function readCaller(tx: Tx, { id: accountId, memberId }: MemberDb): Promise<Caller | Problem> {
  const member = await tx
    .selectFrom('member')
    .select(['role', 'active'])
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .executeTakeFirst();
  // The cast is safe: a CHECK has the same names.
  return member?.active ? { memberId, role: member.role as Role } : unauthorized();
}

/** Refuses a change of a mailbox that the caller may not change. @returns 401 or 403 */
export async function changeProblem(tx: Tx, account: MemberDb, box: Owned): Promise<Problem | null> {
  const caller = await readCaller(tx, account);
  if (!('role' in caller)) return caller;
  return mayChange(caller, box) ? null : notAllowed(tx, account.id);
}
