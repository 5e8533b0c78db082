import { sql } from 'kysely';
import type { getAccount } from '#contract/account/account.ts';
import type { CallAnswer } from '#contract/call.ts';
import { hasRole, type Role } from '#domain/account/role.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import type { Problem } from '../../platform/problem.ts';
import { notAllowed } from './not-allowed.ts';

type MyRights = CallAnswer<typeof getAccount>['member'];

/** Reads what a member may do. */
export async function readRights(tx: Tx, member: MemberDb, role: Role): Promise<MyRights> {
  const { accountId, memberId } = memberKeyOf(member);
  const groups = role === 'sales' ? await groupsOf(tx, { accountId, memberId }) : null;
  const may_export = asFlag(hasRole(role, await roleForExports(tx, accountId)));
  return { id: memberId, role, sender_group_ids: groups, may_export, ...(await secondStepOf(tx, member)) };
}

/** Reads whether a member has a second step, with its unused recovery codes, and whether the account asks for one. */
async function secondStepOf(tx: Tx, { id: accountId, memberId }: MemberDb) {
  const { two_factor, recovery_codes_left, two_factor_required } = await tx
    .selectFrom('member')
    .leftJoin('account_rule', 'account_rule.account_id', 'member.account_id')
    .select('account_rule.two_factor_required')
    .select([
      sql<boolean>`EXISTS (SELECT FROM member_totp WHERE account_id = ${accountId} AND member_id = ${memberId}
      AND confirmed_at IS NOT NULL)`.as('two_factor'),
      sql<number>`(SELECT count(*) FROM recovery_code WHERE account_id = ${accountId} AND member_id = ${memberId}
      AND used_at IS NULL)::integer`.as('recovery_codes_left'),
    ])
    .where('member.account_id', '=', accountId)
    .where('member.id', '=', memberId)
    .executeTakeFirstOrThrow();
  return {
    two_factor: asFlag(two_factor),
    recovery_codes_left,
    two_factor_required: asFlag(two_factor_required ?? false),
  };
}

/** Reads the sender groups that bind a member, by id; null: none does. */
export async function groupsOf(tx: Tx, { accountId, memberId }: MemberKey): Promise<number[] | null> {
  const rows = await tx
    .selectFrom('member_group')
    .select('sender_group_id as id')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .orderBy('sender_group_id')
    .execute();
  return rows.length === 0 ? null : rows.map(({ id }) => id);
}

/** Refuses exports to a member without the role that the account's rule asks for; that of the audit is for admins. */
export async function exportProblem(tx: Tx, member: MemberDb, what?: string): Promise<Problem | null> {
  const needed = what === 'audit' ? 'admin' : await roleForExports(tx, member.id);
  return hasRole(await roleOf(tx, member), needed) ? null : notAllowed(tx, member.id);
}

export async function roleOf(tx: Tx, { id: accountId, memberId }: MemberDb): Promise<Role> {
  const { role } = await tx
    .selectFrom('member')
    .select('role')
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .executeTakeFirstOrThrow();
  return role as Role;
}

async function roleForExports(db: Db, accountId: number): Promise<Role> {
  const rule = await db
    .selectFrom('account_rule')
    .select('export_needs_admin')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return rule?.export_needs_admin ? 'admin' : 'sales';
}

/** Orders sender groups: those in which a member of the role `sales` acts, and then the others, each by id. */
export const ownGroupsFirst = ({ id: accountId, memberId }: MemberDb) => sql`
  NOT EXISTS (SELECT FROM member_group WHERE member_group.account_id = ${accountId}
    AND member_group.member_id = ${memberId} AND member_group.sender_group_id = sender_group.id), sender_group.id`;
