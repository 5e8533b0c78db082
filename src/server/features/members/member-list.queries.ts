import { sql } from 'kysely';
import type { listMembers } from '#contract/account/members.ts';
import type { CallAnswer } from '#contract/call.ts';
import { hasRole, type Role } from '#domain/account/role.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';
import { hasSecondStep } from '../auth/second-step/second-step.queries.ts';
import { isNotErased, memberVersion } from './member-rows.ts';

export interface ListedMember {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly active: boolean;
  readonly groups: readonly number[] | null;
  readonly last_login_at: Date | null;
  readonly two_factor: boolean;
  readonly reservations: number;
}

/** Lists the members, the active ones first. Log-ins and reservations only to admins. */
export const readMembers = (account: MemberDb): Promise<CallAnswer<typeof listMembers>> =>
  account.snapshot(async (tx) => {
    const rows = await selectMembers(tx, account.id);
    const me = rows.find(({ id }) => id === account.memberId);
    const isAdmin = me !== undefined && hasRole(me.role, 'admin');
    return rows.map(({ last_login_at, reservations, two_factor, groups, ...member }) => ({
      ...member,
      active: asFlag(member.active),
      sender_group_ids: groups === null ? null : [...groups],
      is_me: asFlag(member.id === account.memberId),
      version: memberVersion({ ...member, groups }),
      ...(isAdmin && {
        last_login_at: last_login_at === null ? null : formatSecond(last_login_at.getTime()),
        reservations,
        two_factor: asFlag(two_factor),
      }),
    }));
  });

/** Selects the members of an account with their groups, and their reservations that have not begun. */
export async function selectMembers(db: Db, accountId: number): Promise<readonly ListedMember[]> {
  const { rows } = await sql<ListedMember>`
    SELECT member.id, member.name, member.email, member.role, member.active, member.last_login_at, bound.groups,
      coalesce(planned.reservations, 0) AS reservations, ${hasSecondStep} AS two_factor
    FROM member
    LEFT JOIN (
      SELECT member_id, json_agg(sender_group_id ORDER BY sender_group_id) AS groups FROM member_group
      WHERE account_id = ${accountId} GROUP BY member_id) AS bound ON bound.member_id = member.id
    LEFT JOIN (
      SELECT member_id, count(*)::integer AS reservations FROM reservation
      WHERE account_id = ${accountId} AND active AND NOT is_sent GROUP BY member_id) AS planned
      ON planned.member_id = member.id
    WHERE member.account_id = ${accountId} AND ${isNotErased}
    ORDER BY member.active DESC, member.id`.execute(db);
  return rows;
}

export interface Team {
  readonly company: string;
  readonly members: readonly Pick<ListedMember, 'email' | 'name' | 'role' | 'active'>[];
}

/** Lists the accounts that live here with their members, for the operator. */
export async function listTeams(db: Db): Promise<readonly Team[]> {
  const { rows } = await sql<Team>`
    SELECT account.company, json_agg(json_build_object(
      'email', member.email, 'name', member.name, 'role', member.role, 'active', member.active
    ) ORDER BY member.active DESC, member.id) AS members
    FROM account JOIN member ON member.account_id = account.id
    WHERE account.moved_to IS NULL AND ${isNotErased}
    GROUP BY account.id ORDER BY account.id`.execute(db);
  return rows;
}
