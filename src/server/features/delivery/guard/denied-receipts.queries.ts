import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/db.ts';
import { shareAccount } from '../../../platform/database/lock-account.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import { addressKeyOf, sendToOf } from '../../attack-list/chosen-address.queries.ts';
import { insertContacts } from '../results/contact.queries.ts';
import { type ComparedReceipt, isReceiptsAddress, laterErasure, receiptRows } from './erased-receipts.queries.ts';

/**
 * Selects receipts that the database denies, for a CTE.
 * The database shows neither a receipt's mail as begun nor its address as contacted, and so permits another mail.
 *
 * - Not denied: a mail at that claim or a later one that is marked or finished; its mark was committed before its body
 *   left. Nor a bounced mail that is queued again: its address has a contact since the mail was accepted.
 * - Not denied: a mail whose address was erased after its claim. The contact is gone, and the mail may be cancelled, or
 *   of another address by now.
 * - A mail of a run that was accepted after the database's older state has no row. Only its address's contact decides.
 * - A receipt with a hash and without its erasure: its row decides; without a row the contact of the address of its
 *   company, or of one of its people, where that is the one of the hash.
 * - A receipt of an account that has moved is ignored: nothing of it leaves here, and its rows may be deleted.
 * - A receipt is ignored if its group is missing, or younger than the receipt (the id was used again).
 */
const denied = (receipts: readonly ComparedReceipt[]): RawBuilder<unknown> => sql`
  SELECT receipt.account_id, receipt.id, receipt.claim_no, receipt.attempts, receipt.reply, receipt.sender_group_id,
    receipt.prospect_id, known.address_key, to_timestamp(receipt.at / 1000) AS taken_at,
    to_timestamp(receipt.claimed_at / 1000) AS claimed_at, d.id IS NOT NULL AS has_row
  FROM ${receiptRows(receipts)}
  JOIN sender_group g ON g.account_id = receipt.account_id AND g.id = receipt.sender_group_id
    AND g.created_at < to_timestamp(receipt.at / 1000) + interval '1 minute'
  LEFT JOIN delivery d ON d.account_id = receipt.account_id AND d.id = receipt.id AND d.message_id = receipt.message_id
  CROSS JOIN LATERAL (
    SELECT coalesce(receipt.address_key, CASE WHEN d.id IS NULL THEN (
      SELECT p.email_search COLLATE "C" FROM prospect p
      WHERE p.account_id = receipt.account_id AND p.id = receipt.prospect_id AND ${isReceiptsAddress('p.email_search')}
      UNION SELECT person.email_search FROM person
      WHERE person.account_id = receipt.account_id AND person.prospect_id = receipt.prospect_id
        AND ${isReceiptsAddress('person.email_search')}
    ) END) COLLATE "C" AS address_key
  ) AS known
  WHERE account.moved_to IS NULL
    AND (d.claim_no >= receipt.claim_no
      AND (d.state IN ('sending', 'sent', 'unknown', 'failed') OR d.maybe_sent)) IS NOT TRUE
    AND (known.address_key IS NOT NULL OR d.id IS NOT NULL)
    AND NOT EXISTS (
      SELECT FROM address_contact c
      WHERE c.account_id = receipt.account_id AND c.address_key = known.address_key
        AND c.sender_group_id = receipt.sender_group_id
        AND c.last_sent_at >= coalesce(d.created_at, to_timestamp(receipt.at / 1000) - interval '1 minute'))
    AND NOT EXISTS (SELECT FROM ${laterErasure})`;

