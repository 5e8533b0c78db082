import { sql } from 'kysely';
import { accountDbOf } from '../../platform/database/account-db.ts';
import type { Db } from '../../platform/database/db.ts';

/**
 * Returns a function that reads the address of an account's first active sender whose address is confirmed; null: none.
 * @param db a pool of the role kaitaku_api or kaitaku_service
 */
export const accountSenderOf =
  (db: Db) =>
  (accountId: number): Promise<string | null> =>
    accountDbOf(db)(accountId, null).transaction(async (tx) => {
      const { rows } = await sql<{ email: string }>`
        SELECT sender.email
        FROM sender
        JOIN sender_group ON sender_group.account_id = sender.account_id
          AND sender_group.id = sender.sender_group_id AND sender_group.active
        JOIN confirmed_address AS confirmed ON confirmed.account_id = sender.account_id
          AND confirmed.address_key = lower(sender.email COLLATE "C")
        WHERE sender.account_id = ${accountId} AND sender.active
        ORDER BY sender.id LIMIT 1`.execute(tx);
      return rows[0]?.email ?? null;
    });
