import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';

/**
 * Takes mails back out of the archive, because something is reported about them: rows that belong to a mail, such as
 * an answer, refer to `delivery` alone. Mails that are not archived stay as they are.
 * A blanked mail gets its address and name back where its company still has that address.
 */
export async function recallMails(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    WITH back AS (
      DELETE FROM archived_delivery WHERE account_id = ${accountId} AND id = ANY (${[...new Set(ids)]}::bigint[])
      RETURNING *
    )
    INSERT INTO delivery (account_id, id, send_log_id, sender_group_id, sender_id, prospect_id, test_send_mode,
      row_index, mail_to, company_name, person_in_charge, message_id, mail_date, state, reason, attempts, not_before,
      claim_no,
      smtp_reply, created_at, finished_at, delivered_at, mail_key, erased_hash, follows_id, industry_id,
      replied, refused, complained, dead)
    OVERRIDING SYSTEM VALUE
    SELECT back.account_id, back.id, send_log_id, sender_group_id, sender_id, prospect_id, test_send_mode, row_index,
      coalesce(mail_to, known.company_email), coalesce(known.company_name, back.company_name),
      coalesce(known.ceo, back.person_in_charge), message_id, mail_date, state, reason, attempts, back.created_at,
      claim_no, smtp_reply, back.created_at, finished_at, delivered_at, mail_key,
      CASE WHEN known.company_email IS NULL THEN erased_hash END, follows_id, industry_id,
      replied, refused, complained, dead
    FROM back
    LEFT JOIN prospect AS known ON known.account_id = back.account_id AND known.id = back.prospect_id AND back.blanked
      AND back.erased_hash = address_hash(back.account_id, known.email_search)
    ORDER BY back.id`.execute(tx);
}
