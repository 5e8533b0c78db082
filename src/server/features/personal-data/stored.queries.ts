import { type Expression, type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';

/** Finds the companies with an address, including archived ones. @param address in the form of addressKey */
async function findCompanies(tx: Tx, accountId: number, address: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM prospect
    WHERE account_id = ${accountId} AND archived_at IS NULL AND email_search COLLATE "C" = ${address}
    UNION ALL
    SELECT id FROM prospect
    WHERE account_id = ${accountId} AND archived_at IS NOT NULL AND email_search COLLATE "C" = ${address}
    ORDER BY id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** What is stored of an address: companies whose own one it is, and people, with the companies of those. */
export interface Subject {
  readonly address: string;
  readonly companies: readonly number[];
  readonly people: readonly number[];
  readonly companiesOfPeople: readonly number[];
}

/** Finds them, unused and archived ones and deleted people too. @param address in the form of addressKey */
export async function findSubject(tx: Tx, accountId: number, address: string): Promise<Subject> {
  const companies = await findCompanies(tx, accountId, address);
  const { rows } = await sql<{ id: number; prospect_id: number }>`
    SELECT id, prospect_id FROM person WHERE account_id = ${accountId} AND email_search = ${address}
    UNION
    -- Of people whom the undo of an import deleted the history tells more than the address.
    SELECT split_part(field, '.', 2)::bigint, prospect_id
    FROM prospect_change CROSS JOIN LATERAL jsonb_each(changes) AS change (field, pair)
    WHERE account_id = ${accountId} AND strpos(lower(changes::text COLLATE "C"), ${address}) > 0
      AND field LIKE 'person.%.email'
      AND ${address} IN (lower((pair ->> 0) COLLATE "C"), lower((pair ->> 1) COLLATE "C"))
      AND NOT EXISTS (
        SELECT FROM person
        WHERE person.account_id = ${accountId} AND person.id::text = split_part(field, '.', 2))
    ORDER BY id`.execute(tx);
  const companiesOfPeople = [...new Set(rows.map(({ prospect_id }) => prospect_id))];
  return { address, companies, people: rows.map(({ id }) => id), companiesOfPeople };
}

/** The text of delivery_open_address_key's condition. All other mails are in delivery_address_idx. */
const IS_OPEN = sql<SqlBool>`(state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode
  AND NOT shares_address)`;

/**
 * Selects mails (the row `d` of `delivery`) to an address, to these companies or to these people.
 * Blanked mails match by hash; erased ones no longer match. The ids come from four indexes. The rest is checked again,
 * because a locked mail may have got another address.
 */
export const mailsOf = (accountId: number, subject: Subject): Expression<SqlBool> => {
  const { address, companies, people, companiesOfPeople } = subject;
  const isTo = sql`account_id = ${accountId} AND address_key = ${address}`;
  const hash = sql`(SELECT address_hash(${accountId}, ${address}))`;
  return sql<SqlBool>`d.account_id = ${accountId}
    AND (d.address_key = ${address} OR d.prospect_id = ANY (${companies}::bigint[])
      OR d.person_id = ANY (${people}::bigint[])
      OR d.erased_hash = ${hash} AND d.blanked_at IS NOT NULL)
    AND d.id IN (
      SELECT id FROM delivery WHERE ${isTo} AND ${IS_OPEN}
      UNION ALL SELECT id FROM delivery WHERE ${isTo} AND NOT ${IS_OPEN}
      UNION ALL SELECT id FROM delivery
        WHERE account_id = ${accountId} AND erased_hash = ${hash} AND blanked_at IS NOT NULL
      UNION ALL SELECT id FROM delivery
        WHERE account_id = ${accountId} AND prospect_id = ANY (${companies}::bigint[])
      UNION ALL SELECT id FROM delivery
        WHERE account_id = ${accountId} AND prospect_id = ANY (${companiesOfPeople}::bigint[])
          AND person_id = ANY (${people}::bigint[]))`;
};

/** Selects replies (rows of `reply`) of these companies, from the address, or about mails to it. */
export const answersOf = (
  companies: readonly number[],
  address: string,
  mails: readonly number[],
): Expression<SqlBool> => sql<SqlBool>`(prospect_id = ANY (${companies}::bigint[]) OR from_address = ${address}
    OR doubted_address = ${address} OR delivery_id = ANY (${mails}::bigint[]))`;
