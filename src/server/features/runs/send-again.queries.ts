import { type Expression, type SqlBool, sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import { type BlockReason, resendCutoff } from '#domain/sending/eligibility.ts';
import { type Tx, violatedKey } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import {
  type ChosenPerson,
  chosenPerson,
  chosenPersonId,
  mailAddress,
  readerOf,
  withReader,
} from '../attack-list/chosen-address.queries.ts';
import { blockReason } from '../attack-list/eligibility-rules.queries.ts';
import { claimableFrom, type LockedRun, type RunKey } from '../delivery/queue/run-rows.queries.ts';
import { endRejections } from '../delivery/results/rejection.queries.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { isSuppressed } from '../suppressions/suppression.queries.ts';

/** Finds the run of a mail. */
export async function findRunOf(tx: Tx, accountId: number, deliveryId: number): Promise<RunKey | null> {
  const { rows } = await sql<RunKey>`
    SELECT account_id AS "accountId", send_log_id AS id FROM delivery
    WHERE account_id = ${accountId} AND id = ${deliveryId}`.execute(tx);
  return rows[0] ?? null;
}

/** A mail of a run with the check whether it may be sent again. */
export interface CheckedMail {
  readonly id: number;
  readonly prospect_id: number;
  /** The prospect's chosen address as of now, or the test address. */
  readonly mail_to: string;
  /** The person to mail; null: the company. */
  readonly person: ChosenPerson | null;
  readonly ceo: string | null;
  /** The mail was to another person, or to the company instead. */
  readonly has_new_reader: boolean;
  /** Why the prospect may not be mailed now; null: it may be. */
  readonly reason: BlockReason | 'blanked' | 'duplicate' | null;
}

/**
 * Locks the mails of a locked run that meet a condition, and checks whether each may be mailed now.
 * A mail is a duplicate if another mail of the run, not failed or cancelled, has the prospect's current address. Test
 * mails are not checked.
 * @param condition on a row `d` of `delivery`
 */
export async function checkEligibility(
  tx: Tx,
  { accountId, id }: RunKey,
  run: LockedRun,
  now: number,
  condition: Expression<SqlBool>,
): Promise<CheckedMail[]> {
  const cutoff = new Date(resendCutoff(now, run.days_from_lastday));
  const acrossGroups = (await readAccountRule(tx, accountId)).across_groups === 1;
  // The mail's own rejection is the reason for sending it again, so it does not count.
  const exceptRejectionOf = sql<number>`d.id`;
  const scope = {
    accountId,
    senderGroupId: run.sender_group_id,
    sendTo: run.send_to,
    cutoff,
    exceptSendLogId: id,
    exceptRejectionOf,
    // An unknown mail itself makes its company count as contacted.
    exceptOwnContactIf: sql<SqlBool>`d.state = 'unknown'`,
    acrossGroups,
  };
  const isAnother = sql`d.person_id IS DISTINCT FROM ${chosenPersonId(run.send_to)}`;
  // A mail that may have arrived never changes its person.
  const keepsReader = sql`(d.maybe_sent OR d.state = 'unknown') AND ${isAnother}`;
  const present = sql`CASE WHEN NOT (${keepsReader}) THEN ${mailAddress(run.send_to)} END`;
  const address = run.test_send_mode ? sql`d.mail_to` : sql`coalesce(${present}, d.mail_to)`;
  const hasNewReader = run.test_send_mode ? sql`false` : sql`${isAnother} AND NOT (${keepsReader})`;
  const isTaken = sql`EXISTS (
    SELECT FROM delivery other
    WHERE other.account_id = d.account_id AND other.send_log_id = d.send_log_id AND other.id <> d.id
      AND other.state NOT IN ('failed', 'cancelled') AND other.address_key = lower(${address} COLLATE "C"))`;
  const isRefused = sql`${keepsReader} AND ${isSuppressed(accountId, sql<string>`d.address_key COLLATE "default"`)}`;
  const ofReal = sql`coalesce(${blockReason(scope)},
    CASE WHEN ${isRefused} THEN 'suppressed' WHEN ${isTaken} THEN 'duplicate' END)`;
  const ofAny = run.test_send_mode ? sql`NULL` : ofReal;
  // A mail that is blanked or whose person was erased has no address, even if its company has one.
  const reason = sql`CASE WHEN d.blanked_at IS NOT NULL THEN 'blanked' WHEN d.erased_hash IS NULL THEN ${ofAny}
    WHEN prospect.archived_at IS NULL THEN 'no_email' ELSE 'archived' END`;
  const { rows } = await sql<CheckedMail>`
    SELECT d.id, d.prospect_id, ${address} AS mail_to, ${reason} AS reason, ${hasNewReader} AS has_new_reader,
      ${chosenPerson(run.send_to)} AS person, prospect.ceo
    FROM delivery d
    JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
    WHERE d.account_id = ${accountId} AND d.send_log_id = ${id} AND ${condition}
    ORDER BY d.id
    FOR UPDATE OF d`.execute(tx);
  return run.test_send_mode ? rows : dedupeByAddress(rows);
}

/** Keeps the first of several eligible mails with the same address; the others become duplicates. */
function dedupeByAddress(mails: readonly CheckedMail[]): CheckedMail[] {
  const taken = new Set<string>();
  return mails.map((mail) => {
    if (mail.reason !== null) return mail;
    const address = addressKey(mail.mail_to);
    if (taken.has(address)) return { ...mail, reason: 'duplicate' };
    taken.add(address);
    return mail;
  });
}

/**
 * Queues mails again. A failed mail restarts with no attempts counted; an unknown mail keeps its count.
 * @returns null if all were queued; 409 if another run has taken one of the prospects or addresses
 */
export async function requeue(
  tx: Tx,
  { accountId }: RunKey,
  run: LockedRun,
  mails: readonly CheckedMail[],
): Promise<Problem | null> {
  try {
    await recordAddresses(tx, accountId, mails);
    await endRejections(
      tx,
      accountId,
      mails.map((mail) => mail.id),
    );
    await sql`
      UPDATE delivery d
      SET state = 'queued', reason = NULL, put_off = NULL, mail_to = again.mail_to,
        ${withReader(sql`again.reader`)}, not_before = ${claimableFrom(run)},
        finished_at = NULL, attempts = CASE WHEN d.state = 'unknown' THEN d.attempts ELSE 0 END,
        maybe_sent = d.maybe_sent OR d.state = 'unknown', requeued_at = now()
      FROM unnest(${mails.map(({ id }) => id)}::bigint[], ${mails.map(({ mail_to }) => mail_to)}::text[],
        ${mails.map(({ has_new_reader, person, ceo }) => (has_new_reader ? readerOf(person, ceo) : null))}::jsonb[])
        AS again (id, mail_to, reader)
      WHERE d.account_id = ${accountId} AND d.id = again.id`.execute(tx);
    return null;
  } catch (error) {
    // unique_violation of delivery_open_key or delivery_open_address_key: another run was faster.
    if (violatedKey(error) === null) throw error;
    return new Problem('open_delivery', 'ほかの送信と重なりました。少し待ってから、やり直してください。');
  }
}

/**
 * Records the addresses of mails before they are queued again.
 * Old addresses of unknown mails stay contacted, because their earlier attempt may have arrived. New addresses are
 * recorded as shared, so that previews of other prospects with the same address find them.
 */
async function recordAddresses(tx: Tx, accountId: number, mails: readonly CheckedMail[]): Promise<void> {
  const ids = mails.map(({ id }) => id);
  await sql`
    INSERT INTO address_contact AS known (account_id, sender_group_id, address_key, last_sent_at)
    SELECT account_id, sender_group_id, address_key, max(coalesce(finished_at, now())) FROM delivery
    WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[]) AND state = 'unknown' AND NOT test_send_mode
    GROUP BY 1, 2, 3
    ORDER BY 3
    ON CONFLICT (account_id, address_key, sender_group_id)
      DO UPDATE SET last_sent_at = greatest(known.last_sent_at, excluded.last_sent_at)`.execute(tx);
  await sql`
    SELECT share_addresses(
      array_agg(d.account_id), array_agg(d.prospect_id), array_agg(lower(again.mail_to COLLATE "C")))
    FROM unnest(${ids}::bigint[], ${mails.map(({ mail_to }) => mail_to)}::text[]) AS again (id, mail_to)
    JOIN delivery d ON d.account_id = ${accountId} AND d.id = again.id AND NOT d.test_send_mode`.execute(tx);
}
