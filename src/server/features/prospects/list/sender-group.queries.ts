import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../platform/database/db.ts';
import type { DB } from '../../../platform/database/db-types.ts';

/** The scope of every list: the account's prospects with the data of one sender group. */
export interface GroupScope {
  readonly accountId: number;
  readonly senderGroupId: number;
}

const eb = expressionBuilder<DB, never>();

/** Checks that the sender group belongs to the account. */
export const isOwnGroup = ({ accountId, senderGroupId }: GroupScope): Expression<SqlBool> =>
  eb.exists(
    eb
      .selectFrom('sender_group')
      .select('id')
      .where('account_id', '=', accountId)
      // The API allows any safe integer, but the column has 32 bits.
      .where('id', '=', sql<number>`${senderGroupId}::bigint`),
  );

export async function ownsSenderGroup(db: Db, scope: GroupScope): Promise<boolean> {
  const { rows } = await sql<{ owns: boolean }>`SELECT ${isOwnGroup(scope)} AS owns`.execute(db);
  return rows[0]?.owns === true;
}
