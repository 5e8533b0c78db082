import type { Tx } from './db.ts';

/** Locks the account's row until the end of the transaction: names stay unique, and limits hold. */
export async function lockAccount(tx: Tx, accountId: number): Promise<void> {
  await tx.selectFrom('account').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
}

/** Keeps out transactions that lock the account's row. Those that call this do not wait for each other. */
export async function shareAccount(tx: Tx, accountId: number): Promise<void> {
  await tx.selectFrom('account').select('id').where('id', '=', accountId).forShare().execute();
}
