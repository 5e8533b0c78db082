import { type Expression, type SqlBool, sql } from 'kysely';
import { type MemberDb, type MemberKey, memberKeyOf } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { notFound, type Problem } from '../../platform/problem.ts';

interface Updated {
  readonly status: 'updated';
}

/** Marks a member's notice as read. @returns 404 for another member's notice */
export const readNotice = (account: MemberDb, id: number): Promise<Updated | Problem> =>
  account.transaction(async (tx) => {
    const found = await markRead(tx, memberKeyOf(account), sql<SqlBool>`id = ${id}`);
    return found > 0 ? { status: 'updated' } : notFound();
  });

/** Marks the notices of a member up to an id as read. */
export const readAllNotices = (account: MemberDb, untilId: number): Promise<Updated> =>
  account.transaction(async (tx) => {
    await markRead(tx, memberKeyOf(account), sql<SqlBool>`id <= ${untilId} AND read_at IS NULL`);
    return { status: 'updated' };
  });

async function markRead(tx: Tx, { accountId, memberId }: MemberKey, which: Expression<SqlBool>): Promise<bigint> {
  // Locks the member's row first, as all do that change several notices of a member, so that none deadlock.
  await sql`
    SELECT FROM notice_member WHERE account_id = ${accountId} AND member_id = ${memberId}
    FOR NO KEY UPDATE`.execute(tx);
  const { numAffectedRows = 0n } = await sql`
    UPDATE notice SET read_at = coalesce(read_at, now())
    WHERE account_id = ${accountId} AND member_id = ${memberId} AND on_screen AND ${which}`.execute(tx);
  return numAffectedRows;
}
