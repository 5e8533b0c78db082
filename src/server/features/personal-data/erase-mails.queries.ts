import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import { cancelledState } from '../delivery/queue/run-rows.queries.ts';
import { IS_DOUBT } from '../suppressions/suppression.queries.ts';
import { answersOf, mailsOf } from './stored.queries.ts';

interface LockedMail {
  readonly id: number;
  readonly state: string;
  /** The mail is of an erased company; otherwise only its address is erased. */
  readonly isOwn: boolean;
  /** The mail waits, and its company has another address now, to which it will go. */
  readonly isMoved: boolean;
  /** Retention has blanked the address. */
  readonly isBlanked: boolean;
}

/**
 * Removes the recipients from mails to an address and to these companies, and cancels the waiting ones.
 * The address's hash is kept, so that the reader of an old mail can still opt out, and the erasure's row is kept.
 * @returns 409 while one is being sent
 */
export async function eraseMails(
  tx: Tx,
  accountId: number,
  companies: readonly number[],
  address: string,
): Promise<{ mails: number; cancelled: number } | Problem> {
  const locked = await lockMails(tx, accountId, companies, address);
  // A worker has a claimed mail's address too. The mark refuses such a mail of an erased company.
  if (locked.some(({ state, isOwn }) => state === 'sending' || (state === 'claimed' && !isOwn))) return underway();
  const moved = locked.filter(({ isMoved }) => isMoved);
  const erased = locked.filter(({ isMoved }) => !isMoved);
  await followCompanies(tx, accountId, moved);
  await sql`
    UPDATE delivery d
    SET erased_hash = coalesce(erased_hash, address_hash(d.account_id, d.address_key)), mail_to = NULL,
      person_in_charge = '', smtp_reply = NULL, blanked_at = NULL,
      company_name = CASE WHEN d.prospect_id = ANY (${companies}::bigint[]) THEN '' ELSE d.company_name END,
      state = CASE WHEN d.state IN ('queued', 'claimed') THEN ${cancelledState} ELSE d.state END,
      reason = CASE WHEN d.state NOT IN ('queued', 'claimed') THEN d.reason
        WHEN d.prospect_id = ANY (${companies}::bigint[]) THEN 'archived' ELSE 'no_email' END,
      lease_until = NULL, worker_id = NULL, finished_at = coalesce(d.finished_at, now())
    WHERE d.account_id = ${accountId} AND d.id = ANY (${erased.map(({ id }) => id)}::bigint[])`.execute(tx);
  await eraseAnswers(tx, accountId, { companies, address, mails: erased.map(({ id }) => id) });
  const addressed = erased.filter(({ isBlanked }) => !isBlanked);
  await recordErased(tx, accountId, address, addressed);
  const waited = erased.filter(({ state }) => state === 'queued' || state === 'claimed');
  return { mails: locked.length, cancelled: waited.length };
}

/**
 * Records the erasure of an address, and of earlier addresses of the erased companies.
 * Workers then remove them from their receipts, and no longer report their mails as missing (decisions/receipts).
 * Receipts of blanked mails have already expired.
 */
async function recordErased(tx: Tx, accountId: number, address: string, mails: readonly LockedMail[]): Promise<void> {
  await sql`
    INSERT INTO erased_address (account_id, hash)
    SELECT ${accountId}::bigint, hash FROM (
      SELECT address_hash(${accountId}, ${address}) AS hash
      UNION SELECT erased_hash FROM delivery
      WHERE account_id = ${accountId} AND id = ANY (${mails.map(({ id }) => id)}::bigint[]) AND erased_hash IS NOT NULL
    ) AS erased
    ON CONFLICT (account_id, hash) DO UPDATE SET erased_at = excluded.erased_at`.execute(tx);
}

/**
 * Empties the replies of these companies or from the address, and the servers' replies about these mails.
 * Their kinds and times are kept. So is a reply's hash, so that reading its mail again adds nothing.
 */
async function eraseAnswers(
  tx: Tx,
  accountId: number,
  { companies, address, mails }: { companies: readonly number[]; address: string; mails: readonly number[] },
): Promise<void> {
  await sql`
    UPDATE bounce SET reply = ''
    WHERE account_id = ${accountId} AND delivery_id = ANY (${mails}::bigint[])`.execute(tx);
  await sql`
    UPDATE reply
    -- Mails of other companies that waited with the address are settled by the sweep.
    SET from_address = '', subject = '', excerpt = '', doubted_address = NULL,
      cancels_mails = cancels_mails OR ${IS_DOUBT}
    WHERE account_id = ${accountId} AND ${answersOf(companies, address, mails)}`.execute(tx);
}

/** By id, as in every statement that locks several deliveries, so that none of them deadlock. */
async function lockMails(
  tx: Tx,
  accountId: number,
  companies: readonly number[],
  address: string,
): Promise<LockedMail[]> {
  const { rows } = await sql<LockedMail>`
    SELECT d.id, d.state, d.prospect_id = ANY (${companies}::bigint[]) AS "isOwn",
      d.state = 'queued' AND NOT d.test_send_mode AND NOT d.prospect_id = ANY (${companies}::bigint[])
        AND coalesce(prospect.company_email <> '', false) AS "isMoved",
      d.blanked_at IS NOT NULL AS "isBlanked"
    FROM delivery d JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
    WHERE ${mailsOf(accountId, companies, address)}
    ORDER BY d.id
    FOR UPDATE OF d`.execute(tx);
  return rows;
}

/**
 * Sets waiting mails to their company's new address, as their claims would. `shares_address` is set until the claim,
 * because another mail may wait for that address (delivery/claim/recheck.queries.ts).
 */
async function followCompanies(tx: Tx, accountId: number, mails: readonly LockedMail[]): Promise<void> {
  await sql`
    UPDATE delivery d SET mail_to = prospect.company_email, shares_address = true
    FROM prospect
    WHERE d.account_id = ${accountId} AND d.id = ANY (${mails.map(({ id }) => id)}::bigint[])
      AND prospect.account_id = d.account_id AND prospect.id = d.prospect_id`.execute(tx);
}

const underway = () =>
  new Problem(
    'mail_underway',
    'このアドレスへのメールを送信しています。何も消していません。数秒待ってから、もう一度消去してください。',
  );
