import { sql } from 'kysely';
import type { Db } from '../../platform/db.ts';

/** What a list is seen from: one sender group of one account. */
export interface GroupScope {
  readonly accountId: number;
  readonly senderGroupId: number;
}

/** Whether the group is the account's. The id may be any safe integer (the column is a 32-bit one). */
export async function ownsSenderGroup(db: Db, { accountId, senderGroupId }: GroupScope): Promise<boolean> {
  const group = await db
    .selectFrom('sender_group')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`${senderGroupId}::bigint`)
    .executeTakeFirst();
  return group !== undefined;
}
