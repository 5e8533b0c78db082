import type { Db } from '../platform/db.ts';

/** The id of the account with this address, or null once the user has been told that there is none. */
export async function findAccountOrSay(db: Db, email: string): Promise<number | null> {
  const account = await db
    .selectFrom('account')
    .select('id')
    .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
    .executeTakeFirst();
  if (!account) process.stderr.write(`${email} のアカウントはありません。\n`);
  return account?.id ?? null;
}
