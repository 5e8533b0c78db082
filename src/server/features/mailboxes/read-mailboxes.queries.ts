import { sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import type { Tx } from '../../platform/database/db.ts';

/** A connected mailbox whose mails are read. */
export interface ReadMailbox {
  readonly id: number;
  readonly address: string;
}

/** Returns the account's connected mailboxes that are read. */
export async function listReadMailboxes(tx: Tx, accountId: number): Promise<ReadMailbox[]> {
  const { rows } = await sql<ReadMailbox>`
    SELECT id, address FROM mailbox
    WHERE account_id = ${accountId} AND state = 'ok' AND reads_replies
    ORDER BY id`.execute(tx);
  return rows;
}

/** Whether members have connected a mailbox of the account: its real mails leave by mailboxes since. */
export async function hasMailbox(tx: Tx, accountId: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM mailbox WHERE account_id = ${accountId} AND state IN ('ok', 'reconnect') LIMIT 1`.execute(tx);
  return rows.length > 0;
}

/** Returns the mailbox in which mails to an address arrive. A further From is only proved to be sent from. */
export const mailboxAt = (mailboxes: readonly ReadMailbox[], to: string): ReadMailbox | undefined =>
  mailboxes.find(({ address }) => addressKey(address) === addressKey(to));

/** The sender of a mail, and its mailbox, if it leaves by one. */
export interface MailboxSender {
  readonly mailbox_id: number | null;
  readonly email: string;
}

/**
 * Returns the mailbox that takes refusals of a sender's mails if their profile names no address for them. Without a
 * mailbox of the sender, only one of the same address: the mails name it, and members prove further addresses by
 * servers of their own.
 */
export const mailboxOfSender = (
  mailboxes: readonly ReadMailbox[],
  { mailbox_id, email }: MailboxSender,
): ReadMailbox | undefined =>
  mailbox_id === null ? mailboxAt(mailboxes, email) : mailboxes.find(({ id }) => id === mailbox_id);

/** Records that a run's mails name these mailboxes for refusals: their reading can no longer be switched off. */
export async function relyOnMailboxes(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    UPDATE mailbox SET takes_refusals = true
    WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[]) AND NOT takes_refusals`.execute(tx);
}
