import type { Db } from '#server/platform/database/db.ts';
import type { Tenant } from './prospects.ts';

interface PersonOfTest {
  readonly email?: string | null;
  readonly name?: string;
  readonly department?: string;
  readonly title?: string;
}

/** Adds a person to a company, as its main contact person instead of any other. @returns the person's id */
export async function addPrimary(
  db: Db,
  { accountId }: Pick<Tenant, 'accountId'>,
  prospectId: number,
  { email = null, name = '佐藤 一郎', department = '', title = '' }: PersonOfTest,
): Promise<number> {
  const key = email?.toLowerCase() ?? null;
  const names = { name, name_key: name.replaceAll(' ', ''), department, title };
  const { id } = await db
    .insertInto('person')
    .values({ account_id: accountId, prospect_id: prospectId, ...names, email, email_search: key })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .updateTable('prospect')
    .set({ person_id: id, person_email: email, person_email_search: key })
    .where('account_id', '=', accountId)
    .where('id', '=', prospectId)
    .execute();
  return id;
}

/** Leaves a company without a main contact person, as where that one is no longer used. */
export const removePrimary = (db: Db, { accountId }: Pick<Tenant, 'accountId'>, prospectId: number) =>
  db
    .updateTable('prospect')
    .set({ person_id: null, person_email: null, person_email_search: null })
    .where('account_id', '=', accountId)
    .where('id', '=', prospectId)
    .execute();
