import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import type { UnknownMail } from '../leases/claim.ts';
import { insertContacts } from '../results/contact.queries.ts';
import { takeFromReservations } from './denied-receipts.queries.ts';

/**
 * Selects unknown mails of this machine that the database does not show as begun, for a CTE. A sound database shows
 * each: its mark was committed before.
 *
 * - A row that waits (`is_open`) at an earlier claim, or at that claim. Not the latter where the mail was queued again
 *   since: by a person (`maybe_sent`, `requeued_at`), or by its late worker, with the try counted (`attempts`) or not
 *   (`requeued_at`, see journal.queries.ts).
 * - A row that has ended at an earlier claim, and a missing row, where the company was not contacted since.
 * - Accounts that have moved, groups and companies that are missing, or younger than the claim: as with receipts.
 */
const denied = (mails: readonly UnknownMail[]): RawBuilder<unknown> => {
  const column = (name: keyof UnknownMail) => mails.map((mail) => mail[name]);
  return sql`
    SELECT mail.*, nullif(p.email_search, '') COLLATE "C" AS address_key, p.person_email_search AS person_key,
      d.id IS NOT NULL AS has_row,
      d.id IS NOT NULL AND d.state IN ('queued', 'claimed') AS is_open
    FROM (SELECT *, to_timestamp(ms / 1000) AS claimed_at
      FROM unnest(${column('accountId')}::bigint[], ${column('id')}::bigint[], ${column('claimNo')}::integer[],
        ${column('messageId')}::text[], ${column('attempts')}::integer[], ${column('claimedAt')}::double precision[],
        ${column('senderGroupId')}::bigint[], ${column('prospectId')}::bigint[])
        AS given (account_id, id, claim_no, message_id, attempts, ms, sender_group_id, prospect_id)) AS mail
    JOIN account ON account.id = mail.account_id AND account.moved_to IS NULL
    JOIN sender_group AS g ON g.account_id = mail.account_id AND g.id = mail.sender_group_id
      AND g.created_at < mail.claimed_at
    JOIN prospect AS p ON p.account_id = mail.account_id AND p.id = mail.prospect_id AND p.created_at < mail.claimed_at
    LEFT JOIN delivery AS d ON d.account_id = mail.account_id AND d.id = mail.id AND d.message_id = mail.message_id
    WHERE CASE WHEN d.state IN ('queued', 'claimed')
      THEN d.claim_no < mail.claim_no OR d.claim_no = mail.claim_no AND NOT d.maybe_sent
        AND d.attempts <= mail.attempts AND (d.requeued_at > mail.claimed_at) IS NOT TRUE
      ELSE (d.claim_no >= mail.claim_no) IS NOT TRUE AND NOT EXISTS (
        SELECT FROM contact_state AS c
        WHERE c.account_id = mail.account_id AND c.sender_group_id = mail.sender_group_id
          AND c.prospect_id = mail.prospect_id AND c.last_sent_at >= mail.claimed_at) END`;
};

/** Counts the unknown mails that the database does not show as begun. */
export async function countDeniedUnknown(db: Db, mails: readonly UnknownMail[]): Promise<number> {
  if (mails.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    WITH denied AS (${denied(mails)}) SELECT count(*)::integer AS count FROM denied`.execute(db);
  return onlyRow(rows).count;
}

/**
 * Sets denied mails that wait to unknown, and their companies to contacted at the time of the claims.
 * A worker that holds such a mail loses its claim. Companies of mails without a row are removed from reservations.
 * @returns unknown: mails set to unknown; contacted: others, of which only the contact was written
 */
export async function writeDeniedUnknown(
  tx: Tx,
  mails: readonly UnknownMail[],
): Promise<{ unknown: number; contacted: number; taken: number }> {
  if (mails.length === 0) return { unknown: 0, contacted: 0, taken: 0 };
  // Without its row nobody knows to which address of its company a mail went.
  const mailed = sql`
    SELECT account_id, sender_group_id, prospect_id, claimed_at, either.address_key
    FROM (${denied(mails)}) AS denied
    CROSS JOIN LATERAL (SELECT denied.address_key UNION SELECT person_key) AS either (address_key)
    WHERE NOT has_row`;
  const taken = await takeFromReservations(tx, mailed);
  const { rows } = await sql<{ unknown: number; contacted: number }>`
    WITH denied AS MATERIALIZED (${denied(mails)}
    ), ours AS (
      -- Locked by id, as in every statement that locks several deliveries.
      SELECT d.account_id, d.id FROM delivery d
      WHERE (d.account_id, d.id) IN (SELECT account_id, id FROM denied WHERE is_open)
        AND d.state IN ('queued', 'claimed')
      ORDER BY d.account_id, d.id FOR UPDATE
    ), last AS (
      SELECT DISTINCT ON (account_id, id) * FROM denied WHERE is_open ORDER BY account_id, id, claim_no DESC
    ), doubted AS (
      UPDATE delivery d
      SET state = 'unknown', claim_no = greatest(d.claim_no, last.claim_no), attempts = last.attempts + 1,
        smtp_reply = '送信したかどうか分かりません', reason = NULL, put_off = NULL, lease_until = NULL,
        worker_id = NULL, not_before = CASE WHEN d.not_before = 'infinity' THEN now() ELSE d.not_before END,
        finished_at = greatest(last.claimed_at, d.created_at)
      FROM ours JOIN last ON last.account_id = ours.account_id AND last.id = ours.id
      WHERE d.account_id = ours.account_id AND d.id = ours.id
      RETURNING d.id
    ), contacts AS (${insertContacts(sql`(SELECT *, claimed_at AS finished_at FROM denied) AS contact`)}
    )
    SELECT (SELECT count(*)::integer FROM doubted) AS unknown,
      count(*) FILTER (WHERE NOT is_open)::integer AS contacted FROM denied`.execute(tx);
  return { ...onlyRow(rows), taken };
}
