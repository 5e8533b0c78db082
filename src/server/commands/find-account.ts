import type { Db } from '../platform/db.ts';
import { refuse } from './command.ts';

/** Returns the account's id of the member with this address. Without such a member: prints so, and returns null. */
export async function findAccountOrRefuse(db: Db, email: string): Promise<number | null> {
  const member = await db
    .selectFrom('member')
    .select('account_id')
    .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .executeTakeFirst();
  if (!member) refuse(`${email} のアカウントはありません。`);
  return member?.account_id ?? null;
}
