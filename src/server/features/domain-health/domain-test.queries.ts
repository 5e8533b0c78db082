import type { Tx } from '../../platform/database/db.ts';

/** Stores that a test mail is about to leave. The result of an earlier one stays until this one comes. */
export async function expectTest(
  tx: Tx,
  { accountId, domain, key, now }: { accountId: number; domain: string; key: string; now: number },
): Promise<void> {
  const sent = { key, sent_at: new Date(now), waits: true };
  await tx
    .insertInto('domain_test')
    .values({ account_id: accountId, domain, ...sent })
    .onConflict((conflict) => conflict.columns(['account_id', 'domain']).doUpdateSet(sent))
    .execute();
}

/** Stores that a test mail has not left. */
export async function giveUpTest(tx: Tx, accountId: number, key: string): Promise<void> {
  await tx
    .updateTable('domain_test')
    .set({ waits: false })
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .execute();
}
