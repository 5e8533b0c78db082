import { type Expression, sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';

/**
 * Records that mails were rejected, for a CTE.
 * @param rows what follows FROM: account_id, sender_group_id, address_key, id of the mail, and finished_at
 */
export const insertRejections = (rows: Expression<unknown>) => sql`
  INSERT INTO address_rejection (account_id, sender_group_id, address_key, delivery_id, rejected_at)
  SELECT account_id, sender_group_id, address_key, id, finished_at FROM ${rows}
  ORDER BY account_id, address_key, sender_group_id
  ON CONFLICT DO NOTHING`;

/** Ends the rejections of failed mails that are sent again. The mails still have the addresses that rejected them. */
export async function endRejections(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    DELETE FROM address_rejection AS rejection USING delivery d
    WHERE d.account_id = ${accountId} AND d.id = ANY (${ids}::bigint[])
      AND rejection.account_id = d.account_id AND rejection.address_key = d.address_key
      AND rejection.sender_group_id = d.sender_group_id AND rejection.delivery_id = d.id`.execute(tx);
}
