import { sql } from 'kysely';
import { COMPANY_FIELDS } from '#contract/companies/companies.ts';
import { numberedKey } from '#domain/company/prospect-identity.ts';
import { industryText } from '#domain/text/text-filter.ts';
import { type Tx, violatedKey } from '../../platform/database/db.ts';
import { Problem } from '../../platform/problem.ts';
import type { ProspectRow } from '../imports/read/cells/check-row.ts';
import { findSimilar } from './check-company.queries.ts';

interface Twin {
  readonly id: number;
  readonly company_name: string;
}

/** Refuses a company that another one is. @param twin undefined: it was added at the same time */
function sameCompany(field: keyof typeof SAME, twin?: Twin): Problem {
  const message = SAME[field];
  const named = twin && [
    { path: 'same_company.id', message: String(twin.id) },
    { path: 'same_company.company_name', message: twin.company_name },
  ];
  return new Problem('same_company', message, undefined, [{ path: field, message }, ...(named ?? [])]);
}

const SAME = {
  company_name: '同じ会社名と住所の会社があります。',
  corporate_number: '同じ法人番号の会社があります。',
  external_id: '同じ外部IDの会社があります。',
};

/**
 * Finds the identity key for a company to be saved. Companies with the same name and address differ only by corporate
 * number (decisions/imports).
 * @param id undefined: the company is new
 * @returns the key, or 409 where it is another company's
 */
export async function findIdentity(tx: Tx, accountId: number, company: ProspectRow, id = 0): Promise<string | Problem> {
  const { identityKey, values } = company;
  const number = values.corporate_number === null ? null : String(values.corporate_number);
  const { rows } = await sql<Twin & { identity_key: string; corporate_number: string | null }>`
    SELECT id, company_name, identity_key, corporate_number FROM prospect
    WHERE account_id = ${accountId} AND id <> ${id}
      AND (identity_key = ${identityKey} OR corporate_number = ${number})`.execute(tx);
  const numbered = rows.find((other) => number !== null && other.corporate_number === number);
  if (numbered) return sameCompany('corporate_number', numbered);
  const [twin] = rows;
  if (twin === undefined) return identityKey;
  if (number === null || twin.corporate_number === null) return sameCompany('company_name', twin);
  return numberedKey(identityKey, number);
}

/** Refuses a new 外部ID that another company has. @param externalId null: none is set */
export async function findExternalId(tx: Tx, accountId: number, externalId: string | null): Promise<Problem | null> {
  if (externalId === null) return null;
  const { rows } = await sql<Twin>`
    SELECT id, company_name FROM prospect
    WHERE account_id = ${accountId} AND external_id = ${externalId}`.execute(tx);
  return rows[0] === undefined ? null : sameCompany('external_id', rows[0]);
}

/** The answers by unique index. */
const SAME_BY_KEY: Readonly<Record<string, Problem>> = {
  prospect_corporate_number_key: sameCompany('corporate_number'),
  prospect_account_id_identity_key_key: sameCompany('company_name'),
  prospect_external_id_key: sameCompany('external_id'),
};

/** Runs `save`, and repeats it after a unique violation: another request may add the same company concurrently. */
export async function retryAsDuplicate<Answer>(save: () => Promise<Answer>): Promise<Answer | Problem> {
  const problemOf = (error: unknown) => SAME_BY_KEY[violatedKey(error) ?? ''];
  try {
    return await save();
  } catch (first) {
    if (!problemOf(first)) throw first;
    try {
      // Now it sees the other company, and names it.
      return await save();
    } catch (second) {
      const problem = problemOf(second);
      if (!problem) throw second;
      return problem;
    }
  }
}

/** Returns the name of a checked company, which always has one. */
export const nameOf = ({ values }: ProspectRow): string => String(values.company_name);

/** Refuses a name that another company has, until the person confirms it. */
export async function similarCompany(
  tx: Tx,
  accountId: number,
  id: number | undefined,
  company: ProspectRow,
  acknowledged: 0 | 1 | undefined,
): Promise<Problem | null> {
  if (acknowledged === 1) return null;
  const { address } = company.values;
  const named = { id, company_name: nameOf(company), address: address === null ? null : String(address) };
  const [similar] = await findSimilar(tx, accountId, named);
  if (similar === undefined) return null;
  const message = `似た会社があります（${similar.company_name}）。同じ会社でないか確かめてください。`;
  return new Problem('similar_company', message);
}

/** Returns the columns of a company as an import writes them, except the identity key. */
export async function columnsOf(tx: Tx, accountId: number, { values, ...company }: ProspectRow) {
  const fields = Object.fromEntries(COMPANY_FIELDS.map((field) => [field, values[field]]));
  return {
    ...(fields as object),
    address_search: company.addressSearch,
    email_search: company.emailSearch,
    major_industry_id: await industryId(tx, accountId, values.major_industry_type),
    included_industry_id: await industryId(tx, accountId, values.included_industry_type),
  };
}

/** Finds or adds the number of an industry value (decisions/company-list). */
async function industryId(tx: Tx, accountId: number, value: string | number | null): Promise<number | null> {
  const name_search = industryText(String(value ?? ''));
  if (name_search === '') return null;
  const find = () =>
    tx
      .selectFrom('industry')
      .select('id')
      .where('account_id', '=', accountId)
      .where('name_search', '=', name_search)
      .executeTakeFirst();
  const known = await find();
  if (known) return known.id;
  const added = await tx
    .insertInto('industry')
    .values({ account_id: accountId, name_search, name: String(value) })
    .onConflict((conflict) => conflict.columns(['account_id', 'name_search']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return added?.id ?? (await find())?.id ?? null;
}
