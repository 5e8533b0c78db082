import type { AccountDb } from '../../platform/account-db.ts';

interface Profile {
  readonly name?: string | undefined;
  readonly company?: string | undefined;
}

/** Writes the names that are given; they are as parseName gives them. */
export async function updateProfile(account: AccountDb, { name, company }: Profile, now: number): Promise<null> {
  await account.transaction((tx) =>
    tx
      .updateTable('account')
      .set({
        ...(name !== undefined && { name }),
        ...(company !== undefined && { company }),
        updated_at: new Date(now),
      })
      .where('id', '=', account.id)
      .execute(),
  );
  return null;
}
