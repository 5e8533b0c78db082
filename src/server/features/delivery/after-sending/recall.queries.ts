import { type Expression, sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';

/**
 * Restores address and name of blanked mails that a report concerns, where the company or one of its people still has
 * the hashed address. They stay restored: the report names them.
 */
export async function recallMails(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  const wanted = [...new Set(ids)];
  await recallFrom(tx, accountId, wanted, {
    address: sql`prospect.company_email`,
    greeted: sql`coalesce(prospect.ceo, '')`,
    personId: sql`NULL::bigint`,
    hasIt: sql`prospect.email_search`,
  });
  // Those that are left: mails to a person.
  await recallFrom(tx, accountId, wanted, {
    address: sql`person.email`,
    greeted: PERSON_GREETED,
    personId: sql`person.id`,
    hasIt: sql`person.email_search`,
    people: sql`JOIN person ON person.account_id = prospect.account_id AND person.prospect_id = prospect.id`,
  });
}

/** As personAddressee() of the domain. */
const PERSON_GREETED = sql`CASE
  WHEN person.name = '' AND person.title = '' AND person.department <> '' THEN person.department || ' ご担当者'
  ELSE concat_ws(' ', nullif(person.department, ''), nullif(person.title, ''), nullif(person.name, '')) END`;

/** Where a mail's address may still be. */
interface Holder {
  readonly address: Expression<unknown>;
  readonly greeted: Expression<unknown>;
  readonly personId: Expression<unknown>;
  readonly hasIt: Expression<unknown>;
  readonly people?: Expression<unknown>;
}

async function recallFrom(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  { address, greeted, personId, hasIt, people = sql`` }: Holder,
): Promise<void> {
  // Locked by id, as in every statement that locks several deliveries.
  await sql`
    UPDATE delivery AS d
    SET mail_to = known.address, company_name = known.company_name, person_in_charge = known.greeted,
      person_id = known.person_id, erased_hash = NULL, blanked_at = NULL
    FROM (
     -- Two people may have one address: the 主担当 counts, else the first.
     SELECT DISTINCT ON (id) * FROM (
      SELECT mail.id, ${address} AS address, prospect.company_name, ${greeted} AS greeted, ${personId} AS person_id,
        coalesce(${personId} = prospect.person_id, false) AS is_primary
      FROM delivery AS mail
      JOIN prospect ON prospect.account_id = mail.account_id AND prospect.id = mail.prospect_id
      ${people}
      WHERE mail.account_id = ${accountId} AND mail.id = ANY (${ids}::bigint[])
        AND mail.blanked_at IS NOT NULL AND mail.erased_hash = address_hash(mail.account_id, ${hasIt})
      ORDER BY mail.id FOR NO KEY UPDATE OF mail
     ) AS found ORDER BY id, is_primary DESC, person_id
    ) AS known
    WHERE d.account_id = ${accountId} AND d.id = known.id`.execute(tx);
}
