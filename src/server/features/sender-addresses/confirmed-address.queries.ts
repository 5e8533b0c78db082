import { type Expression, type SqlBool, sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import type { Db, Tx } from '../../platform/database/db.ts';

/** Checks whether the account may send real mails from an address. @param key in the form of addressKey */
export const isConfirmedAddress = (accountId: number, key: string): Expression<SqlBool> => sql<SqlBool>`EXISTS (
  SELECT FROM confirmed_address AS confirmed
  WHERE confirmed.account_id = ${accountId} AND confirmed.address_key = ${key})`;

/** Returns when the address was confirmed; null: it was not. */
export async function confirmedAt(tx: Tx, accountId: number, address: string): Promise<Date | null> {
  const row = await tx
    .selectFrom('confirmed_address')
    .select('confirmed_at')
    .where('account_id', '=', accountId)
    .where('address_key', '=', addressKey(address))
    .executeTakeFirst();
  return row?.confirmed_at ?? null;
}

/** Permits real mails from an address of the account. */
export async function confirmAddress(db: Db, accountId: number, address: string): Promise<void> {
  await db
    .insertInto('confirmed_address')
    .values({ account_id: accountId, address_key: addressKey(address) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
