import { type Expression, sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';

/** What follows from the outcomes of mails: which companies count as mailed, and which addresses are mailed no more. */

interface Contact {
  readonly accountId: number;
  readonly senderGroupId: number;
  readonly prospectId: number;
}

/** From now on these companies count as mailed by their group. */
export async function recordContacts(tx: Tx, contacts: readonly Contact[]): Promise<void> {
  if (contacts.length === 0) return;
  const column = (name: keyof Contact) => contacts.map((contact) => contact[name]);
  await insertContacts(sql`
    unnest(${column('accountId')}::bigint[], ${column('senderGroupId')}::bigint[], ${column('prospectId')}::bigint[])
      AS contact (account_id, sender_group_id, prospect_id)`).execute(tx);
}

/** @param rows what follows FROM, with account_id, sender_group_id, prospect_id */
export const insertContacts = (rows: Expression<unknown>) => sql`
  INSERT INTO contact_state (account_id, sender_group_id, prospect_id, last_sent_at)
  SELECT DISTINCT account_id, sender_group_id, prospect_id, now() FROM ${rows}
  ORDER BY account_id, sender_group_id, prospect_id
  ON CONFLICT (account_id, sender_group_id, prospect_id) DO UPDATE SET last_sent_at = excluded.last_sent_at`;

interface Suppressed {
  readonly accountId: number;
  readonly address: string;
  readonly reason: string;
}

/** Their accounts send nothing to these addresses any more. */
export async function suppressAddresses(tx: Tx, addresses: readonly Suppressed[]): Promise<void> {
  if (addresses.length === 0) return;
  const column = (name: keyof Suppressed) => addresses.map((one) => one[name]);
  await insertSuppressions(sql`
    unnest(${column('accountId')}::bigint[], ${column('address')}::text[], ${column('reason')}::text[])
      AS suppressed (account_id, address, reason)`).execute(tx);
}

/**
 * In one order for everybody: two who suppress the same addresses wait for each other, and do not lock each other out.
 * @param rows what follows FROM, with account_id, address, reason
 */
export const insertSuppressions = (rows: Expression<unknown>) => sql`
  INSERT INTO suppression (account_id, kind, value, reason)
  SELECT account_id, 'address', lower(address), reason FROM ${rows}
  ORDER BY account_id, lower(address) COLLATE "C"
  ON CONFLICT DO NOTHING`;
