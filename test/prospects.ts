import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { identityKey } from '#domain/company/prospect-identity.ts';
import { BLANK_PROFILE } from '#domain/law/profile.ts';
import { industryText, normalizeText } from '#domain/text/text-filter.ts';
import { addLegalProfile } from '#server/features/legal-profile/update-legal-profile.command.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import type { Db } from '#server/platform/database/db.ts';
import type { Prospect, Sender, SenderProfile } from '#server/platform/database/db-types.ts';
import { addAccount } from './accounts.ts';

export interface Tenant {
  readonly accountId: number;
  /** The only member of the account. */
  readonly memberId: number;
  readonly senderGroupId: number;
  readonly senderId: number;
}

let serial = 0;

/** Adds an account with a group and a sender. */
export async function addTenant(db: Db): Promise<Tenant> {
  return addGroup(db, await addAccount(db));
}

/** Adds another group with a sender to an account. @returns the tenant with them */
export async function addGroup(db: Db, account: Pick<Tenant, 'accountId' | 'memberId'>): Promise<Tenant> {
  const group = { ...account, senderGroupId: await addSenderGroup(db, account.accountId) };
  return { ...group, senderId: await addSender(db, group) };
}

/** A profile with which real mails can be sent. */
export const LEGAL_PROFILE = {
  ...BLANK_PROFILE,
  official_name: '株式会社見本',
  postal_code: '100-0001',
  postal_address: '東京都千代田区見本1-2-3',
  contact_phone: '03-0000-0000',
  refusal_email: 'stop@example.com',
};

/** Fills in and confirms the profiles of an account that was created without legal details. */
export const completeLegalProfiles = (db: Db, accountId: number) =>
  db
    .updateTable('legal_profile')
    .set({ ...LEGAL_PROFILE, confirmed_at: new Date(0) })
    .where('account_id', '=', accountId)
    .execute();

/** Adds a sender of the group, with its own profile, template and a confirmed address. @returns its id */
export async function addSender(
  db: Db,
  { accountId: account_id, senderGroupId: sender_group_id }: Pick<Tenant, 'accountId' | 'senderGroupId'>,
): Promise<number> {
  const { id: profile_id } = await db
    .insertInto('sender_profile')
    .values({ account_id, sender_group_id, person_in_charge: '担当', email: 'sender@example.com' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await confirmAddress(db, account_id, 'sender@example.com');
  return addText(db, { account_id, sender_group_id, profile_id });
}

async function addText(
  db: Db,
  profile: Pick<Selectable<Sender>, 'account_id' | 'sender_group_id' | 'profile_id'>,
): Promise<number> {
  const { account_id } = profile;
  const template = await db
    .insertInto('mail_template')
    .values({ account_id, name: 'ひな形', subject: 'ひな形の件名', text_body: '本文', html_body: '<p>本文</p>' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const sender = await db
    .insertInto('sender')
    .values({ ...profile, template_id: template.id, subject: '件名' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return sender.id;
}

/** Adds another text to the profile of a tenant's sender. @returns the tenant with the new sender */
export async function addTextOf(db: Db, tenant: Tenant): Promise<Tenant> {
  const profile_id = await profileOf(db, tenant.senderId);
  const profile = { account_id: tenant.accountId, sender_group_id: tenant.senderGroupId, profile_id };
  return { ...tenant, senderId: await addText(db, profile) };
}

/** Returns the id of a sender's profile. */
export async function profileOf(db: Db, senderId: number): Promise<number> {
  const query = db.selectFrom('sender').select('profile_id').where('id', '=', senderId);
  return (await query.executeTakeFirstOrThrow()).profile_id;
}

/** Changes the person of a sender. */
export const changePerson = (db: Db, senderId: number, values: Updateable<SenderProfile>) =>
  db
    .updateTable('sender_profile')
    .set(values)
    .where('id', '=', ({ selectFrom }) => selectFrom('sender').select('profile_id').where('id', '=', senderId))
    .execute();

/** Adds a group from which real mails can be sent. */
export async function addSenderGroup(db: Db, accountId: number): Promise<number> {
  const { id } = await db
    .insertInto('sender_group')
    .values({ account_id: accountId, group_name: 'グループ' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addLegalProfile(db, { accountId, senderGroupId: id }, LEGAL_PROFILE, new Date(0));
  return id;
}

type ProspectValues = Partial<Omit<Insertable<Prospect>, 'account_id' | 'identity_key'>>;

/** Adds companies like an import, with dictionary and search columns. @returns their ids, in the given order */
export async function addProspects(db: Db, accountId: number, prospects: readonly ProspectValues[]): Promise<number[]> {
  if (prospects.length === 0) return [];
  const industries = prospects.flatMap((given) => [given.major_industry_type, given.included_industry_type]);
  const industryIds = await addIndustries(db, accountId, industries);
  const industryId = (value: string | null | undefined) => industryIds.get(industryText(value ?? '')) ?? null;
  const rows = prospects.map((given, index) => {
    const company_name = given.company_name ?? `会社${index}`;
    serial += 1;
    return {
      ...given,
      account_id: accountId,
      company_name,
      // Numbered, so that a test can add the same company twice.
      identity_key: `${identityKey({ company_name, address: given.address ?? null })}\n${serial}`,
      address_search: searchText(given.address),
      email_search: searchText(given.company_email),
      major_industry_id: industryId(given.major_industry_type),
      included_industry_id: industryId(given.included_industry_type),
    };
  });
  const added = await db.insertInto('prospect').values(rows).returning('id').execute();
  return added.map(({ id }) => id);
}

/** SQL expressions with a company's number `n`, which replace the defaults of addManyProspects. */
interface ManyValues {
  readonly email?: RawBuilder<unknown>;
  readonly sales?: RawBuilder<unknown>;
  readonly ceo?: RawBuilder<unknown>;
}

/**
 * Adds many similar companies in one statement.
 * Their names are `会社1` …, with sales of 1 … yen, an address and a mail address each.
 */
export async function addManyProspects(
  db: Db,
  accountId: number,
  count: number,
  from = 1,
  { email = sql`n || '@x.jp'`, sales = sql`n`, ceo = sql`NULL` }: ManyValues = {},
): Promise<void> {
  await sql`
    INSERT INTO prospect (account_id, identity_key, company_name, company_email, email_search, address, address_search,
      amount_of_sales, ceo)
    SELECT ${accountId}, 'many ' || n, '会社' || n, ${email}, ${email}, '東京', '東京', ${sales}, ${ceo}
    FROM generate_series(${from}::integer, ${from + count - 1}::integer) AS n`.execute(db);
  // An import analyses large lists too (decisions/database-connections): sessions may still have plans for an empty
  // list.
  if (count >= 1000) await sql`SELECT analyze_companies()`.execute(db);
}

const searchText = (value: string | null | undefined) => (value == null ? null : normalizeText(value));

/** Adds names to the dictionary of the account. @returns the ids of all given names, by industryText */
async function addIndustries(
  db: Db,
  account_id: number,
  names: readonly (string | null | undefined)[],
): Promise<ReadonlyMap<string, number>> {
  const texts = new Set(names.map((name) => industryText(name ?? '')).filter(Boolean));
  if (texts.size === 0) return new Map();
  const rows = await db
    .insertInto('industry')
    .values([...texts].map((name_search) => ({ account_id, name_search })))
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'name_search'])
        .doUpdateSet(({ ref }) => ({ name_search: ref('excluded.name_search') })),
    )
    .returning(['id', 'name_search'])
    .execute();
  return new Map(rows.map(({ id, name_search }) => [name_search, id]));
}
