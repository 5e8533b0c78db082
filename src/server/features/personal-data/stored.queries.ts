import { type Expression, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

/** Finds the companies with an address, including archived ones. @param address in the form of addressKey */
export async function findCompanies(tx: Tx, accountId: number, address: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM prospect
    WHERE account_id = ${accountId} AND archived_at IS NULL AND email_search COLLATE "C" = ${address}
    UNION ALL
    SELECT id FROM prospect
    WHERE account_id = ${accountId} AND archived_at IS NOT NULL AND email_search COLLATE "C" = ${address}
    ORDER BY id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The text of delivery_open_address_key's condition. All other mails are in delivery_address_idx. */
const IS_OPEN = sql<SqlBool>`(state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode
  AND NOT shares_address)`;

/**
 * Selects mails (the row `d` of `delivery`) to an address or to these companies.
 * Blanked mails match by hash; erased ones no longer match. The ids come from four indexes. The rest is checked again,
 * because a locked mail may have got another address.
 */
export const mailsOf = (accountId: number, companies: readonly number[], address: string): Expression<SqlBool> => {
  const isTo = sql`account_id = ${accountId} AND address_key = ${address}`;
  const hash = sql`(SELECT address_hash(${accountId}, ${address}))`;
  return sql<SqlBool>`d.account_id = ${accountId}
    AND (d.address_key = ${address} OR d.prospect_id = ANY (${companies}::bigint[])
      OR d.erased_hash = ${hash} AND d.blanked_at IS NOT NULL)
    AND d.id IN (
      SELECT id FROM delivery WHERE ${isTo} AND ${IS_OPEN}
      UNION ALL SELECT id FROM delivery WHERE ${isTo} AND NOT ${IS_OPEN}
      UNION ALL SELECT id FROM delivery
        WHERE account_id = ${accountId} AND erased_hash = ${hash} AND blanked_at IS NOT NULL
      UNION ALL SELECT id FROM delivery
        WHERE account_id = ${accountId} AND prospect_id = ANY (${companies}::bigint[]))`;
};

/** Selects replies (rows of `reply`) of these companies, from the address, or about mails to it. */
export const answersOf = (
  companies: readonly number[],
  address: string,
  mails: readonly number[],
): Expression<SqlBool> => sql<SqlBool>`(prospect_id = ANY (${companies}::bigint[]) OR from_address = ${address}
    OR doubted_address = ${address} OR delivery_id = ANY (${mails}::bigint[]))`;
