import { sql } from 'kysely';
import type { Role } from '#domain/account/role.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockGroupOf } from '../../platform/database/lock-account.ts';
import { notFound, Problem, unauthorized } from '../../platform/problem.ts';
import { notAllowed } from './not-allowed.ts';

/** The tables whose rows belong to one sender group. */
type InGroup = 'sender_group' | 'sender' | 'sender_profile' | 'reservation' | 'send_log';

/**
 * Refuses an act of a member in a sender group that is not the member's own. Acts ask behind their own lock, and the
 * member is read anew: no act that waited behind the member's stop, or a change of role or groups, commits.
 * Rows of another account have no group here, so the act answers 404.
 * @param table of the rows that the act concerns; `ids` their ids
 * @returns null for a worker; 401 for a stopped member, 403 `not_allowed` for a viewer, 403 `not_in_group`
 */
export async function groupProblem(
  tx: Tx,
  { id: accountId, memberId }: Pick<AccountDb, 'id' | 'memberId'>,
  table: InGroup,
  ids: number | readonly number[],
): Promise<Problem | null> {
  if (memberId === null) return null;
  const group = table === 'sender_group' ? sql.ref('acted.id') : sql.ref('acted.sender_group_id');
  const { rows } = await sql<{ active: boolean; role: Role; other: string | null }>`
    SELECT member.active, member.role, (
      SELECT sender_group.group_name FROM ${sql.table(table)} AS acted
      JOIN sender_group ON sender_group.account_id = acted.account_id AND sender_group.id = ${group}
      WHERE acted.account_id = ${accountId} AND acted.id = ANY (${[ids].flat()}::bigint[])
        AND member.role = 'sales'
        AND EXISTS (SELECT FROM member_group AS own
          WHERE own.account_id = ${accountId} AND own.member_id = member.id)
        AND NOT EXISTS (SELECT FROM member_group AS own
          WHERE own.account_id = ${accountId} AND own.member_id = member.id AND own.sender_group_id = sender_group.id)
      ORDER BY sender_group.id LIMIT 1
    ) AS other
    FROM member WHERE member.account_id = ${accountId} AND member.id = ${memberId}`.execute(tx);
  const [member] = rows;
  if (!member?.active) return unauthorized();
  if (member.role === 'viewer') return notAllowed(tx, accountId);
  return member.other === null
    ? null
    : new Problem('not_in_group', `「${member.other}」では操作できません。管理者に依頼してください。`);
}

/**
 * Locks the group of a row, so that its orders, reservations and starts have committed or wait. Then asks groupProblem.
 * @returns its refusal, or 404 for an unknown row
 */
export const enterGroup = async (
  tx: Tx,
  account: Pick<AccountDb, 'id' | 'memberId'>,
  table: Exclude<InGroup, 'sender_group'>,
  id: number,
): Promise<Problem | null> =>
  (await lockGroupOf(tx, account.id, table, id)) ? groupProblem(tx, account, table, id) : notFound();
