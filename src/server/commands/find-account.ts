import type { Db } from '../platform/database/db.ts';
import { refuse } from './command.ts';

/**
 * Returns the id of the account whose member has this address.
 * Without such a member it prints so and returns null.
 */
export async function findAccountOrRefuse(db: Db, email: string): Promise<number | null> {
  const member = await db
    .selectFrom('member')
    .select('account_id')
    .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .executeTakeFirst();
  if (!member) refuse(`${email} のアカウントはありません。`);
  return member?.account_id ?? null;
}
