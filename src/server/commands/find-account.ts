import type { Db } from '../platform/db.ts';
import { refuse } from './command.ts';

/** Returns the id of the account with this address. Without such an account: prints so, and returns null. */
export async function findAccountOrRefuse(db: Db, email: string): Promise<number | null> {
  const account = await db
    .selectFrom('account')
    .select('id')
    .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .executeTakeFirst();
  if (!account) refuse(`${email} のアカウントはありません。`);
  return account?.id ?? null;
}
