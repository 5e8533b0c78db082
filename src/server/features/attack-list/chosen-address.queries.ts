import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { MAX_PEOPLE_OF_COMPANY } from '#domain/limits.ts';
import { personAddressee } from '#domain/mail/addressee.ts';
import type { SendTo } from '#domain/sending/attack-list.ts';
import type { ProspectIds } from '../prospects/list/membership.queries.ts';

/*
 * The chosen address: where a company's mail goes (decisions/people). For `company` it is the company's address; for
 * `primary_or_company` that of its main contact person, copied into prospect.person_*, where there is one. Only this
 * file says so. Behind row level security no index serves coalesce(), so it does in four forms:
 *   1. of a row: mailAddress, searchAddress, addressKeyOf, chosenPersonId, greeting
 *   2. the companies of addresses: companiesBy, companiesOfEither
 *   3. the companies of a domain: companiesInDomain, companiesInEither, someInDomain
 *   4. the companies without an address: idsWithoutAddress
 */

/** Where mails go: the same for a statement, or a column `send_to` of a run or reservation. */
export type To = SendTo | RawBuilder<SendTo>;

/** The column `send_to` of a row. */
export const sendToOf = (row: string): RawBuilder<SendTo> => sql`${sql.ref(row)}.send_to`;

/** Returns one value where the person is mailed, and another where the company is. */
function either<Value>(
  to: To,
  row: string,
  ofPerson: Expression<unknown>,
  ofCompany: RawBuilder<unknown>,
): RawBuilder<Value> {
  if (to === 'company') return ofCompany as RawBuilder<Value>;
  const has = sql`${sql.ref(row)}.person_email_search IS NOT NULL`;
  const isChosen = to === 'primary_or_company' ? has : sql`${to} = 'primary_or_company' AND ${has}`;
  return sql<Value>`CASE WHEN ${isChosen} THEN ${ofPerson} ELSE ${ofCompany} END`;
}

const column = (row: string, name: string) => sql`${sql.ref(row)}.${sql.ref(name)}`;

/** The address as it is written, of a row of `prospect`. */
export const mailAddress = (to: To, row = 'prospect'): RawBuilder<string | null> =>
  either(to, row, column(row, 'person_email'), column(row, 'company_email'));

/** That in the form of delivery.address_key. */
export const mailKey = (to: To, row = 'prospect'): Expression<string | null> =>
  sql`lower(${mailAddress(to, row)} COLLATE "C")`;

/** The searched address of a row of `prospect` or `prospect_search`, in the collation of suppression.value. */
export const searchAddress = (to: To): Expression<string | null> =>
  either(
    to,
    'prospect',
    // Else the comparison would be by "C", for which suppression has no index.
    sql`prospect.person_email_search COLLATE "default"`,
    sql`prospect.email_search`,
  );

/** That in the collation of the columns address_key. */
export const addressKeyOf = (to: To): Expression<string | null> =>
  to === 'company' ? sql`prospect.email_search COLLATE "C"` : sql`(${searchAddress(to)}) COLLATE "C"`;

/** The condition that a row of `prospect` or `prospect_search` has no address to mail. */
export const hasNoAddress = (to: To): Expression<SqlBool> => sql<SqlBool>`coalesce(${searchAddress(to)}, '') = ''`;

/** The person who is mailed; NULL: the company is. Of a row of `prospect`. */
export const chosenPersonId = (to: To, row = 'prospect'): RawBuilder<number | null> =>
  either(to, row, column(row, 'person_id'), sql`NULL::bigint`);

/** A person as mails name them. */
export interface ChosenPerson {
  readonly id: number;
  readonly name: string;
  readonly department: string;
  readonly title: string;
}

/** The person who is mailed as one JSON value; NULL: the company is. Of a row of `prospect`. */
export const chosenPerson = (to: To): RawBuilder<ChosenPerson | null> =>
  either(
    to,
    'prospect',
    sql`(SELECT json_build_object('id', person.id, 'name', person.name, 'department', person.department,
        'title', person.title)
      FROM person WHERE person.account_id = prospect.account_id AND person.id = prospect.person_id)`,
    sql`NULL::json`,
  );

/** Returns what delivery.person_in_charge stores: whom the mail greets. */
export const greeted = (person: ChosenPerson | null, ceo: string | null): string =>
  person ? personAddressee(person) : (ceo ?? '');

/** Returns, as JSON, what a mail stores of its reader, where another person is mailed now, or the company instead. */
export function readerOf(person: ChosenPerson | null, ceo: string | null): string {
  const { id = null, name = '', department = '', title = '' } = person ?? {};
  return JSON.stringify({ id, greeted: greeted(person, ceo), person: { name, department, title } });
}

/** Sets what a mail, the row `d`, stores of its reader. @param reader of readerOf; NULL: the reader stays */
export const withReader = (reader: Expression<unknown>) => sql`
  person_id = CASE WHEN ${reader} IS NULL THEN d.person_id ELSE (${reader} ->> 'id')::bigint END,
  person_in_charge = coalesce(${reader} ->> 'greeted', d.person_in_charge),
  merge_values = CASE WHEN ${reader} IS NOT NULL AND d.merge_values ? 'person'
    THEN jsonb_set(d.merge_values, '{person}', ${reader} -> 'person') ELSE d.merge_values END`;

