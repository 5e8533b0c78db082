import { type RawBuilder, sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { recallMails } from '../delivery/after-sending/recall.queries.ts';
import type { MailRef } from './inbox-mail.ts';

/** Which of our mails it is. */
export interface MatchedKey {
  readonly accountId: number;
  readonly deliveryId: number;
}

/**
 * Finds the mail that one of the references names, of any account.
 * @param db of the role kaitaku_service
 */
export async function findMatched(db: Db, refs: readonly MailRef[]): Promise<MatchedKey | null> {
  const { rows } = await namedMails(refs).execute(db);
  return rows[0] ?? null;
}

/** The mails that references name. Keys come first: a Message-ID travels in threads. */
export function namedMails(refs: readonly MailRef[]): RawBuilder<MatchedKey> {
  const keys = refs.flatMap((ref) => ('key' in ref ? [ref.key] : []));
  const uuids = refs.flatMap((ref) => ('uuid' in ref ? [ref.uuid] : []));
  const ofUuid = sql`
      SELECT account_id, id, 1000 + array_position(${uuids}::text[], substring(message_id, 2, 36))
      FROM delivery WHERE substring(message_id, 2, 36) = ANY (${uuids}::text[])`;
  return sql`
    SELECT account_id AS "accountId", id AS "deliveryId" FROM (
      SELECT account_id, id, array_position(${keys}::uuid[], mail_key) AS place
      FROM delivery WHERE mail_key = ANY (${keys}::uuid[])
      -- Literally the condition of delivery_message_idx.
      UNION ALL ${ofUuid} AND state IN ('sent', 'unknown', 'failed')
      -- A robot may answer before the worker has recorded the result. Few mails have a lease.
      UNION ALL ${ofUuid} AND state = 'sending' AND lease_until IS NOT NULL
      -- Of accounts that were deleted here after they had moved.
      UNION ALL
      SELECT account_id, delivery_id, array_position(${keys}::uuid[], mail_key)
      FROM moved_mail WHERE mail_key = ANY (${keys}::uuid[])
      UNION ALL
      SELECT account_id, delivery_id, 1000 + array_position(${uuids}::uuid[], message_uuid)
      FROM moved_mail WHERE message_uuid = ANY (${uuids}::uuid[])
    ) AS found
    ORDER BY place
    LIMIT 1`;
}

/** What the inbox needs of one of our mails. */
export interface MatchedMail {
  readonly sendLogId: number;
  readonly prospectId: number;
  readonly isTest: boolean;
  /** In the form of addressKey. */
  readonly address: string;
  /** The addresses of the sender's own side, in the form of addressKey: sender, answers, copies. */
  readonly ownAddresses: readonly string[];
}

/**
 * Reads a mail of the account.
 * @param locks recalls whom a blanked mail went to, and keeps an erasure waiting until the end of the transaction
 * @returns null for one that went to nobody, whose person was erased, or that is blanked
 */
export async function readMatched(
  tx: Tx,
  { accountId, deliveryId }: MatchedKey,
  { locks = false } = {},
): Promise<MatchedMail | null> {
  if (locks) await recallMails(tx, accountId, [deliveryId]);
  const { rows } = await sql<
    Omit<MatchedMail, 'ownAddresses'> & {
      readonly address: string | null;
      readonly sender: { readonly email: string; readonly reply_to: string | null; readonly bcc: readonly string[] };
    }
  >`
    SELECT d.send_log_id AS "sendLogId", d.prospect_id AS "prospectId", d.test_send_mode AS "isTest",
      d.address_key AS address, log.mail -> 'sender' AS sender
    FROM delivery d
    JOIN send_log log ON log.account_id = d.account_id AND log.id = d.send_log_id
    WHERE d.account_id = ${accountId} AND d.id = ${deliveryId} ${locks ? sql`FOR KEY SHARE OF d` : sql``}`.execute(tx);
  const [row] = rows;
  if (!row || row.address === null) return null;
  const { sender, address, ...mail } = row;
  const own = [sender.email, sender.reply_to, ...sender.bcc];
  return { ...mail, address, ownAddresses: own.flatMap((one) => (one ? [addressKey(one)] : [])) };
}
