import { type Expression, type SqlBool, sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';

/** Checks whether the account may send real mails from an address. @param key in the form of addressKey */
export const isConfirmedAddress = (accountId: number, key: string): Expression<SqlBool> => sql<SqlBool>`EXISTS (
  SELECT FROM confirmed_address AS confirmed
  WHERE confirmed.account_id = ${accountId} AND confirmed.address_key = ${key})`;

/** Returns when the address was confirmed; null: not confirmed. */
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

/**
 * Returns a function that reads the address of an account's first active sender with a confirmed address; null: none.
 * @param db a pool of the role kaitaku_api or kaitaku_service
 */
export const accountSenderOf =
  (db: Db) =>
  (accountId: number): Promise<string | null> =>
    accountDbOf(db)(accountId, null).snapshot(async (tx) => {
      const { rows } = await sql<{ email: string }>`
        SELECT profile.email
        FROM sender
        JOIN sender_profile AS profile ON profile.account_id = sender.account_id AND profile.id = sender.profile_id
        JOIN sender_group ON sender_group.account_id = sender.account_id
          AND sender_group.id = sender.sender_group_id AND sender_group.active
        JOIN confirmed_address AS confirmed ON confirmed.account_id = sender.account_id
          AND confirmed.address_key = lower(profile.email COLLATE "C")
        WHERE sender.account_id = ${accountId} AND sender.active
        ORDER BY sender.id LIMIT 1`.execute(tx);
      return rows[0]?.email ?? null;
    });