/** The condition that a company, the row `known`, is mailed at an address; one for each index. */
function isMailedAt(to: SendTo, key: Expression<unknown>): readonly Expression<SqlBool>[] {
  const byOwn = sql<SqlBool>`known.email_search COLLATE "C" = ${key}`;
  if (to === 'company') return [byOwn];
  return [sql`known.person_email_search = ${key}`, sql`${byOwn} AND known.person_email_search IS NULL`];
}

/**
 * Selects companies that are mailed at given addresses, by indexes that have no archived ones. May repeat ids.
 * @param select makes the query of one index, with `prospect AS known` joined by the condition
 */
export const companiesBy = (
  to: SendTo,
  key: Expression<unknown>,
  select: (isMailed: Expression<SqlBool>) => Expression<unknown>,
): Expression<unknown> => sql.join(isMailedAt(to, key).map(select), sql` UNION ALL `);

type Texts = readonly (string | null)[] | RawBuilder<string[]>;

/** Selects the companies that have one of these addresses, mailed or not, by index. Not archived ones. May repeat. */
export const companiesOfEither = (accountId: number, addresses: Texts): Expression<unknown> => sql`
  SELECT id FROM prospect
  WHERE account_id = ${accountId} AND email_search COLLATE "C" = ANY (${addresses}::text[]) AND archived_at IS NULL
  UNION ALL SELECT id FROM prospect
  WHERE account_id = ${accountId} AND person_email_search = ANY (${addresses}::text[]) AND archived_at IS NULL`;

/** The condition that an address is the company's own, or its main contact person's. */
export const isOfEither = (row: string, key: Expression<unknown>): Expression<SqlBool> =>
  sql`(${column(row, 'email_search')} COLLATE "C" = ${key} OR ${column(row, 'person_email_search')} = ${key})`;

/** Selects as `id` the companies that are mailed in a domain, archived ones too. May repeat ids. */
export function companiesInDomain(to: SendTo, accountId: number, domain: Expression<unknown>): Expression<unknown> {
  const byOwn = sql`
    SELECT id FROM prospect
    WHERE prospect.account_id = ${accountId} AND email_domain COLLATE "C" = ${domain}
      -- Literally the condition of prospect_domain_idx.
      AND email_domain IS NOT NULL`;
  if (to === 'company') return byOwn;
  return sql`
    SELECT prospect.id FROM person
    JOIN prospect ON prospect.account_id = person.account_id AND prospect.id = person.prospect_id
      AND prospect.person_id = person.id
    WHERE person.account_id = ${accountId} AND person.email_domain COLLATE "C" = ${domain}
      -- Literally the condition of person_domain_idx.
      AND person.email_domain IS NOT NULL
    UNION ALL ${byOwn} AND person_email_search IS NULL`;
}

/** Selects the companies that have an address in one of these domains, mailed or not, archived ones too. May repeat. */
export const companiesInEither = (accountId: number, domains: Texts): Expression<unknown> => sql`
  SELECT id FROM prospect
  WHERE account_id = ${accountId} AND email_domain COLLATE "C" = ANY (${domains}::text[]) AND email_domain IS NOT NULL
  UNION ALL SELECT prospect.id FROM person
  JOIN prospect ON prospect.account_id = person.account_id AND prospect.id = person.prospect_id
    AND prospect.person_id = person.id
  WHERE person.account_id = ${accountId} AND person.email_domain COLLATE "C" = ANY (${domains}::text[])
    AND person.email_domain IS NOT NULL`;

/** Selects up to `most` companies with an address in a domain, of their own or of any of their people. */
export const someInDomain = (accountId: number, domain: Expression<unknown>, most: number): Expression<unknown> => sql`
  SELECT id FROM (
    (SELECT id FROM prospect
      WHERE account_id = ${accountId} AND email_domain COLLATE "C" = ${domain}
        -- Literally the condition of prospect_domain_idx.
        AND email_domain IS NOT NULL
      LIMIT ${sql.lit(most)})
    UNION
    (SELECT prospect_id FROM person
      WHERE account_id = ${accountId} AND email_domain COLLATE "C" = ${domain} AND email_domain IS NOT NULL
      -- So many rows are of enough companies.
      LIMIT ${sql.lit(most * MAX_PEOPLE_OF_COMPANY)})
  ) AS known LIMIT ${sql.lit(most)}`;

/** Selects the companies without an address to mail, by index. Not archived ones. */
export function idsWithoutAddress(to: SendTo, accountId: number): ProspectIds {
  const without = (condition: Expression<unknown>) => sql`
    SELECT id FROM prospect WHERE account_id = ${accountId}
      -- Literally the condition and the collation of prospect_email_idx, which has the other column too.
      AND archived_at IS NULL AND email_search COLLATE "C" ${condition}
      ${to === 'company' ? sql`` : sql`AND person_email_search IS NULL`}`;
  return sql`${without(sql`IS NULL`)} UNION ALL ${without(sql`= ''`)}` as never;
}
