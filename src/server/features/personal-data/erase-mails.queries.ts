import { sql } from 'kysely';
import type { Tx } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import {
  type ChosenPerson,
  chosenPerson,
  chosenPersonId,
  mailAddress,
  readerOf,
  sendToOf,
  withReader,
} from '../attack-list/chosen-address.queries.ts';
import { cancelledState } from '../delivery/queue/run-rows.queries.ts';
import { IS_DOUBT } from '../suppressions/suppression.queries.ts';
import { answersOf, mailsOf, type Subject } from './stored.queries.ts';

interface LockedMail {
  readonly id: number;
  readonly state: string;
  /** The mail is of an erased company; otherwise only its address is erased. */
  readonly isOwn: boolean;
  readonly isTest: boolean;
  /** Retention has blanked the address. */
  readonly isBlanked: boolean;
}

/**
 * Locks the mails to an address, to its companies and its people.
 * @returns 409 while one is being sent
 */
export async function lockMails(tx: Tx, accountId: number, subject: Subject): Promise<readonly LockedMail[] | Problem> {
  // By id, as in every statement that locks several deliveries, so that none of them deadlock.
  const { rows } = await sql<LockedMail>`
    SELECT d.id, d.state, d.prospect_id = ANY (${subject.companies}::bigint[]) AS "isOwn",
      d.test_send_mode AS "isTest", d.blanked_at IS NOT NULL AS "isBlanked"
    FROM delivery d
    WHERE ${mailsOf(accountId, subject)}
    ORDER BY d.id
    FOR UPDATE OF d`.execute(tx);
  // A worker has a claimed mail's address too. The mark refuses such a mail of an erased company.
  const isUnderway = ({ state, isOwn }: LockedMail) => state === 'sending' || (state === 'claimed' && !isOwn);
  return rows.some(isUnderway) ? underway() : rows;
}

/**
 * Removes the recipients from locked mails, and cancels the waiting ones that have no other address to go to.
 * The address's hash is kept, so that the reader of an old mail can still opt out, and the erasure's row is kept.
 */
export async function eraseMails(
  tx: Tx,
  accountId: number,
  { companies, address }: Subject,
  locked: readonly LockedMail[],
): Promise<{ mails: number; cancelled: number }> {
  const waiting = locked.filter(({ state, isOwn, isTest }) => state === 'queued' && !isOwn && !isTest);
  const moved = await followCompanies(tx, accountId, waiting);
  const erased = locked.filter(({ id }) => !moved.has(id));
  await sql`
    UPDATE delivery d
    SET erased_hash = coalesce(erased_hash, address_hash(d.account_id, d.address_key)), mail_to = NULL,
      person_in_charge = '', person_id = NULL, merge_values = NULL, smtp_reply = NULL, blanked_at = NULL,
      company_name = CASE WHEN d.prospect_id = ANY (${companies}::bigint[]) THEN '' ELSE d.company_name END,
      state = CASE WHEN d.state IN ('queued', 'claimed') THEN ${cancelledState} ELSE d.state END,
      reason = CASE WHEN d.state NOT IN ('queued', 'claimed') THEN d.reason
        WHEN d.prospect_id = ANY (${companies}::bigint[]) THEN 'archived' ELSE 'no_email' END,
      lease_until = NULL, worker_id = NULL, finished_at = coalesce(d.finished_at, now())
    WHERE d.account_id = ${accountId} AND d.id = ANY (${erased.map(({ id }) => id)}::bigint[])`.execute(tx);
  await eraseAnswers(tx, accountId, { companies, address, mails: locked.map(({ id }) => id) });
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

/**
 * Sets waiting mails to where their company's mail goes now, as their claims would, with its reader. `shares_address`
 * is set until the claim, because another mail may wait for that address (delivery/claim/recheck.queries.ts). One that
 * may have arrived goes to nobody else.
 * @returns the ids of those whose company has an address
 */
async function followCompanies(tx: Tx, accountId: number, mails: readonly LockedMail[]): Promise<ReadonlySet<number>> {
  const to = sendToOf('run');
  const { rows } = await sql<{ id: number; mail_to: string; person: ChosenPerson | null; ceo: string | null }>`
    SELECT d.id, ${mailAddress(to)} AS mail_to, ${chosenPerson(to)} AS person, prospect.ceo
    FROM delivery d
    JOIN send_log AS run ON run.account_id = d.account_id AND run.id = d.send_log_id
    JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
    WHERE d.account_id = ${accountId} AND d.id = ANY (${mails.map(({ id }) => id)}::bigint[])
      AND coalesce(${mailAddress(to)}, '') <> ''
      AND NOT (d.maybe_sent AND d.person_id IS DISTINCT FROM ${chosenPersonId(to)})`.execute(tx);
  const moved = rows.map(({ id, mail_to, person, ceo }) => ({
    id,
    mail_to,
    reader: JSON.parse(readerOf(person, ceo)),
  }));
  await sql`
    UPDATE delivery d
    SET mail_to = known.mail_to, shares_address = true, smtp_reply = NULL, ${withReader(sql.ref('known.reader'))}
    FROM jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) AS known (id bigint, mail_to text, reader jsonb)
    WHERE d.account_id = ${accountId} AND d.id = known.id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

const underway = () =>
  new Problem(
    'mail_underway',
    'このアドレスへのメールを送信しています。何も消していません。数秒待ってから、もう一度消去してください。',
  );
