import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import { type checkPerson, type findPeople, MAX_FOUND_PEOPLE } from '#contract/companies/people.ts';
import { parseMailAddress } from '#domain/mail/address.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import { addressee, personAddressee } from '#domain/mail/addressee.ts';
import { asFlag } from '../../platform/as-flag.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { notFound, type Problem } from '../../platform/problem.ts';
import { readPeople } from '../people/people.queries.ts';
import { findSamePerson, nameKey } from '../people/person-key.ts';
import { keyOf } from '../people/store-people.queries.ts';
import { readSuppression } from '../suppressions/suppression.queries.ts';

/** Reads which company a person is of. @returns undefined: the account has no such person */
export async function readCompanyOf(tx: Tx, accountId: number, id: number): Promise<number | undefined> {
  const found = await tx
    .selectFrom('person')
    .select('prospect_id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return found?.prospect_id;
}

/** The newest change of a person: who made it, null for the operator, and when. */
export async function lastPersonChange(
  tx: Tx,
  accountId: number,
  prospectId: number,
  id: number,
): Promise<{ name: string | null; at: Date } | undefined> {
  const { rows } = await sql<{ name: string | null; at: Date }>`
    SELECT member.name, change.at
    FROM prospect_change AS change
    LEFT JOIN member ON member.account_id = change.account_id AND member.id = change.member_id
    WHERE change.account_id = ${accountId} AND change.prospect_id = ${prospectId} AND EXISTS (
      SELECT FROM jsonb_object_keys(change.changes) AS field WHERE starts_with(field, ${`person.${id}.`}))
    ORDER BY change.id DESC
    LIMIT 1`.execute(tx);
  return rows[0];
}

type Asked = z.output<(typeof checkPerson)['query']>;
type Answer = CallAnswer<typeof checkPerson>;

/** Checks a person whom a member is editing, before it is saved. */
export function readCheck(account: AccountDb, asked: Asked): Promise<Answer | Problem> {
  const { prospect_id, id, name = '', department = '', title = '', email = '' } = asked;
  return account.snapshot(async (tx) => {
    const company = await tx
      .selectFrom('prospect')
      .select('person_id')
      .where('account_id', '=', account.id)
      .where('id', '=', prospect_id)
      .executeTakeFirst();
    const people = await readPeople(tx, account.id, [prospect_id]);
    if (!company || (id !== undefined && !people.some((person) => person.id === id))) return notFound();
    const parsed = parseMailAddress(email);
    const address = parsed.ok ? parsed.address : null;
    const written = { name: name.trim(), department: department.trim(), title: title.trim() };
    const others = people
      .filter((person) => person.id !== id)
      .toSorted((a, b) => a.id - b.id)
      .map((person) => ({ ...person, ...keyOf(person) }));
    const same = findSamePerson(others, keyOf({ ...written, email: address, phone: null, met_on: null }));
    // The first person of a company becomes its 主担当.
    const isPrimary = id === undefined ? people.every(({ archived }) => archived) : company.person_id === id;
    return {
      addressee: addressee(personAddressee(written)),
      same: same ? { id: same.id, name: same.name, archived: asFlag(same.archived) } : null,
      suppressed: await readSuppression(tx, account.id, address),
      affected: isPrimary ? await countAffected(tx, account.id, prospect_id) : NONE_AFFECTED,
    };
  });
}

const NONE_AFFECTED: Answer['affected'] = { reserved: 0, queued: 0, sending: 0, failed: 0 };

/** Counts the company's real mails that go, or went, to its 主担当 first. */
async function countAffected(tx: Tx, accountId: number, prospectId: number): Promise<Answer['affected']> {
  const { rows } = await sql<Answer['affected']>`
    SELECT
      (SELECT count(*)::integer FROM reservation_target AS target
        JOIN reservation ON reservation.account_id = target.account_id AND reservation.id = target.reservation_id
        WHERE target.account_id = ${accountId} AND target.prospect_id = ${prospectId} AND target.pending
          AND NOT target.test_send_mode AND reservation.send_to = 'primary_or_company') AS reserved,
      count(*) FILTER (WHERE mail.state = 'queued')::integer AS queued,
      count(*) FILTER (WHERE mail.state IN ('claimed', 'sending'))::integer AS sending,
      count(*) FILTER (WHERE mail.state = 'failed' AND mail.blanked_at IS NULL)::integer AS failed
    FROM delivery AS mail
    JOIN send_log ON send_log.account_id = mail.account_id AND send_log.id = mail.send_log_id
    WHERE mail.account_id = ${accountId} AND mail.prospect_id = ${prospectId} AND NOT mail.test_send_mode
      AND send_log.send_to = 'primary_or_company'`.execute(tx);
  return onlyRow(rows);
}

/** After the last text that begins with a key. */
const AFTER = '\u{10ffff}';
/** The people of an index that are looked at: some are archived, or of archived companies. */
const CANDIDATES = 200;

/** Finds the people whose name, else whose address, begins with a text: ranges of two indexes. */
export function readFound(account: AccountDb, text: string): Promise<CallAnswer<typeof findPeople>> {
  const [name, email] = [nameKey(text), addressKey(text.normalize('NFKC').trim())];
  if (email === '') return Promise.resolve([]);
  return account.snapshot(async (tx) => {
    const { rows } = await sql<CallAnswer<typeof findPeople>[number] & { isPrimary: boolean }>`
      WITH named AS MATERIALIZED (
        SELECT id, name_key AS found FROM person
        WHERE account_id = ${account.id} AND name_key <> '' AND name_key >= ${name} AND name_key < ${name + AFTER}
        ORDER BY name_key, id
        LIMIT ${name === '' ? 0 : CANDIDATES}
      ), addressed AS MATERIALIZED (
        SELECT id, email_search AS found FROM person
        WHERE account_id = ${account.id} AND email_search IS NOT NULL AND email_search >= ${email}
          AND email_search < ${email + AFTER}
        ORDER BY email_search
        LIMIT ${CANDIDATES}
      ), known AS (
        SELECT DISTINCT ON (id) id, place, found
        FROM (SELECT 1 AS place, id, found FROM named UNION ALL SELECT 2, id, found FROM addressed) AS both_found
        ORDER BY id, place
      )
      SELECT person.id, person.prospect_id, prospect.company_name, person.name, person.department, person.title,
        person.email, coalesce(prospect.person_id = person.id, false) AS "isPrimary"
      FROM known
      JOIN person ON person.account_id = ${account.id} AND person.id = known.id
      JOIN prospect ON prospect.account_id = ${account.id} AND prospect.id = person.prospect_id
      WHERE person.archived_at IS NULL AND prospect.archived_at IS NULL
      ORDER BY known.place, known.found, person.id
      LIMIT ${MAX_FOUND_PEOPLE}`.execute(tx);
    return rows.map(({ isPrimary, ...person }) => ({ ...person, is_primary: asFlag(isPrimary) }));
  });
}
