/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   person: recall_suppressions_inserted, recall_suppressions_updated → suppression, suppression_hash
 */
import { sql } from 'kysely';
import type { CompanyPerson } from '#contract/companies/people.ts';
import { addressee, personAddressee } from '#domain/mail/addressee.ts';
import { formatMinute } from '#domain/time/tokyo-time.ts';
import { asFlag } from '../../platform/as-flag.ts';
import { contentVersion } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { readSuppressions } from '../suppressions/suppression.queries.ts';

/** The values of a person. '' or null: none. */
export interface PersonValues {
  readonly name: string;
  readonly department: string;
  readonly title: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** YYYY-MM-DD */
  readonly met_on: string | null;
}

export interface StoredPerson extends PersonValues {
  readonly id: number;
  readonly prospect_id: number;
  readonly is_primary: boolean;
  readonly archived: boolean;
}

/** Reads the people of companies: each company's 主担当, then the others by id, then those that are not used. */
export async function readPeople(
  tx: Tx,
  accountId: number,
  prospectIds: readonly number[],
): Promise<readonly StoredPerson[]> {
  const { rows } = await sql<StoredPerson>`
    SELECT person.id, person.prospect_id, person.name, person.department, person.title, person.email, person.phone,
      person.met_on, coalesce(prospect.person_id = person.id, false) AS is_primary,
      person.archived_at IS NOT NULL AS archived
    FROM person JOIN prospect ON prospect.account_id = person.account_id AND prospect.id = person.prospect_id
    WHERE person.account_id = ${accountId} AND person.prospect_id = ANY (${prospectIds}::bigint[])
    ORDER BY person.prospect_id, is_primary DESC, archived, person.id`.execute(tx);
  return rows;
}

/** Returns the version of a person's values. Another 主担当 changes none. */
export const versionOfPerson = ({ name, department, title, email, phone, met_on, archived }: PersonContent): string =>
  contentVersion([name, department, title, email, phone, met_on, archived]);

type PersonContent = PersonValues & { readonly archived: boolean };

/** Reads the people of a company as its page shows them. */
export async function readCompanyPeople(tx: Tx, accountId: number, prospectId: number): Promise<CompanyPerson[]> {
  const people = await readPeople(tx, accountId, [prospectId]);
  const sentAt = await readLastMails(tx, accountId, prospectId);
  const suppressions = await readSuppressions(
    tx,
    accountId,
    people.flatMap(({ email }) => email ?? []),
  );
  return people.map(({ is_primary, archived, ...person }) => ({
    ...person,
    version: versionOfPerson({ ...person, archived }),
    is_primary: asFlag(is_primary),
    archived: asFlag(archived),
    suppressed: (person.email !== null && suppressions.get(person.email)) || null,
    addressee: addressee(personAddressee(person)),
    sent_at: sentAt.get(person.id) ?? null,
  }));
}

/** Reads when each person of a company was last sent a mail, tests apart. */
async function readLastMails(tx: Tx, accountId: number, prospectId: number): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ id: number; at: Date }>`
    SELECT person_id AS id, max(finished_at) AS at FROM delivery
    WHERE account_id = ${accountId} AND prospect_id = ${prospectId} AND person_id IS NOT NULL AND state = 'sent'
      AND NOT test_send_mode
    GROUP BY person_id`.execute(tx);
  return new Map(rows.map(({ id, at }) => [id, formatMinute(at.getTime())]));
}

/** Checks whether a listed company has a 主担当 with an address. */
export async function hasPrimaryEmail(tx: Tx, accountId: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM prospect
    WHERE account_id = ${accountId} AND archived_at IS NULL AND person_email_search IS NOT NULL
    LIMIT 1`.execute(tx);
  return rows.length > 0;
}
