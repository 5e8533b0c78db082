import type { MemberKey } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { hashOf, newSecret } from './secret.ts';

/** Opens a session. @returns its bearer token; only a hash of it is stored */
export async function openSession(db: Db, { accountId, memberId }: MemberKey, now: number): Promise<string> {
  const token = newSecret();
  const at = new Date(now);
  await db
    .insertInto('session')
    .values({ token_hash: hashOf(token), account_id: accountId, member_id: memberId, created_at: at, last_used_at: at })
    .execute();
  return token;
}

export async function closeSession(db: Db, token: string): Promise<void> {
  await db.deleteFrom('session').where('token_hash', '=', hashOf(token)).execute();
}

/**
 * Ends all sessions of a member, except the caller's own if given, in the transaction of the change that ends them.
 * It deletes an unused link for a new password too: the person whom the change shuts out may have asked for it.
 */
export async function closeSessionsOf(tx: Tx, { accountId, memberId }: MemberKey, exceptToken?: string): Promise<void> {
  await tx.deleteFrom('password_reset').where('account_id', '=', accountId).where('member_id', '=', memberId).execute();
  await tx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .$if(exceptToken !== undefined, (query) => query.where('token_hash', '<>', hashOf(exceptToken ?? '')))
    .execute();
}
