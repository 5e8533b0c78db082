import { type RawBuilder, sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import { type BounceClass, SOFT_BOUNCE_DAYS, SOFT_BOUNCES_MAX } from '#domain/mail/bounce-class.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { recallMails } from '../delivery/after-sending/recall.queries.ts';
import type { MailRef } from './inbox-mail.ts';

/* Which of our mails a mail of the inbox is about, and what is stored of its bounces. */

/** The key of one of our mails. */
export interface MatchedKey {
  readonly accountId: number;
  readonly deliveryId: number;
}

/**
 * Finds the mail that one of the references names.
 * @param db of the role kaitaku_service
 * @param accountId whose mails alone count; absent: of all accounts
 */
export async function findMatched(db: Db, refs: readonly MailRef[], accountId?: number): Promise<MatchedKey | null> {
  if (refs.length === 0) return null;
  const { rows } = await namedMails(refs, accountId).execute(db);
  return rows[0] ?? null;
}

/** Selects the mails that references name. Keys take precedence, because replies in a thread repeat Message-IDs. */
export function namedMails(refs: readonly MailRef[], accountId?: number): RawBuilder<MatchedKey> {
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
    ${accountId === undefined ? sql`` : sql`WHERE account_id = ${accountId}`}
    ORDER BY place
    LIMIT 1`;
}

/** The fields of our mail that the inbox needs. */
export interface MatchedMail {
  readonly sendLogId: number;
  readonly prospectId: number;
  readonly isTest: boolean;
  /** In the form of addressKey. */
  readonly address: string;
  /** The sender's own addresses, in the form of addressKey: sender, reply-to, copies. */
  readonly ownAddresses: readonly string[];
}

/**
 * Reads a mail of the account.
 * @param locks restores a blanked recipient, and blocks an erasure until the end of the transaction
 * @returns null if the mail has no recipient, was blanked, or its person was erased
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

interface NewBounce {
  readonly class: BounceClass;
  readonly status: string | null;
  readonly reply: string;
  readonly isForwarded: boolean;
  /** Of the mail that reports the bounce. */
  readonly hash: Buffer;
}

/** The most reports about one mail, which is sent only a few times. Further ones are forged. */
const REPORTS_MAX = 20;

/**
 * Stores a bounce, and replaces an older one of its class, from an earlier attempt.
 * @returns `known` if the same mail has reported it before
 */
export async function storeBounce(
  tx: Tx,
  { accountId, deliveryId }: MatchedKey,
  { sendLogId }: MatchedMail,
  { class: bounceClass, status, reply, isForwarded, hash }: NewBounce,
): Promise<'first' | 'again' | 'known'> {
  const told = { status, reply, is_forwarded: isForwarded };
  const stored = await tx
    .insertInto('bounce')
    .values({
      account_id: accountId,
      delivery_id: deliveryId,
      class: bounceClass,
      send_log_id: sendLogId,
      message_hashes: [hash],
      ...told,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'delivery_id', 'class'])
        .doUpdateSet({
          ...told,
          at: sql<Date>`now()`,
          message_hashes: sql<Buffer[]>`bounce.message_hashes || ${hash}::bytea`,
        })
        .where(sql<boolean>`${hash} <> ALL (bounce.message_hashes)`)
        .where(sql<boolean>`cardinality(bounce.message_hashes) < ${REPORTS_MAX}`),
    )
    .returning(sql<boolean>`cardinality(message_hashes) = 1`.as('isFirst'))
    .executeTakeFirst();
  if (!stored) return 'known';
  return stored.isFirst ? 'first' : 'again';
}

/**
 * Checks whether the last mails to an address, each of another run, all bounced as soft or filtered.
 * A mail sent again without another bounce has arrived.
 */
export async function hasFailedSoftly(
  tx: Tx,
  accountId: number,
  { prospectId, address }: Pick<MatchedMail, 'prospectId' | 'address'>,
): Promise<boolean> {
  const { rows } = await sql<{ soft: number }>`
    SELECT count(*) FILTER (WHERE state = 'failed' AND classes && ARRAY['soft', 'filtered'])::integer AS soft FROM (
      SELECT d.state, bounced.classes FROM delivery d
      CROSS JOIN LATERAL (
        SELECT array_agg(class) AS classes FROM bounce
        WHERE account_id = d.account_id AND delivery_id = d.id AND NOT is_forwarded
      ) AS bounced
      WHERE d.account_id = ${accountId} AND d.prospect_id = ${prospectId} AND d.address_key = ${address}
        AND NOT d.test_send_mode AND d.finished_at > now() - make_interval(days => ${SOFT_BOUNCE_DAYS})
        -- A mail that no server accepted says nothing about the mailbox.
        AND (d.state IN ('sent', 'unknown') OR bounced.classes IS NOT NULL)
      ORDER BY d.finished_at DESC, d.id DESC
      LIMIT ${SOFT_BOUNCES_MAX}
    ) AS latest`.execute(tx);
  return (rows[0]?.soft ?? 0) >= SOFT_BOUNCES_MAX;
}

export interface PolicyCount {
  readonly bounces: number;
  readonly targets: number;
  readonly hasUnsent: boolean;
}

/** Counts a run's bounces by policy. */
export async function countPolicyBounces(tx: Tx, accountId: number, sendLogId: number): Promise<PolicyCount | null> {
  const { rows } = await sql<PolicyCount>`
    SELECT l.targets,
      (SELECT count(*)::integer FROM bounce
        WHERE account_id = l.account_id AND send_log_id = l.id AND class = 'policy') AS bounces,
      EXISTS (SELECT FROM delivery
        WHERE account_id = l.account_id AND send_log_id = l.id AND state IN ('queued', 'claimed')) AS "hasUnsent"
    FROM send_log l WHERE l.account_id = ${accountId} AND l.id = ${sendLogId}`.execute(tx);
  return rows[0] ?? null;
}
