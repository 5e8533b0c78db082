import { type Expression, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { COMPANY_FIELDS } from '#contract/companies/companies.ts';
import type { erasePersonalData } from '#contract/companies/personal-data.ts';
import { ERASED_NAME } from '#domain/law/erased-name.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount, lockGroups } from '../../platform/database/lock-account.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { tryLockImports } from '../imports/merge/import-run.queries.ts';
import { eraseNotices } from '../notices/erase-notices.queries.ts';
import { deleteOwn } from '../own-fields/own-rows.queries.ts';
import { deletePeople } from '../people/store-people.queries.ts';
import { hashSuppressions } from '../suppressions/suppression-hash.queries.ts';
import { deleteFiles, eraseConditions, lockRunsNaming, readNameKeys } from './erase-copies.queries.ts';
import { eraseMails, lockMails } from './erase-mails.queries.ts';
import { findSubject, type Subject } from './stored.queries.ts';

/**
 * Erases everything stored about an address, and keeps its suppressions as a hash.
 * Counts, times and results are kept: companies are archived without values, mails lose their recipients. A person is
 * deleted, and the company stays, with its remarks.
 * @returns 409 while a mail to the address is being sent, because its worker has the address. Also during an import,
 * whose companies are not visible yet
 */
export function erase(
  account: MemberDb,
  { email, record_refusal }: z.output<(typeof erasePersonalData)['body']>,
): Promise<CallAnswer<typeof erasePersonalData> | Problem> {
  const { id: accountId, memberId } = account;
  const address = addressKey(email);
  return account.transaction(async (tx) => {
    if (!(await tryLockImports(tx, accountId))) return importRunning();
    await lockWriters(tx, accountId);
    const subject = await findSubject(tx, accountId, address);
    const { companies: ids } = subject;
    const nameKeys = await readNameKeys(tx, accountId, subject.people);
    const erased = { accountId, companies: ids, address, nameKeys };
    const runs = await lockRunsNaming(tx, erased);
    const locked = await lockMails(tx, accountId, subject);
    if (locked instanceof Problem) return locked;
    // Before the mails, which then go where their companies' mail goes without these people.
    const people = await deletePeople(tx, { accountId, memberId, kind: 'edited' }, subject);
    const mails = await eraseMails(tx, accountId, subject, locked);
    await eraseConditions(tx, erased, runs);
    await eraseCompanies(tx, accountId, ids);
    await eraseHistory(tx, accountId, subject);
    await recordErasure(tx, account, ids);
    await eraseNotices(tx, accountId, ids);
    await eraseContacts(tx, accountId, address);
    await eraseTestTargets(tx, accountId, address);
    await eraseInvitations(tx, accountId, address);
    await hashSuppressions(tx, accountId, address, { addRefusal: record_refusal === 1 });
    // If nothing was stored about the address, other members' files are kept.
    const hasData = ids.length > 0 || subject.people.length > 0 || mails.mails > 0;
    const files = hasData ? await deleteFiles(tx, accountId) : 0;
    const counts = { companies: ids.length, people, ...mails, files };
    const detail = { ...counts, refusal: record_refusal === 1 };
    const companies_kept = subject.companiesOfPeople.filter((id) => !ids.includes(id)).length;
    await recordAudit(tx, { accountId, memberId, kind: 'personal_data_erased', detail });
    return { status: 'erased' as const, ...counts, companies_kept };
  });
}

/**
 * Waits for transactions that have read a name or address in order to write it, and blocks new ones: saved companies,
 * accepted runs and reservations. Locks in the order that changes of groups use.
 */
async function lockWriters(tx: Tx, accountId: number): Promise<void> {
  await lockAccount(tx, accountId);
  await lockGroups(tx, accountId);
}

const importRunning = () =>
  new Problem(
    'import_running',
    'リストの取り込みが動いています。何も消していません。終わってから、もう一度消去してください。',
  );

const ERASED_FIELDS = COMPANY_FIELDS.filter((field) => field !== 'company_name');

/** Blanks the companies. Their new keys are in upper case, which no company's key is: no import matches them. */
async function eraseCompanies(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  const blanks = Object.fromEntries(ERASED_FIELDS.map((field) => [field, null]));
  await tx
    .updateTable('prospect')
    .set({
      ...blanks,
      company_name: ERASED_NAME,
      identity_key: sql<string>`'ERASED' || prospect.id`,
      address_search: null,
      email_search: null,
      person_id: null,
      person_email: null,
      person_email_search: null,
      major_industry_id: null,
      included_industry_id: null,
      external_id: null,
      archived_at: sql<Date>`coalesce(archived_at, now())`,
      updated_at: sql<Date>`now()`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute();
  await deleteOwn(tx, accountId, ids);
  await sql`
    UPDATE active_prospect SET remarks = '', updated_at = now()
    WHERE account_id = ${accountId} AND prospect_id = ANY (${ids}::bigint[]) AND remarks <> ''`.execute(tx);
}

/**
 * Empties the companies' history, removes the people from that of theirs, and the address from that of companies and
 * people who had it earlier.
 */
async function eraseHistory(
  tx: Tx,
  accountId: number,
  { companies, people, companiesOfPeople, address }: Subject,
): Promise<void> {
  await sql`
    UPDATE prospect_change SET changes = '{}'
    WHERE account_id = ${accountId} AND prospect_id = ANY (${companies}::bigint[]) AND changes <> '{}'`.execute(tx);
  const without = (isGone: Expression<SqlBool>) => sql`(
    SELECT coalesce(jsonb_object_agg(field, pair), '{}') FROM jsonb_each(changes) AS change (field, pair)
    WHERE NOT ${isGone})`;
  const ofPeople = sql<SqlBool>`split_part(field, '.', 1) = 'person'
    AND split_part(field, '.', 2) = ANY (${people}::bigint[]::text[])`;
  await sql`
    UPDATE prospect_change SET changes = ${without(ofPeople)}
    WHERE account_id = ${accountId} AND prospect_id = ANY (${companiesOfPeople}::bigint[])
      AND EXISTS (SELECT FROM jsonb_object_keys(changes) AS field WHERE ${ofPeople})`.execute(tx);
  const isAt = (index: 0 | 1) => sql`lower((pair ->> ${sql.lit(index)}) COLLATE "C") = ${address}`;
  const ofAddress = sql<SqlBool>`
    (field = 'company_email' OR field LIKE 'person.%.email') AND (${isAt(0)} OR ${isAt(1)})`;
  await sql`
    UPDATE prospect_change SET changes = ${without(sql<SqlBool>`coalesce(${ofAddress}, false)`)}
    -- Few rows have the address as text; only those are taken apart.
    WHERE account_id = ${accountId} AND strpos(lower(changes::text COLLATE "C"), ${address}) > 0
      AND EXISTS (SELECT FROM jsonb_each(changes) AS change (field, pair) WHERE ${ofAddress})`.execute(tx);
}

/** Adds the archiving member to the companies' history, so that an undo of their import skips them. */
async function recordErasure(tx: Tx, { id: accountId, memberId }: MemberDb, ids: readonly number[]): Promise<void> {
  await sql`
    INSERT INTO prospect_change (account_id, member_id, prospect_id, kind)
    SELECT ${accountId}::bigint, ${memberId}::bigint, id, 'archived'
    FROM prospect WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])
    ORDER BY id`.execute(tx);
}

/** Deletes when a group mailed the address, or was rejected: the suppression's hash still blocks mails. */
async function eraseContacts(tx: Tx, accountId: number, address: string): Promise<void> {
  for (const table of ['address_contact', 'address_rejection', 'shared_address'] as const) {
    await tx.deleteFrom(table).where('account_id', '=', accountId).where('address_key', '=', address).execute();
  }
}

/** Removes the address from reserved tests. Real mails go to the address that their company has when they are due. */
async function eraseTestTargets(tx: Tx, accountId: number, address: string): Promise<void> {
  await sql`
    DELETE FROM reservation_target
    WHERE account_id = ${accountId} AND lower(mail_to COLLATE "C") = ${address}`.execute(tx);
}

/** Deletes the invitations that nobody accepted. Those of a member go with the member (member erase). */
async function eraseInvitations(tx: Tx, accountId: number, address: string): Promise<void> {
  await sql`
    DELETE FROM invitation
    WHERE account_id = ${accountId} AND lower(email) = ${address} AND accepted_at IS NULL`.execute(tx);
}
