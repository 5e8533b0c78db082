import type { Tx } from '../../platform/database/db.ts';

/**
 * Locks the sender group of a sender, profile or reservation until the end of the transaction.
 * Sends and reservations lock the group before any other row, so that each sees the targets of the others.
 * @returns whether the account has that row
 */
export async function lockGroupOf(
  tx: Tx,
  accountId: number,
  table: 'sender' | 'sender_profile' | 'reservation',
  id: number,
): Promise<boolean> {
  const group = await tx
    .selectFrom('sender_group')
    .select('sender_group.id')
    .where('sender_group.account_id', '=', accountId)
    .where('sender_group.id', '=', ({ selectFrom }) =>
      selectFrom(table).select('sender_group_id').where('account_id', '=', accountId).where('id', '=', id),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();
  return group !== undefined;
}

/** Locks all sender groups of an account: what was accepted before is committed, and what comes later waits. */
export async function lockAllGroups(tx: Tx, accountId: number): Promise<void> {
  await tx
    .selectFrom('sender_group')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}
