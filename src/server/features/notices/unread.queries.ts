import { type SqlBool, sql } from 'kysely';
import { NOTICE_DAYS } from '#domain/notice.ts';
import type { MemberKey } from '../../platform/account-db.ts';
import type { Tx } from '../../platform/db.ts';
import { countNotices, isShown } from './notice-list.queries.ts';

/** Counts the unread notices of a member. */
export const countUnread = (tx: Tx, member: MemberKey): Promise<number> =>
  countNotices(tx, sql<SqlBool>`${isShown(member)} AND n.read_at IS NULL`);

/** Counts the unread notices of all members of an account, by member. */
export async function countUnreadOfAll(tx: Tx, accountId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ memberId: number; unread: number }>`
    SELECT n.member_id AS "memberId", count(*)::integer AS unread FROM notice n
    WHERE n.account_id = ${accountId} AND n.read_at IS NULL AND n.on_screen
      AND n.last_at > now() - make_interval(days => ${sql.lit(NOTICE_DAYS)})
    GROUP BY n.member_id`.execute(tx);
  return new Map(rows.map(({ memberId, unread }) => [memberId, unread]));
}
