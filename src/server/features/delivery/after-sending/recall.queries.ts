import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';

/**
 * Restores address and name of blanked mails that a report concerns, where the company still has the hashed address.
 * They stay restored: the report names them.
 */
export async function recallMails(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  // Locked by id, as in every statement that locks several deliveries.
  await sql`
    UPDATE delivery AS d
    SET mail_to = known.company_email, company_name = known.company_name, person_in_charge = coalesce(known.ceo, ''),
      erased_hash = NULL, blanked_at = NULL
    FROM (
      SELECT mail.id, prospect.company_email, prospect.company_name, prospect.ceo
      FROM delivery AS mail
      JOIN prospect ON prospect.account_id = mail.account_id AND prospect.id = mail.prospect_id
        AND mail.erased_hash = address_hash(mail.account_id, prospect.email_search)
      WHERE mail.account_id = ${accountId} AND mail.id = ANY (${[...new Set(ids)]}::bigint[])
        AND mail.blanked_at IS NOT NULL
      ORDER BY mail.id FOR NO KEY UPDATE OF mail
    ) AS known
    WHERE d.account_id = ${accountId} AND d.id = known.id`.execute(tx);
}
