import { type SqlBool, sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import type { MergeValues } from '../mail-content/merge-keys.ts';
import { type RunMail, renderSubject, TemplateFault } from '../mail-content/run-mail.ts';

/* Which mails in a mailbox may be about the account's own ones. */

/** Returns those of the local parts that are of Message-IDs of the account's mails. */
export async function ownUuids(tx: Tx, accountId: number, uuids: readonly string[]): Promise<ReadonlySet<string>> {
  if (uuids.length === 0) return new Set();
  const { rows } = await sql<{ uuid: string }>`
    SELECT substring(message_id, 2, 36) AS uuid FROM delivery
    WHERE substring(message_id, 2, 36) = ANY (${uuids}::text[]) AND account_id = ${accountId}
      -- Literally the condition of delivery_message_idx.
      AND state IN ('sent', 'unknown', 'failed')
    UNION ALL
    -- A robot may answer before the worker has recorded the result. Few mails have a lease.
    SELECT substring(message_id, 2, 36) FROM delivery
    WHERE substring(message_id, 2, 36) = ANY (${uuids}::text[]) AND account_id = ${accountId}
      AND state = 'sending' AND lease_until IS NOT NULL
    UNION ALL
    SELECT message_uuid::text FROM moved_mail
    WHERE message_uuid = ANY (${uuids}::uuid[]) AND account_id = ${accountId}`.execute(tx);
  return new Set(rows.map(({ uuid }) => uuid));
}

/** Returns the addresses of the account's own side, in the form of addressKey: their mails are no answers. */
export async function ownAddresses(tx: Tx, accountId: number): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ address: string }>`
    SELECT lower(address COLLATE "C") AS address FROM mailbox WHERE account_id = ${accountId}
    UNION SELECT unnest(other_from) FROM mailbox WHERE account_id = ${accountId}
    UNION SELECT lower(email COLLATE "C") FROM sender_profile WHERE account_id = ${accountId}
    UNION SELECT lower(email COLLATE "C") FROM member WHERE account_id = ${accountId}`.execute(tx);
  return new Set(rows.map(({ address }) => address));
}

/** Answers that name no mail of ours are read for so long after it. */
const ANSWER_DAYS = 30;
/** Of one address. */
const MAILS_MAX = 5;

/** The text of delivery_open_address_key's condition. All other mails are in delivery_address_idx. */
const IS_OPEN = sql<SqlBool>`(state IN ('queued', 'claimed', 'sending', 'unknown') AND NOT test_send_mode
  AND NOT shares_address)`;

/** The mails to some addresses that a server has received. */
const mailsTo = (accountId: number, addresses: readonly string[]) => sql`
  SELECT * FROM delivery
  WHERE account_id = ${accountId} AND address_key = ANY (${addresses}::text[]) AND ${IS_OPEN}
    AND state = 'unknown' AND finished_at > now() - make_interval(days => ${sql.lit(ANSWER_DAYS)})
  UNION ALL
  SELECT * FROM delivery
  WHERE account_id = ${accountId} AND address_key = ANY (${addresses}::text[]) AND NOT ${IS_OPEN}
    AND state IN ('sent', 'unknown', 'failed') AND NOT test_send_mode
    AND finished_at > now() - make_interval(days => ${sql.lit(ANSWER_DAYS)})`;

/** The condition that answers to a mail reach a mailbox. @param keys of the mailbox's addresses */
const reaches = (keys: readonly string[]) => sql`
  lower(coalesce(log.mail -> 'sender' ->> 'reply_to', log.mail -> 'sender' ->> 'email') COLLATE "C")
    = ANY (${keys}::text[])`;

/** Returns those of the addresses to which mails went lately whose answers reach the mailbox. */
export async function mailedAddresses(
  tx: Tx,
  accountId: number,
  keys: readonly string[],
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const { rows } = await sql<{ address: string }>`
    SELECT DISTINCT d.address_key AS address FROM (${mailsTo(accountId, addresses)}) AS d
    JOIN send_log log ON log.account_id = d.account_id AND log.id = d.send_log_id
    WHERE ${reaches(keys)}`.execute(tx);
  return new Set(rows.map(({ address }) => address));
}

/** A mail of ours that an answer without references may be about. */
export interface MailedMail {
  readonly deliveryId: number;
  readonly key: string;
  /** Of its thread's first mail. */
  readonly subject: string;
}

interface MailOfThread {
  readonly id: number;
  readonly mailKey: string;
  readonly mail: RunMail;
  readonly company: string;
  readonly person: string;
  readonly mergeValues: MergeValues | null;
}

/** Returns the latest such mails to an address, the latest first. @param address in the form of addressKey */
export async function latestMailsTo(
  tx: Tx,
  accountId: number,
  keys: readonly string[],
  address: string,
): Promise<MailedMail[]> {
  const { rows } = await sql<MailOfThread>`
    SELECT d.id, d.mail_key AS "mailKey", first_log.mail, first.company_name AS company,
      first.person_in_charge AS person, first.merge_values AS "mergeValues"
    FROM (${mailsTo(accountId, [address])}) AS d
    JOIN send_log log ON log.account_id = d.account_id AND log.id = d.send_log_id
    JOIN delivery AS first ON first.account_id = d.account_id AND first.id = coalesce(d.follows_id, d.id)
    JOIN send_log AS first_log ON first_log.account_id = first.account_id AND first_log.id = first.send_log_id
    WHERE ${reaches(keys)}
    ORDER BY d.finished_at DESC, d.id DESC
    LIMIT ${MAILS_MAX}`.execute(tx);
  return rows.map(({ id, mailKey, mail, company, person, mergeValues }) => ({
    deliveryId: id,
    key: mailKey.replaceAll('-', ''),
    subject: subjectOf(mail, { company_name: company, person_in_charge: person, merge_values: mergeValues }),
  }));
}

/** A mail that was sent has a subject; its template may meanwhile fail a rule of a newer version. */
function subjectOf(mail: RunMail, target: Parameters<typeof renderSubject>[1]): string {
  try {
    return renderSubject(mail, target);
  } catch (error) {
    if (error instanceof TemplateFault) return '';
    throw error;
  }
}
