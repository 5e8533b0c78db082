import { type Expression, type SqlBool, sql } from 'kysely';
import { NOTICE_KINDS } from '#domain/account/notice.ts';
import type { Role } from '#domain/account/role.ts';
import { MAX_MEMBERS, MAX_TEAM } from '#domain/limits.ts';
import type { MemberKey } from '../../platform/database/account-db.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { groupsOf } from '../rights/my-rights.queries.ts';

/** What an admin decides about a member. */
export interface MemberState {
  readonly role: Role;
  /** Ascending; null: all groups. Only members of the role `sales` have some. */
  readonly groups: readonly number[] | null;
  readonly active: boolean;
}

export const memberVersion = ({ role, groups, active }: MemberState): string => contentVersion([role, groups, active]);

/** The address of an erased member, on a row of `member`. Nobody can type it: its domain has one label. */
export const erasedAddress = sql<string>`('erased-' || member.id || '@invalid')`;
/** An erased member is in no list, and nobody brings it back. */
export const isNotErased: Expression<SqlBool> = sql<SqlBool>`member.email <> ${erasedAddress}`;

/** Locks a member. @returns undefined where the account has no such member, or an erased one */
export async function lockMember(tx: Tx, { accountId, memberId }: MemberKey): Promise<MemberState | undefined> {
  const member = await tx
    .selectFrom('member')
    .select(['role', 'active'])
    .where('account_id', '=', accountId)
    .where('id', '=', memberId)
    .where(isNotErased)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!member) return undefined;
  return { ...member, role: member.role as Role, groups: await groupsOf(tx, { accountId, memberId }) };
}

interface NewMember extends Omit<MemberState, 'active'> {
  readonly email: string;
  readonly name: string;
  readonly password_hash: string;
}

/**
 * Inserts a member, who gets notices on the screen, and none by mail until the member turns them on: otherwise one
 * answer would cause thirty mails.
 * @throws a unique violation (see orAddressTaken)
 * @returns the id
 */
export async function addMember(tx: Tx, account_id: number, { groups, ...member }: NewMember): Promise<number> {
  const { id } = await tx
    .insertInto('member')
    .values({ account_id, ...member })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addGroups(tx, { accountId: account_id, memberId: id }, groups);
  await tx
    .updateTable('notice_member')
    .set({ mail_off: [...NOTICE_KINDS], morning_summary: false })
    .where('account_id', '=', account_id)
    .where('member_id', '=', id)
    .execute();
  return id;
}

/** Writes what changed of a locked member. No other file writes these columns (test/boundaries.test.ts). */
export async function writeState(
  tx: Tx,
  { accountId, memberId }: MemberKey,
  before: MemberState,
  after: MemberState,
  by: number | null,
): Promise<void> {
  const stop = { active: false, deactivated_at: sql<Date>`now()`, deactivated_by: by, email_before_confirmation: null };
  const change = {
    ...(after.role !== before.role && { role: after.role }),
    ...(before.active && !after.active && stop),
    ...(!before.active && after.active && { active: true, deactivated_at: null, deactivated_by: null }),
  };
  if (Object.keys(change).length > 0) {
    await tx
      .updateTable('member')
      .set({ ...change, updated_at: sql<Date>`now()` })
      .where('account_id', '=', accountId)
      .where('id', '=', memberId)
      .execute();
  }
  if (after.groups?.join() === before.groups?.join()) return;
  await tx.deleteFrom('member_group').where('account_id', '=', accountId).where('member_id', '=', memberId).execute();
  await addGroups(tx, { accountId, memberId }, after.groups);
}

/** Binds a member to sender groups; null: to none. */
async function addGroups(tx: Tx, { accountId, memberId }: MemberKey, groups: readonly number[] | null): Promise<void> {
  if (groups === null) return;
  await sql`
    INSERT INTO member_group (account_id, member_id, sender_group_id)
    SELECT DISTINCT ${accountId}::bigint, ${memberId}::bigint, id FROM unnest(${groups}::bigint[]) AS id`.execute(tx);
}

/**
 * Refuses more people than an account may have. The account is locked.
 * @param more members or invitations to come; isBack: a stopped member comes back
 */
export async function teamProblem(
  tx: Tx,
  accountId: number,
  { more, isBack = false, now }: { readonly more: number; readonly isBack?: boolean; readonly now: number },
): Promise<Problem | null> {
  const { rows } = await sql<{ active: number; all: number; open: number }>`
    SELECT count(*) FILTER (WHERE active)::integer AS active, count(*)::integer AS all,
      (SELECT count(*)::integer FROM invitation WHERE account_id = ${accountId} AND accepted_at IS NULL
        AND cancelled_at IS NULL AND expires_at > ${new Date(now)}) AS open
    FROM member WHERE account_id = ${accountId}`.execute(tx);
  const { active, all, open } = onlyRow(rows);
  if (active + open + more > MAX_TEAM) {
    return new Problem(
      'too_many_members',
      `メンバーと招待中の人は、合わせて${MAX_TEAM}人までです。使わない招待を取り消すか、利用しない人を停止してください。`,
    );
  }
  if (!isBack && all + open + more > MAX_MEMBERS) {
    const most = MAX_MEMBERS.toLocaleString('ja-JP');
    return new Problem(
      'too_many_members',
      `メンバーは、利用を停止した人も含めて${most}人までです。停止した人の利用を再開してください。`,
    );
  }
  return null;
}

/** Refuses groups of a role that acts in all or in none (400), and groups of another account (404). */
export async function groupsProblem(
  tx: Tx,
  accountId: number,
  { role, groups }: Pick<MemberState, 'role' | 'groups'>,
  path: string,
): Promise<Problem | null> {
  if (groups === null) return null;
  if (role !== 'sales') return fieldProblem(path, 'invalid_input', '送信者グループを選べるのは、営業だけです');
  const rows = await tx
    .selectFrom('sender_group')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${groups}::bigint[])`)
    .execute();
  return rows.length === new Set(groups).size ? null : notFound();
}
