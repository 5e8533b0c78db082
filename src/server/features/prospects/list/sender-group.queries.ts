import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/db.ts';
import type { DB } from '../../../platform/db-types.ts';

/** What a list is seen from: one sender group of one account. */
export interface GroupScope {
  readonly accountId: number;
  readonly senderGroupId: number;
}

const eb = expressionBuilder<DB, never>();

/** Whether the group is the account's. The id may be any safe integer (the column is a 32-bit one). */
export const isOwnGroup = ({ accountId, senderGroupId }: GroupScope): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('sender_group')
      .select('id')
      .where('account_id', '=', accountId)
      .where('id', '=', sql<number>`${senderGroupId}::bigint`),
  );

export async function ownsSenderGroup(db: Db, scope: GroupScope): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`SELECT ${isOwnGroup(scope)} AS owns`.execute(db);
  return rows[0]?.owns === true;
}