/** Counts the receipts that the database denies. */
export async function countDenied(db: Db, receipts: readonly ComparedReceipt[]): Promise<number> {
  if (receipts.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    WITH denied AS (${denied(receipts)}) SELECT count(*)::integer AS count FROM denied`.execute(db);
  return onlyRow(rows).count;
}

/**
 * Sets mails of denied receipts to `sent`, and their companies and addresses to contacted at the receipt's time.
 * A worker that holds such a mail loses its claim. Companies of mails without a row are removed from reservations.
 * @returns sent: mails set to `sent`; contacted: mails without a row, of which only the contact was written
 */
export async function writeDenied(
  tx: Tx,
  receipts: readonly ComparedReceipt[],
): Promise<{ sent: number; contacted: number; taken: number }> {
  if (receipts.length === 0) return { sent: 0, contacted: 0, taken: 0 };
  // Waits for a running erasure, so that nothing erased is written back.
  const accountIds = new Set(receipts.map(({ accountId }) => accountId));
  for (const accountId of [...accountIds].toSorted((a, b) => a - b)) await shareAccount(tx, accountId);
  const taken = await takeFromReservations(tx, sql`SELECT * FROM (${denied(receipts)}) AS denied WHERE NOT has_row`);
  const { rows } = await sql<{ sent: number; contacted: number }>`
    WITH denied AS MATERIALIZED (${denied(receipts)}
    ), ours AS (
      -- Locked by id, as in every statement that locks several deliveries.
      SELECT d.account_id, d.id FROM delivery d JOIN denied ON denied.account_id = d.account_id AND denied.id = d.id
      WHERE denied.has_row
      ORDER BY d.account_id, d.id FOR UPDATE OF d
    ), sent AS (
      UPDATE delivery d
      SET state = 'sent', claim_no = greatest(d.claim_no, denied.claim_no), attempts = denied.attempts + 1,
        smtp_reply = nullif(denied.reply, ''), reason = NULL, lease_until = NULL, worker_id = NULL,
        not_before = CASE WHEN d.not_before = 'infinity' THEN now() ELSE d.not_before END,
        finished_at = greatest(denied.taken_at, d.created_at)
      FROM denied JOIN ours ON ours.account_id = denied.account_id AND ours.id = denied.id
      WHERE d.account_id = ours.account_id AND d.id = ours.id
      RETURNING d.id
    ), companies AS (
      SELECT denied.account_id, denied.sender_group_id, p.id AS prospect_id, denied.address_key,
        denied.taken_at AS finished_at
      FROM denied LEFT JOIN prospect p ON p.account_id = denied.account_id AND p.id = denied.prospect_id
        AND (denied.has_row OR p.email_search COLLATE "C" = denied.address_key OR EXISTS (
          SELECT FROM person WHERE person.account_id = p.account_id AND person.prospect_id = p.id
            AND person.email_search = denied.address_key))
    ), contacts AS (${insertContacts(sql`companies WHERE prospect_id IS NOT NULL`)}
    ), addresses AS (
      INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
      -- Without an address: the mail's row has it, and its trigger does the same.
      SELECT account_id, sender_group_id, address_key, max(finished_at) FROM companies WHERE address_key IS NOT NULL
      GROUP BY 1, 2, 3 ORDER BY 1, 3, 2
      ON CONFLICT (account_id, address_key, sender_group_id)
        DO UPDATE SET last_sent_at = greatest(known.last_sent_at, excluded.last_sent_at)
    ), shared AS (
      SELECT share_addresses(array_agg(account_id), array_agg(coalesce(prospect_id, 0)),
        array_agg(address_key))
      FROM companies WHERE address_key IS NOT NULL
    )
    SELECT (SELECT count(*)::integer FROM sent) AS sent, count(*) FILTER (WHERE NOT has_row)::integer AS contacted
    FROM denied LEFT JOIN shared ON true`.execute(tx);
  return { ...onlyRow(rows), taken };
}

/**
 * Removes mailed companies from the reservations of their group.
 * A database that was set back does not show that such a reservation had started. A re-send interval of 0 would then
 * permit a second mail. The reservation's history has the number of removed companies. A reservation without any left
 * is deleted.
 *
 * Companies match by id and by address: of several with one address only one was mailed. Test mails may repeat.
 * @param mailed selects account_id, sender_group_id, prospect_id, address_key (NULL: unknown) and claimed_at of mails
 * without a row: their runs were accepted after the database's state
 * @returns how many companies were removed
 */
export async function takeFromReservations(tx: Tx, mailed: RawBuilder<unknown>): Promise<number> {
  // The lock that changes and starts of a reservation take.
  await sql`
    SELECT FROM sender_group
    WHERE (account_id, id) IN (SELECT mailed.account_id, mailed.sender_group_id FROM (${mailed}) AS mailed)
    ORDER BY account_id, id FOR NO KEY UPDATE`.execute(tx);
  const { rows } = await sql<{ taken: number }>`
    WITH mailed AS MATERIALIZED (${mailed}
    ), open AS MATERIALIZED (
      SELECT account_id, id, sender_group_id, created_at, send_to FROM reservation
      WHERE active AND NOT is_sent AND NOT test_send_mode
        AND (account_id, sender_group_id) IN (SELECT account_id, sender_group_id FROM mailed)
      ORDER BY account_id, id FOR NO KEY UPDATE
    ), reserved AS MATERIALIZED (
      SELECT open.*, target.prospect_id, ${addressKeyOf(sendToOf('open'))} AS address_key,
        prospect.created_at AS company_since
      FROM open
      JOIN reservation_target AS target ON target.account_id = open.account_id AND target.reservation_id = open.id
      JOIN prospect ON prospect.account_id = target.account_id AND prospect.id = target.prospect_id
    ), gone AS (
      -- Ids may be given again.
      SELECT account_id, reserved.id, prospect_id FROM reserved
      JOIN mailed USING (account_id, sender_group_id, prospect_id)
      WHERE created_at < claimed_at AND company_since < claimed_at
      UNION
      SELECT account_id, reserved.id, reserved.prospect_id FROM reserved
      JOIN mailed USING (account_id, sender_group_id, address_key) WHERE created_at < claimed_at
    ), counted AS MATERIALIZED (
      SELECT account_id, id, count(*)::integer AS companies, count(*) = (SELECT count(*) FROM reserved
        WHERE reserved.account_id = gone.account_id AND reserved.id = gone.id) AS is_whole
      FROM gone GROUP BY account_id, id
    ), taken AS (
      DELETE FROM reservation_target AS target USING gone JOIN counted USING (account_id, id)
      WHERE target.account_id = gone.account_id AND target.reservation_id = gone.id
        AND target.prospect_id = gone.prospect_id AND NOT counted.is_whole
    ), freed AS (
      UPDATE reservation_target AS target SET pending = false FROM counted
      WHERE target.account_id = counted.account_id AND target.reservation_id = counted.id AND counted.is_whole
    ), changed AS (
      UPDATE reservation
      SET version = version + 1, changed_at = now(), changed_by = NULL, active = NOT counted.is_whole
      FROM counted WHERE reservation.account_id = counted.account_id AND reservation.id = counted.id
    ), told AS (
      INSERT INTO audit_event (account_id, kind, detail)
      SELECT account_id, CASE WHEN is_whole THEN 'reservation_deleted' ELSE 'reservation_changed' END,
        jsonb_build_object('reservation_id', id) || CASE WHEN is_whole THEN '{}' ELSE jsonb_build_object('targets', 0,
          'is_test', false, 'changes', jsonb_build_object('removed', companies)) END
      FROM counted
    )
    SELECT coalesce(sum(companies), 0)::integer AS taken FROM counted`.execute(tx);
  return onlyRow(rows).taken;
}
