import { type Expression, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { isOfEither } from '../../attack-list/chosen-address.queries.ts';

interface Contact {
  readonly accountId: number;
  readonly senderGroupId: number;
  readonly prospectId: number;
}

/** Records that these companies were contacted now by their sender groups. */
export async function recordContacts(tx: Tx, contacts: readonly Contact[]): Promise<void> {
  if (contacts.length === 0) return;
  const column = (name: keyof Contact) => contacts.map((contact) => contact[name]);
  await insertContacts(sql`(SELECT *, now() AS finished_at FROM
    unnest(${column('accountId')}::bigint[], ${column('senderGroupId')}::bigint[], ${column('prospectId')}::bigint[])
      AS contact (account_id, sender_group_id, prospect_id)) AS contact`).execute(tx);
}

/**
 * Inserts contacts or moves them to a later time; for a CTE.
 * @param rows what follows FROM: account_id, sender_group_id, prospect_id and finished_at, the time of the contact
 */
export const insertContacts = (rows: Expression<unknown>) => sql`
  INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at)
  SELECT account_id, sender_group_id, prospect_id, max(finished_at) FROM ${rows}
  GROUP BY account_id, sender_group_id, prospect_id
  ORDER BY account_id, sender_group_id, prospect_id
  ON CONFLICT (account_id, sender_group_id, prospect_id)
    DO UPDATE SET last_sent_at = greatest(contact_state.last_sent_at, excluded.last_sent_at)`;

/** A contact of a mail whose result was unknown, or has changed since. */
export interface DoubtedContact extends Contact {
  /** When the mail was recorded as a contact, as text of the database: a Date has no microseconds. */
  readonly doubtedAt: string;
}

/** Sets each contact to the last time shown by the remaining mails of its company, or deletes it. */
export async function correctContacts(db: Db, contacts: readonly DoubtedContact[]): Promise<void> {
  if (contacts.length === 0) return;
  const column = (name: keyof DoubtedContact) => contacts.map((contact) => contact[name]);
  // A later contact comes from another mail, and stays.
  const isOfDoubt = sql`c.account_id = truth.account_id AND c.sender_group_id = truth.sender_group_id
    AND c.prospect_id = truth.prospect_id AND c.last_sent_at = truth.doubted_at`;
  await sql`
    WITH truth AS (
      SELECT doubt.*, greatest(
        (SELECT max(d.finished_at) FROM delivery d
          WHERE d.account_id = doubt.account_id AND d.prospect_id = doubt.prospect_id
            AND d.sender_group_id = doubt.sender_group_id AND d.state IN ('sent', 'unknown') AND NOT d.test_send_mode),
        (SELECT max(l.sent_at) FROM send_log l
          JOIN recorded_contact r ON r.account_id = l.account_id AND r.send_log_id = l.id
          WHERE l.account_id = doubt.account_id AND l.sender_group_id = doubt.sender_group_id
            AND r.prospect_id = doubt.prospect_id)
      ) AS last_sent_at
      FROM unnest(${column('accountId')}::bigint[], ${column('senderGroupId')}::bigint[],
        ${column('prospectId')}::bigint[], ${column('doubtedAt')}::timestamptz[])
        AS doubt (account_id, sender_group_id, prospect_id, doubted_at)
      ORDER BY account_id, sender_group_id, prospect_id
    ), gone AS (
      DELETE FROM contact_state c USING truth WHERE ${isOfDoubt} AND truth.last_sent_at IS NULL
    )
    UPDATE contact_state c SET last_sent_at = truth.last_sent_at FROM truth
    WHERE ${isOfDoubt} AND truth.last_sent_at IS NOT NULL`.execute(db);
}

/**
 * Records the addresses of bounced mails among these as contacted; only `sent` mails count as contacts by themselves.
 * A company that still has the address is added to shared_address, because its own contact does not show it.
 */
export async function holdAddresses(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const cameBack = sql`d.account_id = ${accountId} AND d.id = ANY (${ids}::bigint[])
    AND d.state = 'failed' AND NOT d.test_send_mode AND d.address_key IS NOT NULL`;
  await sql`
    INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
    SELECT d.account_id, d.sender_group_id, d.address_key, max(d.finished_at) FROM delivery d WHERE ${cameBack}
    GROUP BY 1, 2, 3
    ORDER BY 1, 3, 2
    ON CONFLICT (account_id, address_key, sender_group_id)
      DO UPDATE SET last_sent_at = excluded.last_sent_at WHERE known.last_sent_at < excluded.last_sent_at`.execute(tx);
  await sql`
    INSERT INTO shared_address (account_id, prospect_id, address_key)
    SELECT d.account_id, d.prospect_id, d.address_key
    FROM delivery d
    JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
      AND ${isOfEither('prospect', sql`d.address_key`)}
    WHERE ${cameBack}
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING`.execute(tx);
}
