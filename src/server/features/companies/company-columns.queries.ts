import { COMPANY_FIELDS } from '#contract/companies.ts';
import { industryText } from '#domain/text/text-filter.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { ProspectRow } from '../imports/read/cells/check-row.ts';

/** Returns the columns of a company as an import would write them, without its identity key. */
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

/** Finds or adds the number of an industry value (decisions/list-storage). */
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
