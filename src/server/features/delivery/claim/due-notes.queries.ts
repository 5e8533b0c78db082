import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/db.ts';
import type { DueSender } from '../leases/due-senders.queries.ts';

/** More due notes of a sender are tidied after its claim: each one slows down every search for due mail. */
const DUE_NOTES_MAX = 10;

/** Removes superfluous notes of a sender after a claim. @param wasEmptied fewer mails were due than asked for */
export async function tidyAfterClaim(tx: Tx, sender: DueSender, wasEmptied: boolean): Promise<void> {
  if (wasEmptied || sender.notes > DUE_NOTES_MAX) await tidyDueNotes(tx, sender);
}

/**
 * Leaves one note of a sender: a due one while it has due mail, else one for its next mail.
 * Its throttle row must be locked. One snapshot for notes and mails: a note that is committed meanwhile is kept.
 */
async function tidyDueNotes(tx: Tx, { account_id, sender_id }: DueSender): Promise<void> {
  const ofSender = sql`account_id = ${account_id} AND sender_id = ${sender_id}`;
  await sql`
    WITH first AS MATERIALIZED (
      SELECT account_id, sender_id, not_before, not_before <= now() AS is_due FROM delivery
      WHERE ${ofSender} AND state = 'queued'
      ORDER BY not_before
      LIMIT 1
    ), kept AS (
      SELECT id FROM sender_due WHERE ${ofSender} AND (SELECT is_due FROM first) ORDER BY due_at LIMIT 1
    ), gone AS (
      DELETE FROM sender_due WHERE ${ofSender} AND id NOT IN (SELECT id FROM kept)
    )
    INSERT INTO sender_due (account_id, sender_id, due_at)
    SELECT account_id, sender_id, not_before FROM first WHERE NOT is_due AND not_before < 'infinity'`.execute(tx);
}
