import type { Tx } from './db.ts';

/**
 * Locks the account's row until the end of the transaction, so that concurrent requests of the account take turns:
 * names stay unique, and limits hold.
 */
export async function lockAccount(tx: Tx, accountId: number): Promise<void> {
  await tx.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
}
